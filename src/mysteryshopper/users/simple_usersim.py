"""`simple-usersim`: knows attributes alone; makes out the system's intent first, with one prompt for each."""

from __future__ import annotations

from typing import ClassVar, Self

from mysteryshopper.core import ChatModel, Parts, State, UserTurn, UserView
from mysteryshopper.users.intents import IntentUser
from mysteryshopper.users.prompted import PromptedOptions, out_of_patience


class SimpleUserSimOptions(PromptedOptions):
    """Options of `simple-usersim`."""


class SimpleUserSim(IntentUser):
    """A user that holds the attributes of what it wants, never a title, and answers each intent by a prompt of its own.

    After SimpleUserSim (Zhu et al., "How Reliable is Your Simulator?", 2024). There is no public code, so it is built
    from the paper's text alone; the wording is ours, and so is the rule that a turn which shows items recommends,
    without asking a model. An item is taken when the loop marks it as wanted, not when a text matches.

    The calls have the purposes `intent` and `reply`. After its profile's `patience` of system turns it leaves without a
    word. Asked after the dialogue, it rates it.
    """

    options: ClassVar[type[SimpleUserSimOptions]] = SimpleUserSimOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 2, 3)

    def __init__(self, model: ChatModel, options: SimpleUserSimOptions = SimpleUserSimOptions()) -> None:  # noqa: B008
        """Make it from a model and its options."""
        super().__init__(model, options, "users/simple-usersim")

    @classmethod
    def build(cls, options: SimpleUserSimOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options)

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Make out the intent, and answer it."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        intent, notes, calls = await self._intent(view, state)
        return await self._say(view, state, intent, notes, calls), state
