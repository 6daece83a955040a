"""Pairs: who won, in both orders; and the difference of two systems over the units they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.intervals import mean, proportion
from mysteryshopper.metrics.resampling import cluster_sums, sign_flip_p, standard_error

PairOutcome = Literal["win", "loss", "tie", "inconsistent"]
Preference = Literal["first", "second", "tie"]

_OUTCOMES: Mapping[Preference, PairOutcome] = {"first": "win", "second": "loss", "tie": "tie"}
_POINTS: Mapping[PairOutcome, float] = {"win": 1.0, "loss": 0.0, "tie": 0.5, "inconsistent": 0.5}


def pair_outcome(one_order: Preference, other_order: Preference) -> PairOutcome:
    """Return what two verdicts on one pair say of the first side.

    Args:
        one_order: Which side was preferred (not which place) when the pair was shown one way round.
        other_order: The same when it was shown the other way round.

    Returns:
        `inconsistent` where the two differ in any way.
    """
    return _OUTCOMES[one_order] if one_order == other_order else "inconsistent"


@dataclass(frozen=True, slots=True)
class PairTally:
    """How pairs came out for the first side.

    Attributes:
        wins: Pairs won in both orders.
        losses: Pairs lost in both orders.
        ties: Ties in both orders, and equal replies that nobody was asked about.
        inconsistent: Pairs whose two orders disagree.
        win_rate: (wins + half of ties and inconsistent) / n.
        consistency: Share of pairs with equal verdicts in both orders, over pairs that a judge was asked about.
    """

    wins: int
    losses: int
    ties: int
    inconsistent: int
    win_rate: Estimate
    consistency: Estimate

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.wins + self.losses + self.ties + self.inconsistent

    @property
    def net(self) -> int:
        """Wins minus losses: B is better than A only if this is above 0."""
        return self.wins - self.losses


def tally_pairs(
    outcomes: Sequence[PairOutcome | None],
    clusters: Sequence[Hashable] | None = None,
    asked: Sequence[bool] | None = None,
    level: float = 0.95,
) -> PairTally:
    """Count pair outcomes.

    Args:
        outcomes: One a pair; None (not read, not judged) is left out.
        clusters: The cluster of each pair (its tree root, its user).
        asked: Whether a judge was asked about the pair; equal replies are ties without. All were, if not given.
        level: Confidence level.

    Returns:
        The tally, with Wilson intervals as in `proportion`.
    """
    counts = Counter(outcomes)
    points = [None if outcome is None else _POINTS[outcome] for outcome in outcomes]
    were_asked = [True] * len(outcomes) if asked is None else asked
    agreed = [
        None if outcome is None or not was_asked else outcome != "inconsistent"
        for outcome, was_asked in zip(outcomes, were_asked, strict=True)
    ]
    return PairTally(
        counts["win"],
        counts["loss"],
        counts["tie"],
        counts["inconsistent"],
        proportion(points, clusters, level),
        proportion(agreed, clusters, level),
    )


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first system's mean minus the second's over shared units.

    Attributes:
        estimate: The mean difference with its cluster bootstrap-t interval.
        p: Two-sided sign-flip p-value, by cluster; None without clusters.
        detectable: The smallest true difference that this many clusters would find with 80 % power at the level; None
            where differences do not vary or there are fewer than 2 clusters.
        unpaired: Units that only one system has a value for, sorted; they are no part of it.
    """

    estimate: Estimate
    p: float | None
    detectable: float | None
    unpaired: tuple[str, ...]


def paired_difference(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
    clusters: Mapping[str, Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> PairedDifference:
    """Compare two systems on the units they share.

    Args:
        first: Value by unit; None is no value.
        second: The other system's.
        clusters: The cluster of each unit; without, each unit is its own.
        level: Confidence level; the detectable difference takes it too.
        seed: Seed of the draws.

    Returns:
        The difference, its test, and what could have been detected (normal approximation with the observed spread).
    """
    valued = [{unit for unit, value in side.items() if value is not None} for side in (first, second)]
    shared = sorted(valued[0] & valued[1])
    differences = [float(first[unit] or 0) - float(second[unit] or 0) for unit in shared]
    named: list[Hashable] = list(shared) if clusters is None else [clusters[unit] for unit in shared]
    p = detectable = None
    if shared:
        sums, sizes = cluster_sums(differences, named)
        p = sign_flip_p(sums, seed)
        error = standard_error(sums, sizes) if len(sums) > 1 else 0.0
        normal = NormalDist()
        detectable = (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(0.8)) * error or None
    unpaired = tuple(sorted(valued[0] ^ valued[1]))
    return PairedDifference(mean(differences, named, level, seed), p, detectable, unpaired)
