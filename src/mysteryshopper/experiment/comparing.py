"""Two runs against each other: differences paired on the units they share, and the units whose outcome changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Literal

from mysteryshopper.core import Estimate, ShopperError, StoredDialogue, unknown
from mysteryshopper.experiment.comparing_settings import Setting, differing, differing_files
from mysteryshopper.experiment.comparing_sides import Column, Scores, Side, dialogues_of, warnings_of
from mysteryshopper.experiment.files_read import FILES, read_record
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.metrics import paired_difference

Change = Literal["won", "lost"]

MOST_BESIDE = 100
"""Units whose dialogues are kept to be shown beside each other."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric of one user and pair of systems, over the units that both runs have a value for.

    Attributes:
        metric: Its name.
        user: Name of the user block; empty where nobody is simulated.
        systems: Name of the system in the first and in the second run.
        first: Mean of the first run over shared units; None without any.
        second: Mean of the second run over the same units.
        difference: The second minus the first, with interval, p and the smallest difference that could have been found.
        better: Which way the metric is better.
        unpaired: Units that only the first, and that only the second run has a value for.
    """

    metric: str
    user: str
    systems: tuple[str, str]
    first: float | None
    second: float | None
    difference: Estimate
    better: Literal["higher", "lower"] | None
    unpaired: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Moved:
    """A shared unit whose outcome changed.

    Attributes:
        unit: What the runs share: id, user and repeat.
        systems: The systems that are compared.
        change: `won`, the second run did better; `lost`, it did worse.
        first: Value in the first run.
        second: Value in the second.
        dialogues: Both dialogues; empty beyond the first `MOST_BESIDE` units, or where none was kept.
    """

    unit: str
    systems: tuple[str, str]
    change: Change
    first: float
    second: float
    dialogues: tuple[StoredDialogue, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs against each other; differences are the second minus the first.

    Attributes:
        first: Folder of the first run.
        second: Folder of the second.
        protocol: What both did.
        pairs: The systems that are compared: a name in each run.
        shared: How many units the runs share, of those systems.
        rows: The differences, in the order of the protocol's scores.
        outcome: Name of the score by which units were won or lost: the protocol's first.
        moved: Units whose outcome changed; lost ones first, in the order of the first run.
        settings: In what the experiments differ.
        warnings: What makes the comparison less than it seems, in plain sentences.
    """

    first: Path
    second: Path
    protocol: str
    pairs: tuple[tuple[str, str], ...]
    shared: int
    rows: tuple[Compared, ...]
    outcome: str
    moved: tuple[Moved, ...] = ()
    settings: tuple[Setting, ...] = ()
    warnings: tuple[str, ...] = ()

    def count(self, change: Change) -> int:
        """Return how many shared units were won or lost by the second run."""
        return sum(moved.change == change for moved in self.moved)


def compare(first: str | Path, second: str | Path, systems: tuple[str, str] | None = None) -> Comparison:
    """Compare two runs on the units they share: equal scenario, user block and repeat.

    Args:
        first: Folder of the run that is compared with (the old one).
        second: Folder of the other run (the new one); may be the same, to compare two systems of one run.
        systems: Name of the system in the first, and in the second run. By default all systems of equal names; or,
            where there are none, the only system of each.

    Raises:
        ShopperError: A folder holds no run; the protocols differ, or have no values to be compared by; there is no such
            system, or it can't be told which are meant.
    """
    with ExitStack() as stack:
        sides = [Side.open(Path(folder), stack) for folder in (first, second)]
        one, other = sides
        if one.experiment.protocol != other.experiment.protocol:
            raise ShopperError(
                f"{one.folder} is a run of the protocol {one.experiment.protocol!r} and {other.folder} one of"
                f" {other.experiment.protocol!r}: only runs of one protocol can be compared."
            )
        pairs = _pairs(one, other, systems)
        scores = [side.read({names[place] for names in pairs}) for place, side in enumerate(sides)]
        old, new = scores
        rows = tuple(row for names in pairs for row in _rows(old, new, names))
        outcome = next(iter({row.metric: None for row in rows}), "")
        moved = [unit for names in pairs for unit in _moved(old, new, names, outcome)]
        moved.sort(key=lambda unit: unit.change)
        settings = differing(one.experiment, other.experiment, pairs)
        read = (read_record(one.store.noted(FILES)) or (), read_record(other.store.noted(FILES)) or ())
        settings += differing_files(one.experiment, other.experiment, read, pairs)
        shared = sum(len(old.units.get(names[0], set()) & new.units.get(names[1], set())) for names in pairs)
        return Comparison(
            one.folder,
            other.folder,
            one.experiment.protocol,
            tuple(pairs),
            shared,
            rows,
            outcome,
            tuple(_with_dialogues(moved, one.store, other.store)),
            tuple(settings),
            tuple(warnings_of(sides, scores, pairs, shared, settings)),
        )


