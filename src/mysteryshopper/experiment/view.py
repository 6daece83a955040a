"""The experiment as a protocol sees it, and the units it makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from mysteryshopper.core import ConfigError, Plan, Procedure, Profile, Unit
from mysteryshopper.datasets import Dataset, load
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import filled_in
from mysteryshopper.experiment.kinds import PROTOCOLS, SYSTEMS, USERS, options_of
from mysteryshopper.experiment.selection import repeated, select
from mysteryshopper.profiles import (
    MadeProfiles,
    demographic_profiles,
    generate_profiles,
    read_profiles,
    talk_profiles,
    wanted_noun,
)


class PlanView:
    """The `Plan` of an experiment. Profiles and data are read when first asked for."""

    def __init__(self, experiment: Experiment) -> None:
        """Make the view; nothing is read yet."""
        self.experiment = experiment
        self.seed = experiment.seed
        self.users: Sequence[str] = tuple(block.name for block in experiment.users)
        self.systems: Sequence[str] = tuple(block.name for block in experiment.systems)
        self.judges: Sequence[str] = tuple(block.name for block in experiment.judges)
        self.turns = experiment.limits.turns
        self._controls = {block.name for block in experiment.systems if _is_control(block.kind)}
        self._profiles: dict[str, Sequence[Profile] | None] = {}

    def is_control(self, system: str) -> bool:
        """Whether a system block is a control."""
        return system in self._controls

    def profiles(self, user: str) -> Sequence[Profile] | None:
        """Profiles of one user block, or None if it names no file and its kind brings none of its own."""
        if user not in self._profiles:
            self._profiles[user] = self._read_profiles(user)
        return self._profiles[user]

    def _make_profiles(self, made: MadeProfiles, key: str) -> Sequence[Profile]:
        seed = self.seed if made.seed is None else made.seed
        if made.demographic is not None:
            return demographic_profiles(made.demographic, seed)
        dataset = self.dataset()
        if dataset is None or made.generate is None:
            raise ConfigError(
                "wishes are made from items, and the experiment has no data set with any: name one, as in"
                " `data: {name: films}`",
                key=key,
            )
        domain = dataset.described
        if domain is not None and not dataset.has_items:
            try:
                return talk_profiles(domain, made.generate, seed, settings=made)
            except ConfigError as error:
                raise ConfigError(str(error), key=key) from None
        return generate_profiles(
            dataset.catalog(), made.generate, seed, settings=made, noun=wanted_noun(dataset), domain=domain
        ).profiles

    def dataset(self) -> Dataset | None:
        """The data set, or None if the experiment has none."""
        return self._dataset

    def _read_profiles(self, user: str) -> Sequence[Profile] | None:
        place, block = next((place, block) for place, block in enumerate(self.experiment.users) if block.name == user)
        folder = Path(self.experiment.folder)
        if isinstance(block.profiles, str):
            return read_profiles(folder / block.profiles)
        if block.profiles is not None:
            return self._make_profiles(block.profiles, f"users[{place}].profiles")
        kind: Any = USERS.load(block.kind, key=f"users[{place}].kind")
        if (own := getattr(kind, "own_profiles", None)) is None:
            return None
        found: Sequence[Profile] = own(options_of(kind, block.options, ("users", place, "options")), folder)
        return found

    @cached_property
    def _dataset(self) -> Dataset | None:
        if self.experiment.data is None:
            return None
        return load(filled_in(self.experiment.data, "data"), Path(self.experiment.folder))


def _is_control(kind: str) -> bool:
    """Whether a kind of system is a control; one whose package is gone, as where a run is only read, is none."""
    try:
        return bool(getattr(SYSTEMS.load(kind), "control", False))
    except ConfigError:
        return False


def calls_a_turn(kind: object) -> tuple[int, int, int]:
    """Return the least, expected and most calls a turn of a kind of user or system takes; one where it doesn't say."""
    found: tuple[int, int, int] = getattr(kind, "calls_a_turn", (1, 1, 1))
    return found


def procedure_of(experiment: Experiment) -> Procedure:
    """Build the protocol of an experiment with its options."""
    kind: Any = PROTOCOLS.load(experiment.protocol, key="protocol")
    procedure: Procedure = kind(options_of(kind, experiment.options, ("options",)))
    return procedure


def check_people(experiment: Experiment, plan: Plan) -> None:
    """Have every kind of user that is choosy look at the people it shall play, before anything runs.

    Raises:
        ConfigError: A kind can't play them, or not on this data.
    """
    for place, block in enumerate(experiment.users):
        if block.kind not in USERS.names():  # a finished run is looked at without the plug-ins it ran with
            continue
        check = getattr(USERS.load(block.kind, key=f"users[{place}].kind"), "check_people", None)
        if check is None:
            continue
        try:
            check(plan.profiles(block.name) or (), plan.dataset())
        except ConfigError as error:
            raise ConfigError(str(error), key=f"users[{place}]") from error


def planned_units(experiment: Experiment, procedure: Procedure, plan: Plan) -> Iterator[Unit]:
    """Yield all units that the experiment's limits and repeats let through, streaming.

    Raises:
        ConfigError: There is none, or a user can't play its people.
    """
    check_people(experiment, plan)
    chosen = select(procedure.units(plan), experiment.limits.units, experiment.seed)
    empty = True
    for unit in repeated(chosen, experiment.repeats):
        empty = False
        yield unit
    if empty:
        raise ConfigError(
            f"there is nothing to do: the protocol {experiment.protocol!r} finds no units. Name at least one system"
            " and, where users take part, one user, and look at `data` and its split."
        )
