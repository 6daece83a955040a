"""`dual-prompt`: whether to go on is a call of its own; then comes the message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from mysteryshopper.core import ChatModel, ChatRequest, Json, Parts, State, UserTurn, UserView
from mysteryshopper.reading import read_choice, strip_reasoning
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, cut_notes, out_of_patience
from mysteryshopper.users.showing import taken
from mysteryshopper.users.styles import style_notes

_CONTINUE = "continue"
_ENDS: Mapping[str, Literal["done", "gave_up"] | None] = {_CONTINUE: None, "satisfied": "done", "give up": "gave_up"}
"""Decisions by the name under which the prompt asks for them, and how each ends the dialogue."""


class DualPromptOptions(PromptedOptions):
    """Options of `dual-prompt`."""


class DualPromptUser(PromptedUser):
    """A user that decides in a call of its own whether to continue, is satisfied or gives up, and then words it.

    After UserSimCRS v2 (dual-prompt), with three differences: both calls see the whole dialogue, the person's own turns
    included; to be satisfied and to give up are told apart; and a decision that can't be read is asked for once more,
    and then taken for `continue`, which the turn's notes tell. Nothing is decided before the system has said something.
    The notes hold `stop`: the decision, and the status of its reading.

    The calls have the purposes `stop` and `reply`. A decision stands when the message is asked for once more. After its
    profile's `patience` of system turns it leaves without a word. Asked after the dialogue, it rates it.
    """

    options: ClassVar[type[DualPromptOptions]] = DualPromptOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 2, 3)

    def __init__(self, model: ChatModel, options: DualPromptOptions = DualPromptOptions()) -> None:  # noqa: B008
        """Make it from a model, which decides and writes, and its options."""
        super().__init__(model, options, "users/dual-prompt")

    @classmethod
    def build(cls, options: DualPromptOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options)

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Decide, and write the next message."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        decision, notes, calls = await self._decide(view, state)
        reply = await self._model.chat(self._request(view, state, decision=decision), view.address.to(purpose="reply"))
        said, cut = strip_reasoning(reply.text or "")
        text = said.strip()
        end = _ENDS[decision]
        turn = UserTurn(
            text=text,
            action=decision,
            thought=reply.reasoning or "",
            accepts=taken(view, text) if end == "done" else (),
            end=end,
            notes={**style_notes(view.scenario.profile.style), **notes, **cut_notes(reply, cut)},
            prompt=self._prompt.label,
            calls=(*calls, reply.call) if reply.call else calls,
            raw=reply.text if reply.text != text else None,
        )
        return turn, state

    async def _decide(self, view: UserView, state: State) -> tuple[str, dict[str, Json], tuple[str, ...]]:
        """Return the decision, what is noted of it, and the calls behind it."""
        if all(message.side == "user" for message in view.history.messages):
            return _CONTINUE, {}, ()

        def ask(unread: str) -> ChatRequest:
            return self._request(view, state, "stop-", choices=tuple(_ENDS), unread=unread)

        # The attempt of the turn is no part of the address: a decision is not drawn anew because the words were faulty.
        reading, calls = await self._read_twice(
            ask, lambda reply: read_choice(reply, tuple(_ENDS)), view.address.to(purpose="stop")
        )
        return reading.value or _CONTINUE, {"stop": {"decision": reading.value, "status": reading.status}}, calls