def _pairs(first: Side, second: Side, systems: tuple[str, str] | None) -> list[tuple[str, str]]:
    names = [[block.name for block in side.experiment.systems] for side in (first, second)]
    if systems is not None:
        for side, known, name in zip((first, second), names, systems, strict=True):
            if name not in known:
                raise ShopperError(f"{side.folder}: {unknown('system', name, known)}")
        return [systems]
    if first.folder.resolve() == second.folder.resolve():
        raise ShopperError("this is one run: name two of its systems with --systems, as in --systems old new.")
    if shared := [(name, name) for name in names[0] if name in names[1]]:
        return shared
    if len(names[0]) == len(names[1]) == 1:
        return [(names[0][0], names[1][0])]
    raise ShopperError(
        f"no system of {first.folder} ({', '.join(names[0])}) has the name of one of {second.folder}"
        f" ({', '.join(names[1])}): name one of each with --systems, as in --systems {names[0][0]} {names[1][0]}."
    )


def _rows(first: Scores, second: Scores, systems: tuple[str, str]) -> Iterator[Compared]:
    columns = [
        (metric, user)
        for metric, user, system in dict.fromkeys([*first.values, *_renamed(second, systems)])
        if system == systems[0]
    ]
    order = list(dict.fromkeys([*first.better, *second.better]))
    for metric, user in sorted(columns, key=lambda column: order.index(column[0])):
        old = first.values.get((metric, user, systems[0]), {})
        new = second.values.get((metric, user, systems[1]), {})
        if not old and not new:
            continue
        both = sorted(old.keys() & new.keys())
        found = paired_difference(new, old, {**second.clusters, **first.clusters})
        reason = found.estimate.reason if both else "the runs share no unit that both have a value for"
        yield Compared(
            metric,
            user,
            systems,
            _mean([old[unit] for unit in both]),
            _mean([new[unit] for unit in both]),
            replace(found.estimate, p=found.p, detectable=found.detectable, reason=reason),
            first.better.get(metric) or second.better.get(metric),
            (len(old.keys() - new.keys()), len(new.keys() - old.keys())),
        )


def _renamed(scores: Scores, systems: tuple[str, str]) -> Iterator[Column]:
    """Yield the columns of the second run's system under the name of the first's."""
    return ((metric, user, systems[0]) for metric, user, system in scores.values if system == systems[1])


def _moved(first: Scores, second: Scores, systems: tuple[str, str], outcome: str) -> Iterator[Moved]:
    up: Change = "lost" if (first.better.get(outcome) or second.better.get(outcome)) == "lower" else "won"
    down: Change = "lost" if up == "won" else "won"
    for (metric, user, system), old in first.values.items():
        if (metric, system) != (outcome, systems[0]):
            continue
        new = second.values.get((outcome, user, systems[1]), {})
        for unit, before in old.items():
            after = new.get(unit, before)
            if after != before:
                yield Moved(unit, systems, up if after > before else down, before, after)


def _with_dialogues(moved: Sequence[Moved], first: RunStore, second: RunStore) -> Iterator[Moved]:
    chosen = moved[:MOST_BESIDE]
    wanted = [{(unit.unit, unit.systems[place]) for unit in chosen} for place in (0, 1)]
    kept = [dialogues_of(store, names) for store, names in zip((first, second), wanted, strict=True)]
    for place, unit in enumerate(moved):
        if place < MOST_BESIDE:
            both = [found.get((unit.unit, unit.systems[side])) for side, found in enumerate(kept)]
            unit = replace(unit, dialogues=tuple(one for one in both if one is not None) if all(both) else ())
        yield unit


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
