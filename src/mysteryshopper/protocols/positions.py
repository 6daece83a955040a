"""Where targets stand in a ranking with ties: all that is needed to score it at any k, under any rule for ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, log2
from typing import NamedTuple

from mysteryshopper.core import Json, Scored
from mysteryshopper.metrics import better_and_tied, equals_before


class Position(NamedTuple):  # made and looked up by the hundred thousand, which it does in C
    """Where one target stands.

    Attributes:
        rank: Its place from 1 when ties are ordered by id (ascending, integers as integers); None if not ranked.
        better: How many items have a strictly higher score.
        tied: How many others share its score.
    """

    rank: int | None
    better: int
    tied: int

    def within(self, k: int) -> float:
        """1.0 if it is among the first k with ties ordered by id, else 0.0."""
        return float(self.rank is not None and self.rank <= k)

    def reciprocal(self, k: int) -> float:
        """1/rank within the first k with ties ordered by id, else 0.0."""
        return 1 / self.rank if self.rank is not None and self.rank <= k else 0.0

    def gain(self, k: int) -> float:
        """1/log2(rank + 1) within the first k with ties ordered by id, else 0.0."""
        return 1 / log2(self.rank + 1) if self.rank is not None and self.rank <= k else 0.0

    def expected(self, formula: Callable[[int, int, int], float], k: int) -> float:
        """The expectation of a score at depth k when ties are in random order; 0.0 if it is not ranked.

        Args:
            formula: `metrics.expected_within`, `expected_reciprocal_rank` or `expected_gain`.
            k: Depth.
        """
        return 0.0 if self.rank is None else formula(self.better, self.tied, k)

    def to_json(self) -> list[Json]:
        """Return it as `[rank, better, tied]`."""
        return [self.rank, self.better, self.tied]

    @classmethod
    def from_json(cls, value: Sequence[Json]) -> Position:
        """Read it back."""
        return cls(*value)


def positions(ranking: Sequence[Scored], targets: Sequence[str]) -> list[Position]:
    """Return the position of each target, in their order.

    `ranking` may hold more than k items: a ranker returns all that tie with its last, so that ties can be counted.
    """
    scores = {scored.id: scored.score for scored in ranking}
    found: list[Position] = []
    for target, place in zip(targets, better_and_tied(scores, targets), strict=True):
        if place is None:
            found.append(Position(None, len(ranking), 0))
        else:
            better, tied = place
            found.append(Position(better + 1 + (equals_before(scores, target) if tied else 0), better, tied))
    return found


def any_within(found: Sequence[Position], k: int) -> float:
    """Return 1.0 if any of several targets is among the first k with ties ordered by id, else 0.0."""
    return max((position.within(k) for position in found), default=0.0)


def expected_any(found: Sequence[Position], k: int) -> float:
    """Return the probability that any of several targets of one ranking is among the first k, ties in random order.

    With t items tied across the cut, r of them targets and m places left for them, it is 1 - C(t-r, m) / C(t, m); the
    same as `metrics.expected_hit_at`, from positions.
    """
    reached = [place for place in found if place.rank is not None and place.better < k]
    if not reached:
        return 0.0
    if any(place.better + place.tied < k for place in reached):
        return 1.0
    size, free = reached[0].tied + 1, k - reached[0].better
    return 1.0 - comb(size - len(reached), free) / comb(size, free)
