"""`target-free`: has a taste and no target; thinks about what it is shown, and tells of itself little by little."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Self

from mysteryshopper.core import ChatModel, ChatRequest, Parts, Scenario, State, UserTurn, UserView
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, cut_notes, out_of_patience
from mysteryshopper.users.showing import just_shown


class TargetFreeOptions(PromptedOptions):
    """Options of `target-free`."""


class TargetFreeUser(PromptedUser):
    """A user with a taste instead of a target, so that there is nothing it could give away.

    After PEPPER: a model sums the taste up once, from what the profile likes, dislikes, has seen and wishes for; each
    turn it first says what it likes and dislikes about what was just shown, and then words a message that tells a
    little more. The wording is ours, and what items are about it only knows from their titles and from the talk.

    It is not told which items are wanted, takes none, and never ends the dialogue, but for the `patience` of its
    profile: what it is served is measured by preference coverage, not by success. Its state holds the seed of its fence
    and the `taste`. The calls have the purposes `taste`, `reflect` and `reply`. Asked after the dialogue, it rates it.
    """

    options: ClassVar[type[TargetFreeOptions]] = TargetFreeOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 2, 3)

    def __init__(self, model: ChatModel, options: TargetFreeOptions = TargetFreeOptions()) -> None:  # noqa: B008
        """Make it from a model and its options."""
        super().__init__(model, options, "users/target-free")

    @classmethod
    def build(cls, options: TargetFreeOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options)

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state, in which the taste has not been summed up yet."""
        return {**super().start(scenario, rng), "taste": ""}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Sum the taste up if need be, think, and write the next message."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        calls: list[str] = []
        if not state["taste"]:
            state = {**state, "taste": await self._ask(view, state, "taste", calls)}
        titles = _titles(view)
        opinion = await self._ask(view, state, "reflect", calls, titles=titles) if titles else ""
        request = self._request(view, state, titles=titles, opinion=opinion)
        reply = await self._model.chat(request, view.address.to(purpose="reply"))
        said, cut = strip_reasoning(reply.text or "")
        text = said.strip()
        turn = UserTurn(
            text=text,
            thought=opinion,
            notes=cut_notes(reply, cut),
            prompt=self._prompt.label,
            calls=(*calls, reply.call) if reply.call else tuple(calls),
            raw=reply.text if reply.text != text else None,
        )
        return turn, state

    async def _ask(self, view: UserView, state: State, part: str, calls: list[str], **more: Any) -> str:
        """Return what the model says on one part, on one line.

        The attempt of the turn is no part of the address: what it thinks does not change with a faulty wording.
        """
        reply = await self._model.chat(
            self._request(view, state, f"{part}-", **more), view.address.to(purpose=part, attempt=0)
        )
        calls += [reply.call] if reply.call else []
        return " ".join(strip_reasoning(reply.text or "")[0].split())

    def _request(
        self, view: UserView, state: State, part: str = "", *, choices: Sequence[str] = (), **more: Any
    ) -> ChatRequest:
        """Return the request for one part of the prompt."""
        values = {"titles": [], "opinion": "", **more, "taste": state["taste"]}
        return super()._request(view, state, part, choices=choices, **values)


def _titles(view: UserView) -> list[str]:
    """Return the titles just shown, each once."""
    items = (shown.item for shown in just_shown(view) if shown.item.title)
    return list(dict.fromkeys(f"{item.title} ({item.year})" if item.year else item.title for item in items))
