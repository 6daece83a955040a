"""Whether a curve over rates of noise falls: the mean of each chain's own slope."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.trend import within_slope
from mysteryshopper.protocols.branching import Outcomes

EVEN = 0.5
"""What a reply gets against itself: where every judged curve starts."""


def curve_trend(rated: Sequence[tuple[float, Outcomes]], start: Outcomes | float, seed: int) -> Estimate:
    """Return the mean of the chains' slopes over rates, in the curve's unit for one whole unit of rate.

    Args:
        rated: Outcomes at each rate, of which those above 0 count, each rate once a chain, as its mean.
        start: Outcomes of the clean queries, at rate 0; or the value that every chain has there.
        seed: Seed of the draws.
    """
    points = [(rate, value, root) for rate, outcomes in rated if rate > 0 for root, value in outcomes.by_root().items()]
    roots = dict.fromkeys(root for _, _, root in points)
    begun = dict.fromkeys(roots, start) if isinstance(start, float) else start.by_root()
    points += [(0.0, begun[root], root) for root in roots if root in begun]
    return within_slope(points, seed=seed)
