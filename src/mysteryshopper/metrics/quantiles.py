"""Quantiles of what varies from turn to turn (how long people waited), with intervals that know about clusters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from mysteryshopper.core import DataError, Estimate
from mysteryshopper.metrics.checks import known
from mysteryshopper.metrics.intervals import NOTHING, proportion


def quantile(
    values: Sequence[float | None], q: float, clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """Estimate a quantile: the smallest value that at least a share `q` of all values do not pass.

    The interval is made of order statistics (Woodruff, 1952): the ends of the interval of the share of values up to the
    quantile, clustered as in `proportion`, looked up in the ordered values.

    Args:
        values: One a turn; None is left out.
        q: The quantile, between 0 and 1.
        clusters: The cluster of each value; without, each is its own.
        level: Confidence level.

    Returns:
        The estimate, in the unit of the values. Low and high are None where `proportion` gives none, and where there
        are too few clusters for the smallest and largest value to enclose the quantile at that level (72 for the 95th
        percentile at 95 %).

    Raises:
        DataError: `q` does not lie between 0 and 1, or a value is no finite number.
    """
    if not 0 < q < 1:
        raise DataError(f"a quantile lies between 0 and 1, got {q:g}.")
    numbers, named = known(values, clusters)
    if not numbers:
        return Estimate(None, level=level, clusters=0, reason=NOTHING)
    ordered = sorted(numbers)
    value = ordered[_place(q, len(ordered))]
    share = proportion([float(number <= value) for number in numbers], named, level)
    found = replace(share, value=value, low=None, high=None, method="")
    needed = math.ceil(math.log((1 - level) / 2) / math.log(max(q, 1 - q)))
    if share.low is None or share.high is None:
        return found
    if (share.clusters or 0) < needed:
        return replace(
            found, reason=f"too few clusters for an interval: {share.clusters}, at least {needed} are needed"
        )
    # The share at the quantile is `q` or, with ties, more: the interval's width is carried over to `q`.
    shift = q - (share.value or 0.0)
    low, high = (ordered[_place(min(1.0, max(0.0, end + shift)), len(ordered))] for end in (share.low, share.high))
    return replace(found, low=min(low, value), high=max(high, value), method="order statistics, clustered")


def _place(share: float, n: int) -> int:
    return min(n - 1, max(0, math.ceil(share * n - 1e-9) - 1))
