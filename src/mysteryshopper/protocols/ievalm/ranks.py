"""Many systems in one table: which place each takes, and how sure that place is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Estimate

DRAWS = 2000
_FEWEST = 10
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Valued:
    """One unit's value of one system.

    Attributes:
        unit: What systems share.
        cluster: What makes units depend on each other.
        value: Sum over its labels, or its one value.
        weight: How many labels that are.
    """

    unit: str
    cluster: str
    value: float
    weight: float


def ranks(systems: Mapping[str, Sequence[Valued]], seed: int) -> dict[str, Estimate]:
    """Return the place of every system, 1 for the highest mean; equal means share the mean of their places.

    Only units that all systems have a value for are counted. The interval holds the middle 95 % of the places that a
    system takes when clusters are drawn anew with replacement (2,000 seeded draws), for all systems at once: what
    makes a cluster hard for all of them changes no place.

    Args:
        systems: The values of each system.
        seed: Seed of the draws.

    Returns:
        An estimate for each system. Without shared units it is None, and under 10 clusters the interval is, with the
        reason.
    """
    shared = set.intersection(*({one.unit for one in values} for values in systems.values())) if systems else set()
    if not shared:
        return {name: Estimate(None, reason="the systems share no unit") for name in systems}
    clusters: dict[str, int] = {}
    for values in systems.values():
        for one in values:
            if one.unit in shared:
                clusters.setdefault(one.cluster, len(clusters))
    sums = np.zeros((len(clusters), len(systems)))
    sizes = np.zeros_like(sums)
    for column, values in enumerate(systems.values()):
        for one in values:
            if one.unit in shared:
                sums[clusters[one.cluster], column] += one.value
                sizes[clusters[one.cluster], column] += one.weight
    places = _places(sums.sum(axis=0, keepdims=True), sizes.sum(axis=0, keepdims=True))[0]
    ends = _ends(sums, sizes, seed)
    reason = None if ends is not None else f"{len(clusters)} clusters; an interval needs {_FEWEST}"
    return {
        name: Estimate(
            float(places[column]),
            None if ends is None else float(ends[0][column]),
            None if ends is None else float(ends[1][column]),
            n=len(shared),
            clusters=len(clusters),
            level=_LEVEL,
            method="cluster bootstrap of places",
            reason=reason,
        )
        for column, name in enumerate(systems)
    }


def _ends(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    count = len(sums)
    if count < _FEWEST:
        return None
    order = np.lexsort((*sums.T, *sizes.T))  # whatever the order of units, the draws are of the same clusters
    sums, sizes = sums[order], sizes[order]
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(np.float64)
    places = _places(drawn @ sums, drawn @ sizes)
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(places, [tail, 1 - tail], axis=0, method="closest_observation")
    return low, high


def _places(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the places of each row's means, equals sharing the mean of theirs."""
    means = np.round(np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0), 12)
    better = (means[:, None, :] > means[:, :, None]).sum(axis=2)
    equal = (means[:, None, :] == means[:, :, None]).sum(axis=2)
    places: NDArray[np.float64] = better + (equal + 1) / 2
    return places


def rank_numbers(arms: Mapping[str, Sequence[Valued]], seed: int) -> Iterator[tuple[str, Estimate]]:
    """Yield every system with its place; nothing for a system alone."""
    if len(arms) > 1:
        yield from ranks(arms, seed).items()
