"""How far two rankings agree: three correlations with intervals by resampled units, and whether both name one best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import factorial

import numpy as np

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import kendall, pearson, spearman
from mysteryshopper.metrics.resampling import FEWEST_CLUSTERS
from mysteryshopper.protocols.ranking_consistency.rankings import Floats, Resampled, ranks_of

FEWEST_SYSTEMS = 3
"""Fewer systems than these have no correlation: two are always fully alike or fully opposed."""

_LEVEL = 0.95
_MOST_FLAT = 0.05
_METHOD = "percentile bootstrap over clusters"


def correlations(first: Resampled, second: Resampled) -> dict[str, Estimate]:
    """Return the three correlations of two rankings of the same systems, by the name of their metric."""
    found: dict[str, Estimate] = {}
    x, y = first.sign * first.means, second.sign * second.means
    drawn = first.sign * first.drawn, second.sign * second.drawn
    whole = ~np.isnan(np.concatenate(drawn, axis=1)).any(axis=1)
    rows = drawn[0][whole], drawn[1][whole]
    clusters = min(first.clusters, second.clusters)
    ours: Mapping[str, tuple[Callable[..., Estimate], Callable[[Floats, Floats], Floats]]] = {
        "rank_spearman": (spearman, lambda a, b: _moments(ranks_of(a), ranks_of(b))),
        "rank_kendall": (kendall, lambda a, b: _moments(_signs(a), _signs(b), centred=False)),
        "rank_pearson": (pearson, _moments),
    }
    for name, (statistic, each) in ours.items():
        found[name] = _estimate(statistic([*x], [*y]).value, each(*rows), len(x), clusters, whole.size)
    return found


def same_best(first: Resampled, second: Resampled) -> Estimate:
    """Return the share of draws in which both put the same system first; shared first places count as one is shared."""
    if len(first.systems) < 2:
        return Estimate(None, n=len(first.systems), reason="a ranking needs two systems")
    one, other = (side.drawn_ranks for side in (first, second))
    whole = ~(np.isnan(one).any(axis=1) | np.isnan(other).any(axis=1))
    if not whole.any():
        return Estimate(None, n=len(first.systems), reason="no resample holds a unit of every system")
    tops = [side[whole] == side[whole].min(axis=1, keepdims=True) for side in (one, other)]
    share = float((tops[0] & tops[1]).any(axis=1).mean())
    return Estimate(share, n=len(first.systems), clusters=min(first.clusters, second.clusters), method="resamples")


def rank_estimate(side: Resampled, place: int) -> Estimate:
    """Return the place of one system in a ranking, with the interval of its places in the draws."""
    value = float(side.ranks[place])
    drawn = side.drawn_ranks[~np.isnan(side.drawn_ranks).any(axis=1)][:, place]
    if side.clusters < FEWEST_CLUSTERS or not len(drawn):
        return Estimate(value, n=len(side.systems), clusters=side.clusters, reason=_few(side.clusters))
    low, high = _ends(drawn)
    return Estimate(value, min(low, value), max(high, value), len(side.systems), side.clusters, _LEVEL, _METHOD)


def spearman_step(systems: int) -> float | None:
    """Return the smallest step of Spearman's correlation of so many systems without ties, 12 / (n (n² - 1)).

    The sum of squared differences of ranks is even, so that it moves by 2 at least. None for fewer than two.
    """
    return 12 / (systems * (systems**2 - 1)) if systems > 1 else None


def smallest_p(systems: int) -> float:
    """Return the smallest two-sided p of an exact permutation test: 2 of all n! orders agree as fully, or oppose."""
    return min(1.0, 2 / factorial(systems))


def _estimate(value: float | None, drawn: Floats, n: int, clusters: int, draws: int) -> Estimate:
    if n < FEWEST_SYSTEMS:
        reason = f"{n} systems are always fully alike or opposed; {FEWEST_SYSTEMS} are needed"
        return Estimate(None, n=n, clusters=clusters, reason=reason)
    if value is None:
        return Estimate(None, n=n, clusters=clusters, reason="one of them puts all systems level")
    known = drawn[~np.isnan(drawn)]
    if clusters < FEWEST_CLUSTERS:
        return Estimate(value, n=n, clusters=clusters, reason=_few(clusters))
    if len(known) < (1 - _MOST_FLAT) * draws:
        reason = "in too many resamples one of them puts all systems level, or lacks one"
        return Estimate(value, n=n, clusters=clusters, reason=reason)
    low, high = _ends(known)
    return Estimate(value, min(low, value), max(high, value), n, clusters, _LEVEL, _METHOD)


def _few(clusters: int) -> str:
    return f"too few clusters for an interval: {clusters}, at least {FEWEST_CLUSTERS} are needed"


def _ends(drawn: Floats) -> tuple[float, float]:
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _moments(x: Floats, y: Floats, *, centred: bool = True) -> Floats:
    """Return the product-moment correlation of every two rows; NaN where one is constant."""
    if centred:
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    norm = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(norm > 1e-12, (x * y).sum(axis=1) / norm, np.nan)
    return found


def _signs(rows: Floats) -> Floats:
    """Return which of every two systems is ahead, a column a pair; tau-b is the correlation of these about 0."""
    one, other = np.triu_indices(rows.shape[1], 1)
    signs: Floats = np.sign(rows[:, one] - rows[:, other])
    return signs
