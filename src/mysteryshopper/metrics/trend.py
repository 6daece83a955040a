"""A trend over an ordered condition (a rate of noise): the mean of each cluster's own slope."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import replace

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.pairs import paired_difference


def within_slope(
    points: Iterable[tuple[float, float | None, Hashable]], level: float = 0.95, seed: int = 0
) -> Estimate:
    """Estimate the mean slope of y on x inside clusters, and test it against none.

    Each cluster with two different x or more gives the slope of its own least squares line, so that what sets clusters
    apart (a wish that is hard to meet) is no part of it. The interval is the cluster bootstrap-t of these slopes, `p`
    their two-sided sign-flip test, `detectable` the smallest true slope that so many clusters would find with 80 %
    power.

    Args:
        points: x, y (None is left out) and cluster.
        level: Confidence level.
        seed: Seed of the draws.

    Returns:
        The slope, in y for one unit of x; `n` is the number of clusters. None with a reason where no cluster has two
        different x.
    """
    members: dict[Hashable, list[tuple[float, float]]] = {}
    for x, y, cluster in points:
        if y is not None:
            members.setdefault(cluster, []).append((x, y))
    slopes = {str(name): slope for name, held in members.items() if (slope := _slope(held)) is not None}
    if not slopes:
        return Estimate(None, level=level, clusters=0, reason="no cluster has values at two different points")
    found = paired_difference(slopes, dict.fromkeys(slopes, 0.0), level=level, seed=seed)
    return replace(found.estimate, p=found.p, detectable=found.detectable)


def _slope(points: list[tuple[float, float]]) -> float | None:
    """Return the slope of the least squares line; None where all x are equal."""
    count = len(points)
    middle = math.fsum(x for x, _ in points) / count
    level = math.fsum(y for _, y in points) / count
    spread = math.fsum((x - middle) ** 2 for x, _ in points)
    if spread < 1e-12:
        return None
    return math.fsum((x - middle) * (y - level) for x, y in points) / spread
