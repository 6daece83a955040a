"""Units run side by side, fail alone, and stop together only when they must."""

import asyncio

import pytest

from mysteryshopper.core import CallFailed, Dialogue, StopRun, Unit
from mysteryshopper.experiment.runner import simulate
from mysteryshopper.experiment.store import RunStore


class Plan:
    seed = 7


class House:
    """Runs a coroutine function as the protocol."""

    def __init__(self, run):
        self.plan = Plan()
        self.procedure = self
        self._run = run

    async def run(self, unit, context):
        await self._run(unit, context)


@pytest.fixture
def store(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    store.add_units(Unit(str(number)) for number in range(20))
    yield store
    store.close()


async def test_never_more_units_in_flight_than_allowed(store):
    flying = highest = 0

    async def run(unit, context):
        nonlocal flying, highest
        flying += 1
        highest = max(highest, flying)
        await asyncio.sleep(0.001)
        flying -= 1

    await simulate(store, House(run), concurrency=3)
    assert highest == 3
    assert store.outcomes() == {("complete", "none"): 20}


async def test_a_failure_stays_with_its_unit(store):
    async def run(unit, context):
        if unit.id == "3":
            raise CallFailed("the model is down", ended="timeout", fault="infra")
        if unit.id == "4":
            raise ZeroDivisionError("in a plug-in")
        if unit.id == "5":
            context.save(Dialogue("d5", "p", (), "empty", "system", "no answer"))

    await simulate(store, House(run), concurrency=4)
    failed = {record.unit.id: record for record in store.units() if record.status == "failed"}
    assert {name: (record.ended, record.fault) for name, record in failed.items()} == {
        "3": ("timeout", "infra"),
        "4": ("unreadable", "infra"),
        "5": ("empty", "system"),
    }
    assert failed["4"].detail == "ZeroDivisionError: in a plug-in"
    assert store.outcomes()["complete", "none"] == 17


async def test_a_stop_ends_the_run_and_leaves_the_rest_planned(store):
    async def run(unit, context):
        if unit.id == "6":
            raise StopRun("401: the key was refused")
        await asyncio.sleep(0)

    with pytest.raises(StopRun, match="401"):
        await simulate(store, House(run), concurrency=2)
    assert {record.status for record in store.units()} == {"complete", "planned"}
    assert next(record for record in store.units() if record.unit.id == "6").status == "planned"


async def test_cancelling_leaves_units_in_flight_planned(store):
    async def run(unit, context):
        if int(unit.id) >= 5:
            await asyncio.sleep(60)

    done, five = [], asyncio.Event()

    def told(outcome):
        done.append(outcome)
        if len(done) == 5:
            five.set()

    task = asyncio.create_task(simulate(store, House(run), concurrency=4, told=told))
    await five.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.outcomes() == {("complete", "none"): 5, ("planned", "none"): 15}


async def test_randomness_depends_on_seed_unit_and_name_only(store):
    drawn = {}

    async def run(unit, context):
        drawn[unit.id] = (context.rng("mood").random(), context.rng("wish").random())

    await simulate(store, House(run), concurrency=8)
    first = dict(drawn)
    with RunStoreOf(store.path.with_name("other.sqlite")) as other:
        await simulate(other, House(run), concurrency=1)
    assert drawn == first
    assert len({value for pair in drawn.values() for value in pair}) == 40


class RunStoreOf:
    def __init__(self, path):
        self.store = RunStore(path)
        self.store.add_units(Unit(str(number)) for number in range(20))

    def __enter__(self):
        return self.store

    def __exit__(self, *exc):
        self.store.close()
