"""Label recall and its kin: values of targets by where they stand, and what a unit's are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import TypeVar

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import expected_gain, expected_reciprocal_rank, expected_within, success_rate
from mysteryshopper.protocols.ievalm.options import Ties
from mysteryshopper.protocols.ievalm.readings import Reading
from mysteryshopper.protocols.positions import Position, any_within, expected_any

T = TypeVar("T")

_LABELS: tuple[tuple[str, str, Callable[[Position, int], float], Callable[[int, int, int], float]], ...] = (
    ("label_recall", "Labels within the first {k}", Position.within, expected_within),
    ("label_mrr", "1/rank of a label within the first {k}, else 0", Position.reciprocal, expected_reciprocal_rank),
    ("label_ndcg", "1/log2(rank+1) of a label within the first {k}, else 0", Position.gain, expected_gain),
)
"""Name, what it is in words, its value with ties ordered by id, and its expectation over their random order."""

FAULTS = "a unit that failed by the system's fault counts as a miss, other failures are left out"
_RANDOM = "equal scores at the expectation of a random order"
_BY_ID = "equal scores ordered by ascending id"


class Listed:
    """One list of many units, by the rule for ties: `ranked`, or what was `shown`."""

    def __init__(
        self, units: Sequence[Reading], name: str, deepest: int, ties: Ties, *, turn: int | None = None
    ) -> None:
        """Read the list that counts of each unit, or the last one up to `turn`."""
        self._ties = ties
        self._units = [unit for unit in units if unit.targets]
        self._found = [
            unit.positions(name, deepest, ties) if turn is None else unit.by_turn(name, turn) for unit in self._units
        ]
        pairs = list(zip(self._units, self._found, strict=True))
        self._places = [place for unit, found in pairs for place in found or (None,) * unit.targets]
        self._faults = [unit.fault for unit in self._units for _ in range(unit.targets)]
        self._clusters = [unit.cluster for unit in self._units for _ in range(unit.targets)]

    def numbers(self, ks: Sequence[int], where: str = "") -> Iterator[tuple[str, Estimate, str]]:
        """Yield name, estimate and definition of recall, reciprocal rank and gain by label, and of any hit by unit."""
        rule = _BY_ID if self._ties == "id" else _RANDOM
        for name, formula, _, _ in _LABELS:
            for k in ks:
                words = f"{formula.format(k=k)}{where}: mean over target labels; {FAULTS}; {rule}."
                yield f"{name}@{k}", self.label(name, k), words
        for k in ks:
            words = f"Units with any label within the first {k}{where}: mean over units with a label; {FAULTS}; {rule}."
            yield f"any_hit@{k}", self.any_hit(k), words
        if self._ties == "id":
            for k in ks:
                words = f"{_LABELS[0][1].format(k=k)}{where}: mean over target labels; {FAULTS}; {_RANDOM}."
                yield f"label_recall_expected@{k}", self.label("label_recall", k, "expected"), words

    def label(self, name: str, k: int, ties: Ties | None = None) -> Estimate:
        """Return the mean over labels of one score."""
        values = _scored(label_score(name, ties or self._ties), self._places, k)
        return success_rate(zip(values, self._faults, strict=True), self._clusters).estimate

    def any_hit(self, k: int) -> Estimate:
        """Return the share of units with any target among the first k."""
        values = _scored(any_within if self._ties == "id" else expected_any, self._found, k)
        faults = (unit.fault for unit in self._units)
        return success_rate(zip(values, faults, strict=True), [unit.cluster for unit in self._units]).estimate


def unit_values(
    unit: Reading, name: str, ks: Sequence[int], ties: Ties, deepest: int
) -> Iterator[tuple[str, float | None]]:
    """Yield a unit's own recall (mean over its labels) and any hit at every k; None without labels or with a fault.

    They are read at the first turn with a label within `deepest`. With the system's fault the value is 0: crashing
    never pays.
    """
    found = unit.positions(name, deepest, ties)
    rule = any_within if ties == "id" else expected_any
    score = label_score("label_recall", ties)
    for k in ks:
        if unit.fault == "system" and unit.targets:
            yield from ((f"label_recall@{k}", 0.0), (f"any_hit@{k}", 0.0))
        elif found:
            yield f"label_recall@{k}", fsum(score(place, k) for place in found) / len(found)
            yield f"any_hit@{k}", rule(found, k)
        else:
            yield from ((f"label_recall@{k}", None), (f"any_hit@{k}", None))


def label_score(name: str, ties: Ties) -> Callable[[Position, int], float]:
    """Return the score of one label by where it stands and a depth: `label_recall`, `label_mrr` or `label_ndcg`."""
    by_id, expected = next((by_id, expected) for known, _, by_id, expected in _LABELS if known == name)
    return by_id if ties == "id" else lambda place, k: place.expected(expected, k)


def _scored(score: Callable[[T, int], float], places: Sequence[T | None], k: int) -> list[float | None]:
    """Return the score of each place, of equal ones taken once; None where there is none."""
    known = {place: None if place is None else score(place, k) for place in set(places)}
    return [known[place] for place in places]
