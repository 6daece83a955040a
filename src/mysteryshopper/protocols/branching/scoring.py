"""What units of several systems and runs share, and their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Case, Score, Unit


@dataclass(frozen=True, slots=True)
class Shared:
    """A unit without its systems.

    Attributes:
        name: Its id, user and repeat.
        user: Name of the user block.
        cluster: What makes units depend on each other.
    """

    name: str
    user: str
    cluster: str

    @classmethod
    def of(cls, case: Case) -> Shared:
        """Return what the unit of a case shares."""
        user = str(case.data["user"])
        return cls(f"{case.address.unit}|{user}|{case.address.repeat}", user, str(case.data["cluster"]))

    def score(
        self, name: str, system: str, value: float | None, better: Literal["higher", "lower"] | None = "higher"
    ) -> Score:
        """Return a value of one system on it."""
        return Score(name, self.name, self.user, system, self.cluster, value, better=better)


def shared_by(unit: Unit, cluster: str) -> Shared:
    """Return what a unit shares with those of other systems and runs."""
    return Shared(f"{unit.id}|{unit.user}|{unit.repeat}", unit.user, cluster)
