"""Runs the planned units, many at once, each to an outcome that is committed before the next begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatModel,
    ConfigError,
    Dialogue,
    Ended,
    Fault,
    Json,
    Plan,
    Procedure,
    StopRun,
    System,
    Unit,
    User,
    rng,
)
from mysteryshopper.experiment.rows import Unkeepable
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.workers import work_through


class House(Protocol):
    """Everything that was built from the experiment file."""

    plan: Plan
    procedure: Procedure

    def user(self, name: str) -> User:
        """The user block of that name."""
        ...

    def system(self, name: str) -> System:
        """The system block of that name."""
        ...

    def model(self, name: str) -> ChatModel:
        """The model of that name, for the protocol."""
        ...


class UnitContext:
    """The `RunContext` of one unit."""

    def __init__(self, house: House, unit: Unit, attempt: int) -> None:
        """Make the context of one try at a unit."""
        self.house = house
        self._unit = unit
        self.plan = house.plan
        self.address = Address(unit=unit.id, repeat=unit.repeat)
        self.attempt = attempt
        self.saved: list[Dialogue] = []

    def user(self, name: str) -> User:
        """The user block of that name."""
        return self.house.user(name)

    def system(self, name: str) -> System:
        """The system block of that name."""
        return self.house.system(name)

    def model(self, name: str) -> ChatModel:
        """The model of that name."""
        return self.house.model(name)

    def rng(self, *names: Json) -> Random:
        """Randomness of this unit; the same for every user and system it is run with."""
        return rng(self.plan.seed, self._unit.id, self._unit.repeat, *names)

    def save(self, dialogue: Dialogue) -> None:
        """Keep a dialogue until the unit's outcome is committed."""
        self.saved.append(dialogue)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one unit came out."""

    unit: Unit
    ended: Ended
    fault: Fault


async def simulate(
    store: RunStore, house: House, concurrency: int, told: Callable[[Outcome], None] = lambda outcome: None
) -> None:
    """Run all pending units of a store, `concurrency` at once.

    A failure inside a unit is that unit's outcome; the others go on. Cancelling leaves the units in flight planned.

    Args:
        store: Where units come from and outcomes go.
        house: What was built from the experiment.
        concurrency: How many units are in flight at most.
        told: Called after each outcome is committed.

    Raises:
        StopRun: Something makes all further calls pointless; what is committed stays.
    """

    async def work(unit: Unit) -> None:
        told(await _run_unit(unit, store, house))

    await work_through(store.pending(), concurrency, work)


async def _run_unit(unit: Unit, store: RunStore, house: House) -> Outcome:
    context = UnitContext(house, unit, store.start_unit(unit))
    detail = ""
    try:
        await house.procedure.run(unit, context)
        ended, fault, detail = _verdict(context.saved)
    except CallFailed as failure:
        ended, fault, detail = failure.ended, failure.fault or "infra", str(failure)
    except StopRun:
        raise
    except ConfigError as error:  # what can't be used here can't be used by any unit
        raise StopRun(str(error)) from error
    except Exception as error:  # a fault in a protocol or plug-in must not take the other units with it
        ended, fault, detail = "unreadable", "infra", f"{type(error).__name__}: {error}"
    try:
        await store.finish_unit(unit, context.saved, ended, fault, detail, first=context.attempt == 0)
    except Unkeepable as error:
        ended, fault = "unreadable", "infra"
        await store.finish_unit(unit, (), ended, fault, str(error))
    return Outcome(unit, ended, fault)


def _verdict(dialogues: list[Dialogue]) -> tuple[Ended, Fault, str]:
    """Return how a unit ended: as its first faulty dialogue did, else as its first."""
    if not dialogues:
        return "answered", "none", ""
    worst = next((dialogue for dialogue in dialogues if dialogue.fault != "none"), dialogues[0])
    return worst.ended, worst.fault, worst.detail
