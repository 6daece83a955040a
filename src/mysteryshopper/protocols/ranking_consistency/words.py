"""What the numbers of `ranking-consistency` mean."""

from __future__ import annotations

from collections.abc import Mapping

_OVER = (
    " of the systems' mean values under the first and under the second, n systems. The interval resamples clusters of"
    " units (percentile bootstrap, both rankings drawn alike where they share units); it says how far the rankings"
    " are blurred by how few units there were, not what other systems would give."
)

DEFINITIONS: Mapping[str, str] = {
    "rank_spearman": "Spearman's rank correlation, equal values sharing their mean rank," + _OVER,
    "rank_kendall": "Kendall's tau-b, which allows for ties," + _OVER,
    "rank_pearson": "Pearson's correlation" + _OVER,
    "same_best": "Share of resamples of units in which both put the same system first.",
    "least_spearman": "The lowest of the Spearman correlations between any two rankings.",
    "spearman_step": "How far Spearman's correlation of so many systems moves at least from one value to the next,"
    " without ties: 12 / (n (n² - 1)). Two values that differ by less can't occur.",
    "smallest_p": "The smallest two-sided p that so many systems can reach against no relation, in full agreement:"
    " 2 / n!. Where it is above 0.05, no agreement of the rankings can be significant.",
    "tied_systems": "Number of systems whose mean value equals another's.",
    "rank": "Place of the system in the ranking, 1 is best, equal values share their mean place; the interval is that"
    " of its places in resamples of units.",
    "ranked_value": "Mean of the score that the ranking rests on.",
}
"""By name."""

METRICS: tuple[str, ...] = tuple(DEFINITIONS)
