"""Outcomes by root: the mean over roots of the root's mean, with bounds for what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import fsum

from mysteryshopper.core import Estimate, Node
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

    @property
    def known(self) -> list[float]:
        """What was not left out."""
        return [outcome.value for outcome in self.held if outcome.value is not None]

    @property
    def plain(self) -> float | None:
        """The mean of what was not left out; None where that is nothing."""
        known = self.known
        return fsum(known) / len(known) if known else None

    def by_root(self) -> dict[str, float]:
        """Return each root's mean; a root of which everything was left out has none."""
        roots: dict[str, list[float]] = {}
        for outcome in self.held:
            if outcome.value is not None:
                roots.setdefault(outcome.root, []).append(outcome.value)
        return {root: fsum(values) / len(values) for root, values in roots.items()}

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


def shows_wanted(reply: Node | None, fault: str) -> float | None:
    """Return whether a reply shows an item that meets the wish, as 1 or 0.

    A reply that is missing by the system's fault shows none; None where it is missing by another's.
    """
    if fault not in ("none", "system"):
        return None
    return float(fault == "none" and reply is not None and any(item.mine for item in reply.items))
