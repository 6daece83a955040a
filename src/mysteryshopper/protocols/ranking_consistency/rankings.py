"""Scores of systems under several conditions, and the resampled means that rankings are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Score

Floats = NDArray[np.float64]

_DIGITS = 12  # beyond which two means are equal


@dataclass
class Ranked:
    """Values of systems by unit, under one condition: a user, a model, a judge, a run.

    Attributes:
        name: The condition in words.
        values: By system and unit.
        clusters: Cluster of each unit.
        better: Which way the score is better.
    """

    name: str
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    better: Literal["higher", "lower"] | None = None

    def add(self, score: Score) -> None:
        """Take in one score; one without a value tells nothing."""
        if score.value is not None:
            self.values.setdefault(score.system, {})[score.unit] = score.value
            self.clusters.setdefault(score.unit, score.cluster)
            self.better = self.better or score.better

    @property
    def sign(self) -> int:
        """1 where higher is better, -1 where lower is."""
        return -1 if self.better == "lower" else 1

    def by_cluster(self, system: str) -> dict[str, list[float]]:
        """Return a system's values by cluster, sorted: what two conditions with the same people can share."""
        found: dict[str, list[float]] = {}
        for unit, value in self.values[system].items():
            found.setdefault(self.clusters[unit], []).append(value)
        return {cluster: sorted(given) for cluster, given in found.items()}


@dataclass(frozen=True)
class Resampled:
    """One condition's mean values: as they are, and in every draw of clusters.

    Attributes:
        systems: The systems, in the order of the columns.
        means: One mean a system.
        drawn: One row a draw; NaN where a draw holds no unit of the system.
        clusters: How many clusters the condition has.
        sign: As of `Ranked`.
    """

    systems: tuple[str, ...]
    means: Floats
    drawn: Floats
    clusters: int
    sign: int

    @cached_property
    def ranks(self) -> Floats:
        """Place of each system, 1 is best."""
        ranks: Floats = ranks_of(-self.sign * self.means[None, :])[0]
        return ranks

    @cached_property
    def drawn_ranks(self) -> Floats:
        """The same in every draw."""
        return ranks_of(-self.sign * self.drawn)


class Draws:
    """Draws of clusters, shared by all conditions: where two have a cluster in common, it is drawn alike for both."""

    def __init__(self, clusters: Sequence[str], draws: int, seed: int) -> None:
        """Draw as many clusters as there are, with replacement, `draws` times."""
        self._place = {name: place for place, name in enumerate(sorted(set(clusters)))}
        count = len(self._place)
        generator = np.random.default_rng(seed)
        self._times = generator.multinomial(count, np.full(count, 1 / count), size=draws).astype(float)

    def of(self, ranked: Ranked, systems: Sequence[str]) -> Resampled:
        """Return a condition's means of some systems."""
        means, drawn = [], []
        for system in systems:
            sums, sizes = np.zeros(len(self._place)), np.zeros(len(self._place))
            for unit, value in ranked.values[system].items():
                place = self._place[ranked.clusters[unit]]
                sums[place] += value
                sizes[place] += 1
            means.append(round(float(sums.sum() / sizes.sum()), _DIGITS))
            size = self._times @ sizes
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn.append(np.round(np.where(size > 0, (self._times @ sums) / size, np.nan), _DIGITS))
        held = {ranked.clusters[unit] for system in systems for unit in ranked.values[system]}
        return Resampled(tuple(systems), np.array(means), np.stack(drawn, axis=1), len(held), ranked.sign)


def ranks_of(rows: Floats) -> Floats:
    """Return the rank of every value in its row, smallest first, equals sharing their mean rank."""
    from scipy.stats import rankdata  # here, not above: scipy takes long to import

    ranks: Floats = rankdata(rows, axis=1)
    return ranks
