"""Where simulated users' wishes come from: a profiles file, or targets whose attributes become a wish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mysteryshopper.core import ConfigError, Goal, Item, Message, Plan, Scenario
from mysteryshopper.datasets import Dataset
from mysteryshopper.profiles import wish_from_items


class Scenarios:
    """All scenarios of an experiment, by id; a scenario is made when it is asked for.

    A user block with a profiles file gets one scenario a profile, whose attributes are hard constraints. Without one,
    every recommending turn of the data's split gives a wish for its targets; a data set of items alone gives one wish
    an item.
    """

    def __init__(self, plan: Plan, keep_prefix: bool = False) -> None:
        """Make the scenarios of a plan.

        Args:
            plan: The experiment.
            keep_prefix: Start each dialogue from what people said before the recommending turn.
        """
        self._plan = plan
        self._keep_prefix = keep_prefix
        self._profiles = {
            user: {profile.id: profile for profile in profiles}
            for user in plan.users
            if (profiles := plan.profiles(user)) is not None
        }
        self._dataset: Dataset | None = plan.dataset()
        self._targets: dict[str, tuple[tuple[str, ...], tuple[Message, ...], str]] | None = None

    def ids(self, user: str) -> Iterator[tuple[str, str]]:
        """Yield (scenario id, cluster) of one user block, in the order of the data."""
        if user in self._profiles:
            yield from ((name, name) for name in self._profiles[user])
        else:
            yield from ((name, cluster) for name, (_, _, cluster) in self._wanted(user).items())

    def make(self, user: str, name: str, random: Random) -> tuple[Scenario, Goal]:
        """Return a scenario, and what would satisfy it."""
        domain = self._dataset.domain if self._dataset is not None else ""
        if user in self._profiles:
            profile = self._profiles[user][name]
            return Scenario(name, profile, domain), Goal(constraints=profile.attributes)
        ids, prefix, _ = self._wanted(user)[name]
        targets = self._items(ids)
        profile = wish_from_items(targets, random, name=name)
        return Scenario(name, profile, domain, prefix if self._keep_prefix else ()), Goal(targets=targets)

    def _items(self, ids: Sequence[str]) -> tuple[Item, ...]:
        assert self._dataset is not None  # noqa: S101 - _wanted has checked
        catalog = self._dataset.catalog()
        return tuple(catalog.get(name) for name in ids)

    def _wanted(self, user: str) -> dict[str, tuple[tuple[str, ...], tuple[Message, ...], str]]:
        if self._targets is None:
            if self._dataset is None:
                raise ConfigError(
                    "its users need wishes: give the block a profiles file (`profiles: FILE`), or the experiment a data"
                    " set (`data: {name: films}`)",
                    key=f"users.{user}",
                )
            if self._dataset.has_turns:
                self._targets = {
                    turn.id: (turn.targets, turn.history, turn.dialogue)
                    for turn in self._dataset.turns(self._dataset.split)
                    if turn.targets
                }
            else:
                self._targets = {item.id: ((item.id,), (), item.id) for item in self._dataset.catalog()}
        return self._targets
