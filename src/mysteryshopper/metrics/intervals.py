"""Proportions and means with intervals that know about clusters.

A cluster holds values that depend on each other: repeats of one user, nodes of one tree root, labels of one dialogue.
Values that are None are left out; what is undefined is None with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import NormalDist

from mysteryshopper.core import DataError, Estimate
from mysteryshopper.metrics.checks import known
from mysteryshopper.metrics.resampling import (
    FEWEST_CLUSTERS,
    bootstrap_t,
    cluster_sums,
    distinct_from_commonest,
    effective_clusters,
    standard_error,
)

NOTHING = "nothing to count"
_FLAT = "the clusters do not vary enough for an interval"
_FEWEST_DIFFERING = 2


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion of independent units (Wilson, 1927).

    Args:
        successes: How many succeeded, 0 to n; a fraction at an effective n.
        n: How many there are.
        level: Confidence level.

    Returns:
        Low and high; (0, 1), all that can be said, for n = 0.

    Raises:
        DataError: There are more successes than units, or fewer than none.
    """
    return _score_interval(successes, n, NormalDist().inv_cdf((1 + level) / 2))


def proportion(
    values: Sequence[float | bool | None], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """Estimate the mean of values in [0, 1]: successes, or expectations of successes.

    Independent units (no clusters, or each of one value) take Wilson. Clusters take Wilson at the effective n, n over
    the design effect that the clusters' sums show, never more than n, with Student's t at clusters - 1 degrees of
    freedom (as Korn and Graubard, 1998); where all values are equal the effective n is the number of clusters.

    Args:
        values: One a unit; None is left out.
        clusters: The cluster of each value.
        level: Confidence level.

    Returns:
        The estimate; low and high are None under 10 clusters that hold more values than one.

    Raises:
        DataError: A value lies outside [0, 1].
    """
    numbers, named = known(values, clusters)
    if not numbers:
        return Estimate(None, level=level, clusters=0, reason=NOTHING)
    if min(numbers) < 0 or max(numbers) > 1:
        raise DataError("A proportion takes values from 0 to 1 only.")
    n, distinct = len(numbers), len(set(named))
    value = math.fsum(numbers) / n
    if distinct == n:
        low, high = wilson(value * n, n, level)
        return Estimate(value, min(low, value), max(high, value), n, n, level, "wilson")
    if distinct < FEWEST_CLUSTERS:
        return Estimate(value, n=n, clusters=distinct, level=level, reason=_too_few(distinct))
    sums, sizes = cluster_sums(numbers, named)
    error, alike = standard_error(sums, sizes), effective_clusters(sizes)
    effective = alike if not 0 < value < 1 else n if error == 0 else min(n, value * (1 - value) / error**2)
    low, high = _score_interval(value * effective, effective, _student(level, max(1.0, alike - 1)))
    return Estimate(value, min(low, value), max(high, value), n, distinct, level, "wilson at effective n, clustered")


def mean(
    values: Sequence[float | bool | None],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the mean of all values, with a cluster bootstrap-t interval.

    By simulation it holds the truth in 92 to 95 % of worlds at a level of 95 %, for 12 clusters of normal values or 40
    of skewed ones, of unequal sizes. Where only 2 to 9 clusters differ from the commonest mean of a cluster, draws of
    them say little of their spread: the interval is then Student's, of the jackknife error, with as many degrees of
    freedom as clusters that differ. By simulation that one errs on the safe side (99 %).

    Args:
        values: One a unit; None is left out.
        clusters: The cluster of each value; without, each is its own.
        level: Confidence level.
        seed: Seed of the draws; the result does not depend on the order of values.

    Returns:
        The estimate; low and high are None under 10 clusters, and where fewer than 2 differ from the others.
    """
    numbers, named = known(values, clusters)
    if not numbers:
        return Estimate(None, level=level, clusters=0, reason=NOTHING)
    n, distinct = len(numbers), len(set(named))
    value = math.fsum(numbers) / n
    if distinct < FEWEST_CLUSTERS:
        return Estimate(value, n=n, clusters=distinct, level=level, reason=_too_few(distinct))
    sums, sizes = cluster_sums(numbers, named)
    differing = distinct_from_commonest(sums, sizes)
    if differing < _FEWEST_DIFFERING:
        return Estimate(value, n=n, clusters=distinct, level=level, reason=_FLAT)
    if differing < FEWEST_CLUSTERS:
        half = _student(level, differing) * standard_error(sums, sizes)
        return Estimate(value, value - half, value + half, n, distinct, level, "student t, clustered jackknife error")
    interval = bootstrap_t(sums, sizes, level, seed)
    if interval is None:
        return Estimate(value, n=n, clusters=distinct, level=level, reason=_FLAT)
    return Estimate(value, min(interval[0], value), max(interval[1], value), n, distinct, level, "cluster bootstrap-t")


def mean_of_means(
    values: Sequence[float | bool | None],
    clusters: Sequence[Hashable],
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the mean over clusters of each cluster's mean: a tree's headline, over roots; arguments as in `mean`.

    `n` is the number of values, `clusters` the number of clusters.
    """
    numbers, named = known(values, clusters)
    found = mean(list(means_by_cluster(numbers, named).values()), level=level, seed=seed)
    return Estimate(found.value, found.low, found.high, len(numbers), found.clusters, level, found.method, found.reason)


def around(
    value: float,
    pseudo: Sequence[float],
    clusters: Sequence[Hashable] | None,
    n: int,
    level: float = 0.95,
    seed: int = 0,
    ends: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """Return a value that is no mean with the interval of the mean of its pseudo-values, moved to where it lies.

    Args:
        value: The value.
        pseudo: Its jackknife pseudo-values, or its influences around it.
        clusters: The cluster of each.
        n: Observations that the value rests on.
        level: Confidence level.
        seed: Seed of the bootstrap.
        ends: Lowest and highest value there can be; the interval is kept between them.
    """
    found = mean(pseudo, clusters, level, seed)
    if found.low is None or found.high is None or found.value is None:
        return Estimate(value, n=n, clusters=found.clusters, level=level, reason=found.reason)
    shift = value - found.value
    low, high = max(ends[0], found.low + shift), min(ends[1], found.high + shift)
    return Estimate(value, min(low, value), max(high, value), n, found.clusters, level, found.method)


def clustered_error(values: Sequence[float | bool | None], clusters: Sequence[Hashable] | None = None) -> float | None:
    """Return the cluster-robust standard error of a mean, as a plain table would give it (Liang and Zeger, 1986).

    It is the root of the summed squares of each cluster's summed deviations, over n, without a small-sample factor; the
    intervals of `mean` and `proportion` rest on the larger jackknife.

    Args:
        values: One a unit; None is left out.
        clusters: The cluster of each value; without, each is its own.

    Returns:
        The standard error; None for fewer than two clusters.
    """
    numbers, named = known(values, clusters)
    if len(set(named)) < 2:
        return None
    sums, sizes = cluster_sums(numbers, named)
    residuals = sums - sizes * (sums.sum() / sizes.sum())
    return float(math.sqrt(float(residuals @ residuals)) / sizes.sum())


def means_by_cluster(values: Sequence[float], clusters: Sequence[Hashable]) -> Mapping[Hashable, float]:
    """Return each cluster's mean."""
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return {cluster: math.fsum(group) / len(group) for cluster, group in members.items()}


def _score_interval(successes: float, n: float, z: float) -> tuple[float, float]:
    if not 0 <= successes <= n * (1 + 1e-12):
        raise DataError(f"{successes:g} of {n:g} is no proportion: successes must lie from 0 to n.")
    if n == 0:
        return 0.0, 1.0
    share, shrink = min(1.0, successes / n), z * z / n
    centre = (share + shrink / 2) / (1 + shrink)
    half = z / (1 + shrink) * math.sqrt(share * (1 - share) / n + shrink / (4 * n))
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))


def _student(level: float, freedom: float) -> float:
    from scipy.special import stdtrit  # here, not above: scipy takes long to import, and scipy.stats longest

    return float(stdtrit(freedom, (1 + level) / 2))


def _too_few(clusters: int) -> str:
    return f"too few clusters for an interval: {clusters}, at least {FEWEST_CLUSTERS} are needed"
