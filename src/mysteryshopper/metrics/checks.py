"""What metrics check before they count: lengths, shared ids, missing values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from mysteryshopper.core import ConfigError, DataError

A = TypeVar("A")
B = TypeVar("B")

_NAMED = 5
"""Ids named in a message before it only counts them."""


def same_length(first: Sequence[object], second: Sequence[object], names: str) -> None:
    """Raise unless two sequences are equally long.

    Raises:
        DataError: They are not; `names` says what they are.
    """
    if len(first) != len(second):
        raise DataError(f"{names} must pair up one to one, but there are {len(first)} and {len(second)} of them.")


def align(first: Mapping[str, A], second: Mapping[str, B]) -> tuple[list[str], list[A], list[B]]:
    """Pair two tables by id.

    Returns:
        The ids in sorted order, and the values of both in that order.

    Raises:
        DataError: An id is in one table only; the message names it.
    """
    if first.keys() != second.keys():
        lacking = [_lacking("first", second.keys() - first.keys()), _lacking("second", first.keys() - second.keys())]
        raise DataError(
            f"{len(first)} values can't be compared with {len(second)}: {' and '.join(filter(None, lacking))}. "
            "Give both the same ids, or leave those out of both."
        )
    ids = sorted(first)
    return ids, [first[name] for name in ids], [second[name] for name in ids]


def _lacking(which: str, ids: set[str]) -> str:
    if not ids:
        return ""
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"the {which} lacks {', '.join(sorted(ids)[:_NAMED])}{more}"


def known(
    values: Sequence[float | bool | None], clusters: Sequence[Hashable] | None
) -> tuple[list[float], list[Hashable]]:
    """Return the values that are not None as floats, and the cluster of each (its place, where none are given).

    Raises:
        DataError: There are not as many clusters as values, or a value is no finite number.
    """
    if clusters is not None:
        same_length(values, clusters, "values and clusters")
    named: Sequence[Hashable] = range(len(values)) if clusters is None else clusters
    kept = [value for value in values if value is not None]
    clusters_kept = list(named)
    if len(kept) < len(clusters_kept):
        clusters_kept = [cluster for value, cluster in zip(values, named, strict=True) if value is not None]
    numbers = list(map(float, kept))
    if not all(map(math.isfinite, numbers)):
        raise DataError("A value is infinite or no number: leave it out as None and say why.")
    return numbers, clusters_kept


def at_least_one(k: int) -> None:
    """Raise unless a cut-off is a positive number.

    Raises:
        ConfigError: It is not.
    """
    if k < 1:
        raise ConfigError(f"a cut-off must be 1 or more, got {k}", key="k")


def no_text(*lists: object) -> None:
    """Raise if a text stands where a list of items belongs.

    Raises:
        DataError: One of them is a text.
    """
    for one in lists:
        if isinstance(one, str | bytes):
            raise DataError(f"Items come as a list, but got the text {one[:40]!r}: put the item in a list of its own.")
