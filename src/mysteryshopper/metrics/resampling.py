"""The cluster bootstrap-t and the sign-flip test: seeded, vectorised, blind to the order of clusters."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FEWEST_CLUSTERS = 10
"""Fewer clusters than this give no interval."""

_CHUNK = 4_000_000
"""Cells of one block of draws."""
_PIECE = 60_000
"""Cells that are worked on at a time: few enough to stay in the cache, and for one thread."""
_KEPT = 16_000_000
"""Draws of at most so many cells are kept for the next metric."""
_FLAT = 1e-12
"""Spread, of values scaled to 1, below which there is none."""
_ROUNDING = 1e-10
"""Share of the terms of a sum of squares below which nothing but rounding is left of it."""
_EXACT = 14
"""Up to this many clusters all sign patterns are tried."""
_FLIPS = 9999

Floats = NDArray[np.float64]
Counts = NDArray[np.uint8]


def cluster_sums(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Return the sum of values and the number of values of each cluster, in an order that depends on these alone."""
    members, sizes = _members(tuple(clusters))
    if len(members) == len(values):
        return np.array(sorted(values), dtype=np.float64), np.ones(len(values))
    sums = np.array([math.fsum(map(values.__getitem__, places)) for places in members])
    order = np.lexsort((sizes, sums))
    return sums[order], sizes[order]


@lru_cache(maxsize=4)  # the metrics of one table have the same clusters
def _members(clusters: tuple[Hashable, ...]) -> tuple[list[list[int]], Floats]:
    """Return the places of each cluster's values, and how many there are."""
    members: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, cluster in enumerate(clusters):
        members[cluster].append(place)
    places = list(members.values())
    return places, np.array([float(len(own)) for own in places])


def standard_error(sums: Floats, sizes: Floats) -> float:
    """Return the standard error of the overall mean, clusters being independent: the jackknife over clusters.

    With all clusters of one value it is the usual standard error of a mean (divisor n - 1); with unequal clusters it is
    larger than the linearised one, which large clusters pull down (Bell and McCaffrey, 2002).

    Args:
        sums: Sum of the values of each of at least two clusters.
        sizes: Number of values of each.
    """
    count, total = len(sums), sizes.sum()
    moved = (sums - sizes * (sums.sum() / total)) / (total - sizes)
    return math.sqrt((count - 1) / count * float(moved @ moved))


def effective_clusters(sizes: Floats) -> float:
    """Return how many clusters of one size weigh as much as these, 1 to their number (Kish, 1965)."""
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def distinct_from_commonest(sums: Floats, sizes: Floats) -> int:
    """Return how many clusters have another mean than the commonest one."""
    means = np.round(sums / sizes, 12)
    return len(means) - int(np.unique(means, return_counts=True)[1].max())


def bootstrap_t(sums: Floats, sizes: Floats, level: float, seed: int) -> tuple[float, float] | None:
    """Return the bootstrap-t interval of the overall mean, clusters drawn with replacement.

    Each draw's deviation is divided by its own standard error (Efron and Tibshirani, 1993, chapter 12), which makes up
    for skewness and for few clusters. The draws' errors are linearised and the data's own is the jackknife: the same
    for equal clusters, and on the safe side for unequal ones.

    Returns:
        Low and high; None where the clusters do not vary enough (too many draws without any variance).
    """
    count = len(sums)
    centre = float(sums.sum() / sizes.sum())
    scale = max(float(np.abs(sums / sizes).max()), 1e-300)
    residuals = sums / scale - sizes * (centre / scale)
    moments = np.stack([sizes, residuals, sizes**2, sizes * residuals, residuals**2], axis=1)
    error = standard_error(sums / scale, sizes)
    if error <= _FLAT:
        return None
    drawn = np.concatenate([_summed(counts, moments) for counts in _draws(count, seed)])
    moved, errors = _deviations(drawn, count)
    flat = errors <= _FLAT
    beyond = np.where(moved > _FLAT, np.inf, np.where(moved < -_FLAT, -np.inf, 0.0))
    ordered = np.sort(np.where(flat, beyond, moved / np.where(flat, 1.0, errors)))
    tail = max(1, round((1 - level) / 2 * (len(ordered) + 1)))
    low_t, high_t = float(ordered[tail - 1]), float(ordered[-tail])
    if not (math.isfinite(low_t) and math.isfinite(high_t)):
        return None
    return min(centre - high_t * error * scale, centre), max(centre - low_t * error * scale, centre)


def _deviations(moments: Floats, count: int) -> tuple[Floats, Floats]:
    """Return for each row of summed moments how far its mean lies from the centre, and its standard error."""
    size, residual, size2, cross, residual2 = moments.T
    moved = residual / size
    squares = residual2 - 2 * moved * cross + moved**2 * size2
    squares[squares <= _ROUNDING * (residual2 + moved**2 * size2)] = 0.0
    return moved, np.sqrt(count / (count - 1) * squares) / size


def _draws(count: int, seed: int) -> Iterable[Counts]:
    """Return how often each cluster (column) is drawn in each draw (row), in blocks of rows."""
    draws = 1999 if count <= 5000 else 999
    rows = max(1, _CHUNK // count)
    block = _kept_block if draws * count <= _KEPT else _block
    return (block(count, min(rows, draws - start), seed, start) for start in range(0, draws, rows))


def _block(count: int, rows: int, seed: int, start: int) -> Counts:
    """Return a block of draws, made a few rows at a time: what is drawn takes eight times the room of its counts."""
    generator = np.random.default_rng((seed, start))
    counts = np.empty((rows, count), dtype=np.uint8)  # nobody is drawn 256 times
    for first in range(0, rows, step := max(1, _PIECE // count)):
        part = counts[first : first + step]
        drawn = generator.integers(0, count, size=part.shape)
        drawn += np.arange(len(part))[:, None] * count
        part[:] = np.bincount(drawn.ravel(), minlength=part.size).reshape(part.shape)
    return counts


_kept_block = lru_cache(maxsize=8)(_block)  # the metrics of one table have as many clusters, and so the same draws


def _summed(counts: Counts, moments: Floats) -> Floats:
    """Return the summed moments of each draw, a few draws at a time."""
    step = max(1, _PIECE // counts.shape[1])
    return np.concatenate([counts[at : at + step].astype(np.float32) @ moments for at in range(0, len(counts), step)])


def sign_flip_p(sums: Floats, seed: int) -> float:
    """Return the two-sided p-value of no difference: how often flipping clusters' signs gives a sum as far from 0.

    All patterns are tried up to 14 clusters; above, 9,999 random ones, and the data's own (p is never 0).
    """
    count = len(sums)
    observed = abs(float(sums.sum())) * (1 - 1e-12)
    if count <= _EXACT:
        patterns = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ sums) >= observed))
    generator = np.random.default_rng(seed)
    reached = 0
    for start in range(0, _FLIPS, rows := max(1, _CHUNK // count)):
        signs = 1 - 2 * generator.integers(0, 2, size=(min(rows, _FLIPS - start), count), dtype=np.int8)
        reached += int((np.abs(signs @ sums) >= observed).sum())
    return (reached + 1) / (_FLIPS + 1)
