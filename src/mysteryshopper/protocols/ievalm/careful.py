"""A user who can't give a target away: what names one is taken out before the system reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from mysteryshopper.core import Item, Message, Scenario, State, User, UserTurn, UserView
from mysteryshopper.items import Catalog, find_leaks, user_leaks
from mysteryshopper.prompts import Prompt

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True)
class CarefulUser:
    """A user whose turns lose the sentences that name a target which the system has not named before.

    One transcript is kept, and this is what stands in it. A turn of which nothing is left gets a stock sentence in its
    place. The turn's notes say how many sentences were taken out (`filtered`), and its raw text stays.

    Attributes:
        user: The user.
        targets: What must not be named.
        catalog: All items, for titles that hide others.
    """

    user: User
    targets: Sequence[Item]
    catalog: Catalog

    @property
    def sees_targets(self) -> bool:
        """Whether the user itself sees its targets."""
        return bool(getattr(self.user, "sees_targets", False))

    @property
    def instructions(self) -> tuple[str, ...]:
        """The user's own."""
        return tuple(getattr(self.user, "instructions", ()))

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the user's state before the first turn."""
        return self.user.start(scenario, rng)

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Say what the user says, as far as it names no target."""
        turn, after = await self.user.speak(view, state)
        kept = self._clean(turn.text, view.history.messages)
        if kept == turn.text:
            return turn, after
        count = len(_sentences(turn.text)) - len(_sentences(kept))
        text = kept or Prompt.load("protocols/ievalm-filtered").render().text
        notes: dict[str, Any] = {**turn.notes, "filtered": count}
        return replace(turn, text=text, notes=notes, raw=turn.raw if turn.raw is not None else turn.text), after

    def _clean(self, text: str, history: Sequence[Message]) -> str:
        if not self._names(text, ()) or not self._names(text, history):
            return text
        parts = _sentences(text)
        kept = " ".join(part for part in parts if not self._names(part, history))
        return "" if kept and self._names(kept, history) else kept

    def _names(self, text: str, history: Sequence[Message]) -> bool:
        """Whether a text, said after a history, names a target that the system has not named in it."""
        said = (*history, Message("user", text, author="simulated"))
        leaks = user_leaks(find_leaks(said, self.targets, self.catalog))
        return any(leak.message == len(said) - 1 for leak in leaks)


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part.strip()]
