"""How far one number tells two groups apart, without a threshold."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.checks import known
from mysteryshopper.metrics.intervals import around

Floats = NDArray[np.float64]

_EMPTY = "one of the two groups has no value"


def separation(
    lower: Sequence[float | None],
    higher: Sequence[float | None],
    lower_clusters: Sequence[Hashable],
    higher_clusters: Sequence[Hashable],
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the area under the ROC curve: how often a value of `higher` exceeds one of `lower`, ties counting half.

    It is the Mann-Whitney statistic over the product of both sizes: 1 where every value of `higher` exceeds every one
    of `lower`, 0.5 where the number says nothing. The interval is a bootstrap-t over jackknife pseudo-values, one a
    cluster; both groups may hold values of one cluster.

    Args:
        lower: Values of the group that should lie lower; None is left out.
        higher: Values of the other.
        lower_clusters: The cluster of each.
        higher_clusters: The cluster of each.
        level: Confidence level.
        seed: Seed of the bootstrap.

    Returns:
        The area, `n` counting the values of both; None where a group has no value.
    """
    low, low_names = known(lower, lower_clusters)
    high, high_names = known(higher, higher_clusters)
    n = len(low) + len(high)
    if not low or not high:
        return Estimate(None, n=n, clusters=0, level=level, reason=_EMPTY)
    ones, others = np.array(low), np.array(high)
    above = _below(ones, others)
    under = len(others) - _below(others, ones)
    total = float(above.sum())
    value = total / (len(ones) * len(others))
    without = []
    members: dict[Hashable, tuple[list[int], list[int]]] = {}
    for side, named in enumerate((low_names, high_names)):
        for place, name in enumerate(named):
            members.setdefault(name, ([], []))[side].append(place)
    for mine, theirs in members.values():
        left = (len(ones) - len(mine)) * (len(others) - len(theirs))
        both = _below(ones[mine], others[theirs]).sum() if mine and theirs else 0.0
        rest = total - under[mine].sum() - above[theirs].sum() + both
        without.append(float(rest / left) if left else value)
    count = len(members)
    pseudo = [count * value - (count - 1) * one for one in without]
    return around(value, pseudo, None, n, level, seed, (0.0, 1.0))


def _below(sample: Floats, points: Floats) -> Floats:
    """Return for each point how many of the sample lie below it, equal ones counting half."""
    ordered = np.sort(sample)
    strictly = np.searchsorted(ordered, points, "left")
    found: Floats = (strictly + np.searchsorted(ordered, points, "right")) / 2
    return found
