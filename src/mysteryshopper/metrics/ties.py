"""Rankings with ties: what to expect of a random order among equals, and the order by id that papers used.

The expectation is the default: it depends on scores alone, never on the names of items.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from mysteryshopper.core import DataError, Scored
from mysteryshopper.metrics.checks import at_least_one, no_text

I = TypeVar("I", bound=Hashable)  # noqa: E741 - an item

_INTEGER = re.compile(r"-?[0-9]{1,4000}")
_SCORE = itemgetter(1)  # of a `Scored`, a tuple


def better_and_tied(scores: Mapping[I, float], items: Iterable[I]) -> list[tuple[int, int] | None]:
    """Return for each item how many others score better and how many others score the same.

    Args:
        scores: Score by item, higher is better.
        items: The items asked about.

    Returns:
        One pair an item, in order; None for an item without a score, which is ranked nowhere.

    Raises:
        DataError: A score is no number.
    """
    sizes = Counter(scores.values())
    if any(math.isnan(score) for score in sizes):
        raise DataError("A score is no number (NaN), so its item has no rank: leave the item out.")
    better: dict[float, int] = {}
    before = 0
    for score in sorted(sizes, reverse=True):
        better[score] = before
        before += sizes[score]
    return [(better[scores[item]], sizes[scores[item]] - 1) if item in scores else None for item in items]


def expected_within(better: int, tied: int, k: int) -> float:
    """Return the probability that an item is among the first k when equals stand in random order.

    This is the expectation of label-level recall for one label.

    Args:
        better: How many others score better.
        tied: How many others score the same.
        k: Cut-off.
    """
    at_least_one(k)
    return min(1.0, max(0, k - better) / (tied + 1))


def expected_reciprocal_rank(better: int, tied: int, k: int) -> float:
    """Return the expectation of 1 / rank (0 beyond the first k) in random order among equals; see `expected_within`."""
    at_least_one(k)
    return math.fsum(1 / rank for rank in _ranks_within(better, tied, k)) / (tied + 1)


def expected_gain(better: int, tied: int, k: int) -> float:
    """Return the expectation of 1 / log2(rank + 1) (0 beyond the first k) in random order among equals."""
    at_least_one(k)
    return math.fsum(1 / math.log2(rank + 1) for rank in _ranks_within(better, tied, k)) / (tied + 1)


def expected_recall_at(scores: Mapping[I, float], relevant: Collection[I], k: int) -> float | None:
    """Return the expectation of `recall_at` when equals stand in random order; None where nothing is relevant.

    A relevant item without a score counts as not found.
    """
    at_least_one(k)
    no_text(relevant)
    wanted = set(relevant)
    places = better_and_tied(scores, wanted)
    return math.fsum(expected_within(*place, k) for place in places if place) / len(wanted) if wanted else None


def expected_hit_at(scores: Mapping[I, float], relevant: Collection[I], k: int) -> float | None:
    """Return the probability that any relevant item is among the first k when equals stand in random order.

    With t items tied across the cut, r of them relevant and m places left for them, it is 1 - C(t-r, m) / C(t, m).

    Args:
        scores: Score by item, higher is better.
        relevant: The relevant items; one without a score is never found.
        k: Cut-off.

    Returns:
        The probability; None where nothing is relevant.
    """
    at_least_one(k)
    no_text(relevant)
    wanted = set(relevant)
    if not wanted:
        return None
    places = [place for place in better_and_tied(scores, wanted) if place is not None and place[0] < k]
    if any(better + tied < k for better, tied in places):
        return 1.0
    if not places:
        return 0.0
    better, tied = places[0]  # all that are left stand in the one group of equals across the cut
    size, found, free = tied + 1, len(places), k - better
    missed = 1.0
    for place in range(min(found, free)):
        missed *= max(0, size - max(found, free) - place) / (size - place)
    return 1.0 - missed


def order_by_id(scored: Iterable[Scored], first: int | None = None) -> list[str]:
    """Return ids by score, best first, equals by ascending id (`ties: id`); only the `first` of them, where given.

    Ids that are whole numbers are compared as numbers and stand before all others; `7` stands before `007`.
    """
    order: list[str] = []
    for _, group in groupby(sorted(scored, key=_SCORE, reverse=True), key=_SCORE):
        equals = [one.id for one in group]
        order += equals if len(equals) == 1 else sorted(equals, key=_id_key)
        if first is not None and len(order) >= first:
            break
    return order[:first]


def equals_before(scores: Mapping[str, float], item: str) -> int:
    """Count the items that share the score of one and stand before it in the order of `order_by_id`."""
    own, key = scores[item], _id_key(item)
    return sum(_id_key(name) < key for name, score in scores.items() if score == own)


@lru_cache(maxsize=1 << 16)
def _id_key(name: str) -> tuple[bool, int, int, str]:
    number = _INTEGER.fullmatch(name) is not None
    return (not number, int(name) if number else 0, len(name) if number else 0, name)


def _ranks_within(better: int, tied: int, k: int) -> range:
    return range(better + 1, min(better + tied + 1, k) + 1)
