"""Systems against each other on the same users: differences paired by unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from mysteryshopper.core import Estimate, Metric, Plan, Score
from mysteryshopper.metrics import paired_difference

MOST_FOR_ALL_PAIRS = 6
"""Up to this many systems every two are compared (15 pairs); more are each compared with the first that is no control.

Which one is fixed before the run: to compare with whichever came out best would flatter that one.
"""

_RULE = (
    " Mean of the first system minus the second over the units that both have a value for; p is the two-sided sign-flip"
    " test by cluster for this pair alone, not corrected for the number of pairs; detectable is the smallest true"
    " difference that so many clusters would find with 80 % power."
)


class Differences:
    """Collects scores, one at a time, and gives the paired differences; holds one number a score."""

    def __init__(self, names: Mapping[str, tuple[str, str]]) -> None:
        """Make an empty collection.

        Args:
            names: For each score that is compared, the name of the metric, and what the score is in a sentence.
        """
        self._names = names
        self._values: dict[tuple[str, str, str], dict[str, float]] = {}
        self._clusters: dict[str, str] = {}
        self._better: dict[str, Literal["higher", "lower"] | None] = {}

    def add(self, score: Score) -> None:
        """Take in one score; one without a value, or that is not compared, is passed over."""
        if score.name not in self._names or score.value is None:
            return
        self._values.setdefault((score.name, score.user, score.system), {})[score.unit] = score.value
        self._clusters.setdefault(score.unit, score.cluster)
        self._better[score.name] = score.better

    def metrics(self, plan: Plan) -> Iterator[Metric]:
        """Yield the differences: by score, user and pair of systems, in the order of the experiment.

        The group is `user`, `system` and `versus`; a control stands second unless both are. Scores that nobody has are
        left out.
        """
        pairs = pairs_of(plan)
        users: Sequence[str] = tuple(plan.users) or ("",)
        for name, (metric, meaning) in self._names.items():
            for user in users:
                for first, second in pairs:
                    one, other = (self._values.get((name, user, system), {}) for system in (first, second))
                    if not one and not other:
                        continue
                    group = {"user": user} if user else {}
                    both = plan.is_control(first) and plan.is_control(second)
                    yield Metric(
                        metric,
                        {**group, "system": first, "versus": second},
                        difference(one, other, self._clusters, plan.seed),
                        meaning + _RULE,
                        control=both,
                        better=self._better.get(name),
                    )


def difference(
    first: Mapping[str, float | None], second: Mapping[str, float | None], clusters: Mapping[str, str], seed: int
) -> Estimate:
    """Return `paired_difference` as one estimate, with its p and what it could have detected."""
    found = paired_difference(first, second, clusters, seed=seed)
    reason = found.estimate.reason if found.estimate.n else "they share no unit that both have a value for"
    return replace(found.estimate, p=found.p, detectable=found.detectable, reason=reason)


def pairs_of(plan: Plan) -> list[tuple[str, str]]:
    """Return which systems are compared, the one that is no control first; see `MOST_FOR_ALL_PAIRS`."""
    systems = sorted(plan.systems, key=plan.is_control)  # stable: otherwise in the order of the file
    if len(systems) <= MOST_FOR_ALL_PAIRS:
        return list(combinations(systems, 2))
    return [(systems[0], other) for other in systems[1:]]
