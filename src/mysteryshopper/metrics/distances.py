"""How far what was seen lies from a known distribution."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

from mysteryshopper.core import DataError, Estimate
from mysteryshopper.metrics.checks import same_length
from mysteryshopper.metrics.intervals import NOTHING, around


def total_variation(
    values: Sequence[Hashable | None],
    known: Mapping[Hashable, float],
    clusters: Sequence[Hashable],
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return the total variation distance between the distribution of some values and a known one.

    Half the sum of the absolute differences of shares: the share of the values that would have to be others for the two
    to be equal. 0 is equal, 1 disjoint. Few values lie away from any distribution by chance alone, so that it is too
    large rather than too small. The interval is a cluster bootstrap-t over jackknife pseudo-values, one a cluster; it
    takes the known distribution as exact.

    Args:
        values: What was seen; None is missing, and left out.
        known: Counts, or shares, by value.
        clusters: The cluster of each value.
        level: Confidence level.
        seed: Seed of the bootstrap.

    Raises:
        DataError: The lists are not equally long, or what is known is negative or sums to nothing.
    """
    same_length(values, clusters, "values and clusters")
    total = math.fsum(known.values())
    if any(not 0 <= weight < math.inf for weight in known.values()) or not total:
        raise DataError("What values are held against must be counts or shares, none negative and one above 0.")
    shares = {value: weight / total for value, weight in known.items()}
    parts: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for value, cluster in zip(values, clusters, strict=True):
        if value is not None:
            parts[cluster][value] += 1
    whole = sum(parts.values(), Counter[Hashable]())
    if not whole:
        return Estimate(None, level=level, clusters=0, reason=NOTHING)
    distance = _distance(whole, shares)
    if len(parts) < 2:
        return Estimate(distance, n=whole.total(), clusters=len(parts), level=level, reason="one cluster alone")
    count = len(parts)
    pseudo = [count * distance - (count - 1) * _distance(whole - part, shares) for part in parts.values()]
    return around(distance, pseudo, list(parts), whole.total(), level, seed, (0.0, 1.0))


def _distance(counts: Counter[Hashable], shares: Mapping[Hashable, float]) -> float:
    total = counts.total()
    return math.fsum(abs(counts[value] / total - shares.get(value, 0.0)) for value in counts.keys() | shares.keys()) / 2
