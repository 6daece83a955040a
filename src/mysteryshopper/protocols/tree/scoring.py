"""One value a root: what systems and runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum

from mysteryshopper.core import Case, Score, Store, StoredDialogue
from mysteryshopper.protocols.branching import Outcome, Outcomes
from mysteryshopper.protocols.branching.scoring import Shared, shared_by
from mysteryshopper.protocols.branching.verdicts import in_order, points_of, with_forfeits
from mysteryshopper.protocols.tree.facts import forfeits, replies

_Place = tuple[Shared, tuple[str, str]]


COMPARED: Mapping[str, tuple[str, str]] = {
    "wanted_shown": ("wanted_shown_difference", "Difference in the share of a root's replies that show a wanted item."),
}
"""Scores whose paired differences a run tells: name of the metric, and what it is."""


@dataclass
class RootValues:
    """What roots tell without a judge, kept root by root."""

    lost: list[tuple[_Place, Outcome]] = field(default_factory=list)
    shown: dict[tuple[Shared, str], list[float]] = field(default_factory=dict)

    def add(self, stored: StoredDialogue) -> None:
        """Count one tree in."""
        root = stored.dialogue.root
        unit = shared_by(stored.unit, root)
        first, second = stored.unit.data["pair"]
        self.lost.extend(((unit, (first, second)), Outcome(points, root)) for _, points in forfeits(stored))
        for system in dict.fromkeys((first, second)):
            self.shown.setdefault((unit, system), [])
        for system, hit in replies(stored):
            if hit is not None:
                self.shown[unit, system].append(hit)

    def scores(self) -> Iterator[Score]:
        """Yield each system's `wanted_shown`: the share of its replies that do, of all its trees on that root."""
        for (unit, system), hits in self.shown.items():
            yield unit.score("wanted_shown", system, fsum(hits) / len(hits) if hits else None)


def tree_scores(store: Store) -> Iterator[Score]:
    """Yield every system's scores on every root.

    `root_win_rate (judge, criterion)` is the mean over its opponents of the root's mean against each, itself left out;
    then `wanted_shown`.
    """
    roots = RootValues()
    for stored in store.dialogues():
        roots.add(stored)
    judged = with_forfeits(points_of(store, 0, _place), roots.lost, store.plan.judges)
    for judge, criterion in in_order(judged):
        for (unit, system), value in _by_system(judged[judge, criterion]).items():
            yield unit.score(f"root_win_rate ({judge}, {criterion})", system, value)
    yield from roots.scores()


def _place(case: Case) -> _Place:
    first, second = case.data["pair"]
    return Shared.of(case), (first, second)


def _by_system(places: dict[_Place, Outcomes]) -> dict[tuple[Shared, str], float | None]:
    """Return each system's mean over its opponents, root by root; None where nothing could be told."""
    against: dict[tuple[Shared, str], list[float]] = {}
    for (unit, (first, second)), outcomes in places.items():
        if first == second:
            continue
        value = outcomes.plain
        for system, points in ((first, value), (second, None if value is None else 1 - value)):
            held = against.setdefault((unit, system), [])
            held.extend(() if points is None else (points,))
    return {key: fsum(held) / len(held) if held else None for key, held in against.items()}
