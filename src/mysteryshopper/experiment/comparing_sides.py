"""One run as it is compared with another: its scores, its dialogues, and what speaks against the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mysteryshopper.core import Scoring, ShopperError, StoredDialogue, digest
from mysteryshopper.experiment.comparing_settings import Setting, about_users
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.view import procedure_of

Column = tuple[str, str, str]
"""Metric, user, system."""


@dataclass
class Scores:
    """The scores of one run.

    Attributes:
        values: By metric, user and system, a value a unit; units without one are left out.
        units: By system, all units with a score, valued or not.
        clusters: What each unit depends on others by.
        better: Which way each metric is better.
        wishes: A digest of what the person of each unit wants.
    """

    values: dict[Column, dict[str, float]] = field(default_factory=dict)
    units: dict[str, set[str]] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    better: dict[str, Literal["higher", "lower"] | None] = field(default_factory=dict)
    wishes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Side:
    """A run that is open for reading."""

    folder: Path
    experiment: Experiment
    store: RunStore

    @classmethod
    def open(cls, folder: Path, stack: ExitStack) -> Side:
        """Open a run; it is closed with the stack.

        Raises:
            ShopperError: The folder holds none.
        """
        experiment, store = open_run(folder)
        stack.callback(store.close)
        return cls(folder, experiment, store)

    def read(self, systems: set[str]) -> Scores:
        """Read the scores of some systems.

        Raises:
            ShopperError: The protocol has none.
        """
        procedure = procedure_of(self.experiment)
        if not isinstance(procedure, Scoring):
            raise ShopperError(f"runs of the protocol {self.experiment.protocol!r} have no values to be compared by.")
        found = Scores()
        for score in procedure.scores(self.store):
            if score.system not in systems:
                continue
            found.better.setdefault(score.name, score.better)
            found.units.setdefault(score.system, set()).add(score.unit)
            column = found.values.setdefault((score.name, score.user, score.system), {})
            found.clusters.setdefault(score.unit, score.cluster)
            if score.value is not None:
                column[score.unit] = score.value
        for stored in self.store.dialogues(nodes=False):
            if systems & _systems(stored):
                data = stored.dialogue.data
                found.wishes[_name(stored)] = digest([data.get(key) for key in ("wish", "constraints", "targets")])
        return found


def dialogues_of(store: RunStore, wanted: set[tuple[str, str]]) -> Mapping[tuple[str, str], StoredDialogue]:
    """Return the dialogues of some units (name and system), reading the others past."""
    if not wanted:
        return {}
    found: dict[tuple[str, str], StoredDialogue] = {}
    for stored in store.dialogues():
        for system in _systems(stored):
            if (key := (_name(stored), system)) in wanted:
                found.setdefault(key, stored)
    return found


def warnings_of(
    sides: Sequence[Side],
    scores: Sequence[Scores],
    pairs: Sequence[tuple[str, str]],
    shared: int,
    settings: Sequence[Setting],
) -> Iterator[str]:
    """Yield in plain sentences what makes a comparison less than it seems.

    Args:
        sides: Both runs.
        scores: Their scores.
        pairs: The systems that are compared: a name in each run.
        shared: How many units they share.
        settings: In what the experiments differ.
    """
    first, second = scores
    if not shared:
        yield (
            "The runs share no unit (scenario, user block and repeat), so nothing can be compared: run both with the"
            " same data, users and seed."
        )
    for side in sides:
        if pending := side.store.count_pending():
            yield f"{side.folder} has {pending:,} units that are still to run: `mysteryshopper resume {side.folder}`."
    if matter := [setting.key for setting in settings if setting.matters]:
        what = "simulators" if about_users(sides[0].experiment) else "systems"
        yield f"The runs differ in more than the {what}: {', '.join(matter)}. A difference may come from these."
    others = sum(second.wishes.get(unit, wish) != wish for unit, wish in first.wishes.items())
    if others:
        yield f"In {others:,} shared units the person wants something else in the second run: their data differ."
    tested = [{pair[place] for pair in pairs} for place in (0, 1)]
    if about_users(sides[0].experiment):
        tested = [{block.name for block in side.experiment.users} for side in sides]
    role = "user" if about_users(sides[0].experiment) else "system"
    prompts = [_prompts(side.store, role, names) for side, names in zip(sides, tested, strict=True)]
    for who in sorted(prompts[0].keys() & prompts[1].keys()):
        if prompts[0][who] != prompts[1][who]:
            yield f"The prompts of the {who} differ: another prompt is another instrument."


def _prompts(store: RunStore, role: str, tested: set[str]) -> dict[str, set[str]]:
    """Return the prompts that were used, by role and block, but for those of who is compared: blocks of a role."""
    found: dict[str, set[str]] = {}
    for call in store.calls():
        where = call.address
        if call.prompt and not (where.role == role and where.component in tested):
            found.setdefault(f"{where.role} {where.component}", set()).add(call.prompt)
    return found


def _name(stored: StoredDialogue) -> str:
    """Return what runs share of a dialogue's unit."""
    return f"{stored.unit.id}|{stored.unit.user}|{stored.unit.repeat}"


def _systems(stored: StoredDialogue) -> set[str]:
    """Return the systems that speak in a dialogue: the unit's own, or both of a pair on one ground."""
    return set(stored.unit.data.get("pair") or (stored.unit.system,))
