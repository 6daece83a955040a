"""Where simulated users' wishes come from: a profiles file, or targets whose attributes become a wish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from mysteryshopper.core import ConfigError, Goal, Item, Message, Plan, Profile, Scenario, unknown
from mysteryshopper.datasets import Dataset
from mysteryshopper.profiles import wish_from_items

_TARGETS = "targets"  # the note in which a profile brings the ids of what is wanted


class Scenarios:
    """All scenarios of an experiment, by id; a scenario is made when it is asked for.

    A user block with profiles gets one scenario a profile, whose attributes are hard constraints (where the data set
    has items; nothing else can meet them); one that names targets in its notes (a person who was replayed) wants these,
    and does not get to see their names. Without profiles, every recommending turn of the data's split gives a wish for
    its targets; a data set of items alone gives one wish an item.
    """

    def __init__(self, plan: Plan, keep_prefix: bool = False) -> None:
        """Make the scenarios of a plan.

        Args:
            plan: The experiment.
            keep_prefix: Start each dialogue from what people said before the recommending turn.

        Raises:
            ConfigError: A profile wishes for an attribute, or a target, that the catalogue does not have.
        """
        self._plan = plan
        self._keep_prefix = keep_prefix
        self._dataset: Dataset | None = plan.dataset()
        self._targets: dict[str, tuple[tuple[str, ...], tuple[Message, ...], str]] | None = None
        self._profiles: dict[str, Mapping[str, Profile]] = {}
        for user in plan.users:
            if (profiles := plan.profiles(user)) is not None:
                self._profiles[user] = {profile.id: profile for profile in profiles}
                self._check(user, profiles)

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
            if ids := _target_ids(profile):
                notes = {key: value for key, value in profile.notes.items() if key != _TARGETS}
                return Scenario(name, replace(profile, notes=notes), domain), Goal(targets=self._items(ids))
            return Scenario(name, profile, domain), Goal(constraints=profile.attributes if self._has_items else {})
        ids, prefix, _ = self._wanted(user)[name]
        targets = self._items(ids)
        described = self._dataset.described if self._dataset is not None else None
        spoken = described is not None and bool(described.spoken)
        noun = described.noun if described is not None and spoken else "film"
        profile = wish_from_items(targets, random, name=name, noun=noun, domain=described)
        return Scenario(name, profile, domain, prefix if self._keep_prefix else ()), Goal(targets=targets)

    @property
    def _has_items(self) -> bool:
        """Whether anything could be found to meet a wish: in a domain of talk alone nothing is there to be wanted."""
        return self._dataset is None or bool(self._dataset.catalog().items)

    def _check(self, user: str, profiles: Sequence[Profile]) -> None:
        """Find mistakes before anything runs: a wish that nothing in the catalogue could ever meet by its key."""
        if self._dataset is None:
            if any(_target_ids(profile) for profile in profiles):
                raise ConfigError(
                    "its profiles want items by their ids, so the experiment needs the data set that holds them"
                    " (`data: {name: films}`).",
                    key=f"users.{user}.profiles",
                )
            return
        catalog = self._dataset.catalog()
        described = self._dataset.described
        known = {name for item in catalog for name in item.attributes}
        known.update(described.attributes if described is not None else ())
        for profile in profiles:
            for name in (*profile.attributes, *profile.prefers):
                if name not in known:
                    raise ConfigError(
                        f"the profile {profile.id!r} wishes for something that no item of the data set has: "
                        + unknown("attribute", name, known),
                        key=f"users.{user}.profiles",
                    )
            for target in _target_ids(profile):
                if catalog.find(target) is None:
                    raise ConfigError(
                        f"the profile {profile.id!r} wants the item {target!r}, which the data set"
                        f" {self._dataset.name!r} does not hold; name the data set it was made from.",
                        key=f"users.{user}.profiles",
                    )

    def _items(self, ids: Sequence[str]) -> tuple[Item, ...]:
        assert self._dataset is not None  # noqa: S101 - checked when the scenarios were made
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


def _target_ids(profile: Profile) -> tuple[str, ...]:
    """Return the ids of what a profile wants in particular; empty if it names none."""
    ids = profile.notes.get(_TARGETS) or ()
    return tuple(name for name in ids if isinstance(name, str)) if isinstance(ids, list | tuple) else ()
