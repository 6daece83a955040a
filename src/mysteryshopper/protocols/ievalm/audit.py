"""The leak audit: which targets of a unit were given away before anybody recommended them, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from mysteryshopper.core import Dialogue, JsonObject, Message
from mysteryshopper.datasets import Dataset, RecTurn
from mysteryshopper.items import Leak, find_leaks, user_leaks, values_with_title

KINDS: tuple[str, ...] = ("history", "named", "reply", "attribute")
"""How a target leaks.

`history`: the data links it in what was said before. `named`: its title, an alias or a misspelling of them stands in
there. `reply`: the simulated user names it before the system does. `attribute`: it stands in an attribute's answer.
"""

Leaks = dict[str, list[str]]
"""Ids of the targets given away, by kind; kinds without any are left out."""


class Audit:
    """Finds the leaks of units. What histories and answers leak is looked for once, however many systems there are."""

    def __init__(self, dataset: Dataset) -> None:
        """Make it for a data set."""
        self._dataset = dataset
        self._histories: dict[str, Leaks] = {}
        self._answers: dict[tuple[tuple[str, ...], tuple[str, ...]], Leaks] = {}

    def history(self, turn: RecTurn) -> Leaks:
        """Return the leaks `history` and `named` of what was said before a turn."""
        found = self._histories.get(turn.id)
        if found is None:
            linked = set(turn.history_items)
            named = {leak.item_id for leak in self._leaks(turn.history, turn.targets) if leak.kind != "history"}
            found = _some(
                history=[name for name in turn.targets if name in linked],
                named=[name for name in turn.targets if name in named],
            )
            self._histories[turn.id] = found
        return dict(found)

    def replies(self, dialogue: Dialogue, targets: Sequence[str]) -> Leaks:
        """Return the leaks by the simulated user of a dialogue, its prefix apart."""
        said = tuple(message for node in dialogue.nodes if node.turn > 0 for message in node.messages)
        told = {leak.item_id for leak in user_leaks(self._leaks(said, targets))}
        return _some(reply=[name for name in targets if name in told])

    def answers(self, targets: Sequence[str], asked: Sequence[str]) -> Leaks:
        """Return the leaks by answers about attributes: targets whose title stands in a value of their own."""
        key = tuple(targets), tuple(asked)
        if (found := self._answers.get(key)) is None:
            catalog = self._dataset.catalog()
            found = _some(attribute=[name for name in targets if values_with_title(catalog.get(name), asked)])
            self._answers[key] = found
        return dict(found)

    def _leaks(self, messages: Sequence[Message], targets: Sequence[str]) -> list[Leak]:
        catalog = self._dataset.catalog()
        return find_leaks(messages, [catalog.get(name) for name in dict.fromkeys(targets)], catalog)


def is_leaky(leaks: JsonObject, audit: Literal["named", "linked"]) -> bool:
    """Whether a unit leaks; with `linked` a name in the history that the data does not link is no leak."""
    return any(leaks.get(kind) for kind in KINDS if kind != "named" or audit == "named")


def _some(**kinds: list[str]) -> Leaks:
    return {kind: names for kind, names in kinds.items() if names}
