"""Judges' words on pairs as points of one side, by where each pair belongs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import groupby
from math import fsum
from typing import Literal, Protocol, TypeVar

from mysteryshopper.core import Case, Store
from mysteryshopper.judges.observing import Observation, observe
from mysteryshopper.protocols.branching.outcomes import Outcome, Outcomes

P = TypeVar("P", bound=Hashable)

Key = tuple[str, str]
"""Judge and criterion."""

OVERALL = "overall"
"""The criterion that a judge's headline is taken from, where it has one; else its first."""


class Counter(Protocol):
    """Something that counts the observations of one case in."""

    def add(self, observations: Sequence[Observation]) -> None:
        """Count them in."""
        ...


def points_of(
    store: Store, side: Literal[0, 1], place: Callable[[Case], P], counters: Iterable[Counter] = ()
) -> dict[Key, dict[P, Outcomes]]:
    """Return the points of one exhibit of every pair that is no control, by judge and criterion, and by place.

    1 where it is preferred in both orders, 0 where the other one is, 0.5 for ties and orders that disagree, None where
    that could not be judged or read. Repeats of one judge count as their mean, so that a pair weighs the same however
    often it was judged. Verdicts are read once, streaming.

    Args:
        store: What the run left.
        side: Whose points.
        place: Where a case belongs.
        counters: What else counts the observations, controls included.
    """
    found: dict[Key, dict[P, Outcomes]] = {}
    missed = {(one.judge, one.case.id): one.case for one in store.unjudged()}

    def put(key: Key, case: Case, value: float | None) -> None:
        where = found.setdefault(key, {}).setdefault(place(case), Outcomes())
        where.add(Outcome(value, str(case.data["cluster"])))

    for _, verdicts in groupby(store.verdicts(messages=False), key=lambda stored: stored.case.id):
        seen = [(stored.case, one) for stored in verdicts for one in observe(stored)]
        for counter in counters:
            counter.add([one for _, one in seen])
        again: dict[Key, tuple[Case, list[float]]] = {}
        for case, one in seen:
            missed.pop((one.judge, case.id), None)  # another repeat failed: the pair is judged all the same
            if not case.control and one.sort == "pair":
                read = again.setdefault((one.judge, one.criterion.name), (case, []))[1]
                if (second := one.outcome) is not None:
                    read.append(second if side else 1 - second)
        for key, (case, points) in again.items():
            put(key, case, fsum(points) / len(points) if points else None)
    for (judge, _), case in missed.items():
        if not case.control and len(case.exhibits) == 2:
            for criterion in case.criteria:
                put((judge, criterion.name), case, None)
    return found


def with_forfeits(
    judged: Mapping[Key, Mapping[P, Outcomes]], forfeits: Iterable[tuple[P, Outcome]], judges: Iterable[str]
) -> dict[Key, dict[P, Outcomes]]:
    """Return the outcomes with those that needed no judge, which count the same for every judge and criterion.

    A judge that ruled on nothing, as one side never answered, has them too, as its overall: crashing never pays.
    """
    lost = list(forfeits)
    settled = any(outcome.value is not None for _, outcome in lost)
    asked = {judge for judge, _ in judged}
    silent: dict[Key, Mapping[P, Outcomes]] = {(name, OVERALL): {} for name in judges if settled and name not in asked}
    whole: dict[Key, dict[P, Outcomes]] = {}
    for key, places in {**judged, **silent}.items():
        held = whole[key] = {place: Outcomes([*outcomes.held]) for place, outcomes in places.items()}
        for place, outcome in lost:
            held.setdefault(place, Outcomes()).add(outcome)
    return whole


def in_order(keys: Iterable[Key]) -> list[Key]:
    """Return judges and criteria as they came, but each judge's headline before its other criteria."""
    found = list(keys)
    judges = list(dict.fromkeys(judge for judge, _ in found))
    return sorted(found, key=lambda key: (judges.index(key[0]), key[1] != OVERALL))


def headlines(keys: Iterable[Key]) -> list[Key]:
    """Return each judge with the criterion of its headline."""
    firsts: dict[str, Key] = {}
    for key in in_order(keys):
        firsts.setdefault(key[0], key)
    return list(firsts.values())
