"""Outcomes by root: the mean over roots of the root's mean, with bounds for what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import mean_of_means


@dataclass(frozen=True, slots=True)
class Outcome:
    """Points from 0 to 1, or None for what was left out, and the root they belong to."""

    value: float | None
    root: str


@dataclass
class Outcomes:
    """Outcomes, gathered."""

    held: list[Outcome] = field(default_factory=list)

    @classmethod
    def joined(cls, parts: Iterable[Outcomes]) -> Outcomes:
        """Return the outcomes of several parts together."""
        return cls([outcome for part in parts for outcome in part.held])

    def add(self, outcome: Outcome) -> None:
        """Gather one more."""
        self.held.append(outcome)

    def estimate(self, seed: int) -> Estimate:
        """Return the mean over roots of the root's mean, its interval kept inside 0 to 1.

        Where something was left out, `bounds` are what all of it at 0, and all of it at 1, would give.
        """
        roots = [outcome.root for outcome in self.held]
        values = [outcome.value for outcome in self.held]
        found = mean_of_means(values, roots, seed=seed)
        if found.low is not None and found.high is not None:
            found = replace(found, low=max(0.0, found.low), high=min(1.0, found.high))
        if None not in values:
            return found
        least, most = (
            mean_of_means([end if value is None else value for value in values], roots).value or 0.0
            for end in (0.0, 1.0)
        )
        return replace(found, bounds=(least, most))
