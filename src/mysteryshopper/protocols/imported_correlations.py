"""Correlations of values that come in clusters: several dialogues of one person are not independent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import kendall, pearson, spearman

Floats = NDArray[np.float64]

STATISTICS: Mapping[str, Callable[..., Estimate]] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
"""Correlations by name."""

_FEWEST = 10
_WORK = 1_000_000
_GROUPS = 50


def correlate(
    statistic: str, x: Sequence[float], y: Sequence[float], clusters: Sequence[str], level: float = 0.95
) -> Estimate:
    """Estimate a correlation over pairs, with an interval that allows for clusters.

    Where each pair is its own cluster, the interval is that of `metrics.correlation`. Else it is the jackknife's:
    clusters are left out in turn, and the spread of Fisher's z over them gives its standard error (Student's t at their
    number less one; Efron and Stein, 1981). For much data clusters are left out in groups, dealt in order of
    appearance. Kendall's tau gets no interval then.

    Args:
        statistic: A name of `STATISTICS`.
        x: One side.
        y: The other.
        clusters: The cluster of each pair.
        level: Confidence level.

    Returns:
        The estimate; undefined as in `metrics.correlation`, and without an interval under 10 clusters.
    """
    found = STATISTICS[statistic](x, y, level)
    names = list(dict.fromkeys(clusters))
    found = replace(found, clusters=len(names))
    if len(names) == len(clusters) or found.value is None or found.low is None:
        return found
    if len(names) < _FEWEST or statistic == "kendall":
        reason = (
            f"too few clusters for an interval: {len(names)}, at least {_FEWEST} are needed"
            if len(names) < _FEWEST
            else "no interval for clustered pairs"
        )
        return replace(found, low=None, high=None, method="", reason=reason)
    error = _jackknife(statistic, np.array(x, float), np.array(y, float), clusters, names)
    if error is None:
        return replace(found, low=None, high=None, method="", reason="the clusters do not vary enough for an interval")
    from scipy.stats import t  # here, not above: scipy takes long to import

    deviation, groups = error
    half = float(t.ppf((1 + level) / 2, groups - 1)) * deviation
    low, high = math.tanh(math.atanh(found.value) - half), math.tanh(math.atanh(found.value) + half)
    return replace(found, low=low, high=high, method="fisher z, jackknife over clusters")


def _jackknife(
    statistic: str, x: Floats, y: Floats, clusters: Sequence[str], names: Sequence[str]
) -> tuple[float, int] | None:
    """Return the standard error of z and the number of groups left out; None where it is undefined."""
    groups = min(len(names), max(_GROUPS, _WORK // len(x)))
    group_of = {name: place % groups for place, name in enumerate(names)}
    member = np.array([group_of[name] for name in clusters])
    sides = [np.unique(side, return_inverse=True)[1] for side in (x, y)]
    values = []
    for group in range(groups):
        stays = member != group
        if statistic == "spearman":
            value = _product_moment(*(_ranks(side[stays]) for side in sides))
        else:
            value = _product_moment(x[stays], y[stays])
        if value is None or abs(value) >= 1:
            return None
        values.append(math.atanh(value))
    spread = np.array(values)
    return math.sqrt((groups - 1) / groups * float(((spread - spread.mean()) ** 2).sum())), groups


def _ranks(codes: NDArray[np.intp]) -> Floats:
    """Return the ranks of values given by their places in order, equals sharing their mean rank."""
    counts = np.bincount(codes)
    middle: Floats = np.cumsum(counts) - (counts - 1) / 2
    return middle[codes]


def _product_moment(x: Floats, y: Floats) -> float | None:
    x, y = x - x.mean(), y - y.mean()
    norm = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / norm if norm > 0 else None
