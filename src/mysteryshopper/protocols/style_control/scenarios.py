"""Scenarios with a request for a style: the same people and wishes, asked to write in several ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from mysteryshopper.core import Goal, Plan, Scenario, rng
from mysteryshopper.protocols.scenarios import Scenarios
from mysteryshopper.protocols.style_control.options import name_of

_MARK = "~"


class StyledScenarios(Scenarios):
    """What users are asked for, by ids of the form `SCENARIO~REQUEST`.

    A request is laid over the profile's own style, whose other parts stay. Everything else of a scenario, and of its
    chance, is the same under all requests.
    """

    def __init__(self, plan: Plan, requests: Sequence[Mapping[str, str]]) -> None:
        """Make the scenarios of a plan.

        Args:
            plan: The experiment.
            requests: The styles asked for.

        Raises:
            ConfigError: As of `Scenarios`.
        """
        super().__init__(plan)
        self._seed = plan.seed
        self._requests = {name_of(request): request for request in requests}

    def ids(self, user: str) -> Iterator[tuple[str, str]]:
        """Yield (id, cluster) of one user block: each scenario under all requests, one after the other."""
        for name, cluster in super().ids(user):
            for request in self._requests:
                yield f"{name}{_MARK}{request}", cluster

    def make(self, user: str, name: str, random: Random) -> tuple[Scenario, Goal]:
        """Return a scenario whose profile holds the request, and what would satisfy it; `random` is not used."""
        person = person_in(name)
        scenario, goal = super().make(user, person, rng(self._seed, "scenario", user, person))
        style = {**scenario.profile.style, **self.request(name)}
        return replace(scenario, profile=replace(scenario.profile, style=style)), goal

    def request(self, name: str) -> Mapping[str, str]:
        """Return what is asked for in a unit of this id."""
        return self._requests[name.rpartition(_MARK)[2]]


def person_in(name: str) -> str:
    """Return the id of the scenario in the id of a unit."""
    return name.rpartition(_MARK)[0]
