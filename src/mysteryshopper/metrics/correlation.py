"""Correlations of paired values, ties handled; undefined where one side is constant.

Pairs in which either value is None are left out. Intervals are for independent pairs, on Fisher's z scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.checks import known, same_length

Floats = NDArray[np.float64]


def pearson(x: Sequence[float | None], y: Sequence[float | None], level: float = 0.95) -> Estimate:
    """Estimate the linear correlation; standard error of z: 1 / sqrt(n - 3) (Fisher, 1921).

    Returns:
        A value in [-1, 1]; None for fewer than two pairs or a constant side. No interval for fewer than 4 pairs.

    Raises:
        DataError: The sides are not equally long.
    """
    first, second = _pairs(x, y)
    return _estimate(_product_moment(first, second), len(first), level, "fisher z", 3, 1.0)


def spearman(x: Sequence[float | None], y: Sequence[float | None], level: float = 0.95) -> Estimate:
    """Estimate the rank correlation: Pearson's of the ranks, equals sharing their mean rank.

    The standard error of z is sqrt((1 + r² / 2) / (n - 3)) (Bonett and Wright, 2000). Arguments and undefined cases
    as in `pearson`.
    """
    from scipy.stats import rankdata

    first, second = _pairs(x, y)
    value = _product_moment(rankdata(first), rankdata(second)) if len(first) else None
    return _estimate(value, len(first), level, "fisher z, bonett-wright", 3, 1 + (value or 0) ** 2 / 2)


def kendall(x: Sequence[float | None], y: Sequence[float | None], level: float = 0.95) -> Estimate:
    """Estimate Kendall's tau-b, which allows for ties.

    The standard error of z is sqrt(0.437 / (n - 4)) (Fieller, Hartley and Pearson, 1957). Arguments and undefined cases
    as in `pearson`; no interval for fewer than 5 pairs.
    """
    from scipy.stats import kendalltau

    first, second = _pairs(x, y)
    varied = len(first) > 1 and np.ptp(first) > 0 and np.ptp(second) > 0
    value = _clip(float(kendalltau(first, second).statistic)) if varied else None
    return _estimate(value, len(first), level, "fisher z, fieller", 4, 0.437)


def _pairs(x: Sequence[float | None], y: Sequence[float | None]) -> tuple[Floats, Floats]:
    same_length(x, y, "the two sides of a correlation")
    both = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    first, second = known([a for a, _ in both], None)[0], known([b for _, b in both], None)[0]
    return np.array(first), np.array(second)


def _product_moment(x: Floats, y: Floats) -> float | None:
    centred = [_centred(side) for side in (x, y)]
    norms = [float(np.linalg.norm(side)) for side in centred]
    return _clip(float(centred[0] @ centred[1]) / (norms[0] * norms[1])) if all(norms) else None


def _centred(side: Floats) -> Floats:
    """Return the side minus its mean, scaled so that squares neither overflow nor vanish; zeros if it is constant."""
    if len(side) == 0 or side.max() == side.min():
        return np.zeros_like(side)
    scaled = side / np.abs(side).max()
    moved: Floats = scaled - scaled.mean()
    largest = float(np.abs(moved).max())
    return moved / largest if largest > 1e-12 else np.zeros_like(side)


def _clip(value: float) -> float:
    """Return the value, exactly 1 or -1 where only rounding keeps it off (or beyond)."""
    return math.copysign(1.0, value) if abs(value) > 1 - 1e-12 else value


def _estimate(value: float | None, n: int, level: float, method: str, lost: int, variance: float) -> Estimate:
    """Return a correlation of n pairs with its interval: on the z scale the variance is `variance` / (n - `lost`)."""
    if value is None:
        reason = "fewer than two pairs" if n < 2 else "one side is constant"
        return Estimate(None, n=n, level=level, reason=reason)
    if n <= lost or abs(value) == 1.0:
        reason = (
            "both sides order the pairs fully alike or fully opposed, which tells no spread"
            if n > lost
            else "too few pairs for an interval"
        )
        return Estimate(value, n=n, level=level, reason=reason)
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance / (n - lost))
    z = math.atanh(value)
    low, high = math.tanh(z - half), math.tanh(z + half)
    return Estimate(value, min(low, value), max(high, value), n, None, level, method)
