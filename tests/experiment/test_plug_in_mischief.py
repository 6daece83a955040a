"""What a plug-in or a user's function does wrong stays with its unit, is the right one's fault, and leaks nothing."""

import json
import sqlite3
from contextlib import closing

import pytest

from mysteryshopper.core import CallFailed, ConfigError, Dialogue, Node, StopRun, Unit
from mysteryshopper.experiment import Experiment, arun, run
from mysteryshopper.experiment.runner import simulate
from mysteryshopper.experiment.store import RunStore

SECRET = "correct-horse-battery-staple"
PROFILES = '{"id": "ann", "wish": "a comedy"}\n{"id": "bob", "wish": "a war film"}\n'


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def experiment(folder, shop, **changes):
    (folder / "people.jsonl").write_text(PROFILES)
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}],
        "systems": [{"name": "shop", "kind": "python", "function": shop}],
        "options": {"guard": "off"},
        "limits": {"turns": 1, "concurrency": 2},
        **changes,
    }
    return Experiment.from_dict(content, folder)


class Plan:
    seed = 7


class House:
    """Runs a coroutine function as the protocol."""

    def __init__(self, do):
        self.plan = Plan()
        self.procedure = self
        self._do = do

    async def run(self, unit, context):
        await self._do(unit, context)


@pytest.fixture
def store(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    store.add_units(Unit(str(number)) for number in range(6))
    yield store
    store.close()


BROKEN = {
    "a number that is none": Dialogue("d", "p", (), "answered", data={"score": float("nan")}),
    "a thing in the data": Dialogue("d", "p", (), "answered", data={"thing": object()}),
    "a thing in the state": Dialogue("d", "p", (Node("0", None, "user", 1, (), state={"x": object()}),), "answered"),
}


@pytest.mark.parametrize("dialogue", BROKEN.values(), ids=BROKEN)
async def test_a_dialogue_that_cannot_be_kept_is_the_loss_of_its_unit_alone(store, dialogue):
    async def do(unit, context):
        context.save(Dialogue(f"good {unit.id}", "p", (), "answered"))
        if unit.id == "2":
            context.save(dialogue)

    await simulate(store, House(do), concurrency=2)
    lost = {record.unit.id: record for record in store.units() if record.status != "complete"}
    assert {name: (record.status, record.fault) for name, record in lost.items()} == {"2": ("failed", "infra")}
    assert "can't be kept" in lost["2"].detail
    assert [stored.dialogue.id for stored in store.dialogues()] == [f"good {n}" for n in (0, 1, 3, 4, 5)]


async def test_half_a_character_in_an_error_is_written_as_a_mark(store):
    async def do(unit, context):
        if unit.id == "1":
            raise CallFailed("it said \ud83d", ended="http_error")
        if unit.id == "2":
            raise ValueError("it said \ud83d")
        if unit.id == "3":
            context.save(Dialogue("d\ud83d", "p\ud83d", (), "empty", "system", "it said \ud83d"))

    await simulate(store, House(do), concurrency=2)
    details = {record.unit.id: record.detail for record in store.units()}
    assert details["1"] == "it said \ufffd"
    assert details["2"] == "ValueError: it said \ufffd"
    assert details["3"] == "it said \ufffd"


def test_a_function_that_raises_half_a_character_is_the_systems_fault(tmp_path):
    def shop(messages, session):
        raise RuntimeError("no \ud83d")

    done = run(experiment(tmp_path, shop), tmp_path / "run")
    assert done.summary["units"]["faults"]["system"] == 2
    assert {row["detail"] for row in done.table("dialogues").to_pylist()} == {"RuntimeError: no \ufffd"}


def test_a_sync_function_may_return_an_awaitable(tmp_path):
    async def slow(messages):
        return f"{len(messages)} said"

    def shop(messages, session):
        return slow(messages)

    done = run(experiment(tmp_path, shop), tmp_path / "run")
    assert done.summary["units"]["complete"] == 2


@pytest.mark.parametrize("how", ["says", "raises"])
def test_a_secret_that_a_function_tells_is_written_nowhere(tmp_path, monkeypatch, how):
    monkeypatch.setenv("SHOP_KEY", SECRET)

    def shop(messages, session):
        if how == "raises":
            raise RuntimeError(f"the key {SECRET} was refused")
        return {"content": f"my key is {SECRET}", "items": [{"title": f"The {SECRET}"}]}

    other = {"name": "web", "kind": "http", "url": "http://127.0.0.1:9/r", "headers": {"X-Key": {"env": "SHOP_KEY"}}}
    local = {"name": "shop", "kind": "python", "function": shop}
    chosen = experiment(tmp_path, shop, systems=[local, other], limits={"turns": 1, "retries": 0, "attempt_timeout": 2})
    done = run(chosen, tmp_path / "run")
    assert done.summary["units"]["planned"] == 4
    for path in (tmp_path / "run").rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    with closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as database:
        dump = "\n".join(database.iterdump())
    assert SECRET not in dump
    assert "***" in dump
    if how == "says":
        texts = [row["text"] for row in done.table("turns").to_pylist() if row["role"] == "system"]
        assert texts == ["my key is ***"] * 2
    assert SECRET not in json.dumps([str(row) for row in done.table("dialogues").to_pylist()])


class BrokenProvider:
    """A provider of models whose `answer` raises what it is told to."""

    error: Exception = RuntimeError("a bug")

    @classmethod
    def make(cls, error):
        from mysteryshopper.models.sending import SimpleSender

        class Provider(SimpleSender):
            async def answer(self, request, address, seed):
                raise error

        return Provider


@pytest.mark.parametrize(
    ("error", "stops"),
    [(RuntimeError("a bug"), False), (ConfigError("this model can't be asked so"), True)],
    ids=["bug", "config"],
)
async def test_what_a_model_raises_is_never_its_callers_fault(tmp_path, monkeypatch, error, stops):
    from mysteryshopper.models import scripted

    monkeypatch.setattr(scripted, "ScriptedProvider", BrokenProvider.make(error))
    chosen = experiment(
        tmp_path,
        lambda messages, session: "ok",
        models={"writer": {"provider": "scripted", "params": {"replies": ["hi"]}}},
        users=[{"name": "u", "kind": "single-prompt", "model": "writer", "profiles": "people.jsonl"}],
    )
    if stops:
        with pytest.raises(StopRun, match="can't be asked so"):
            await arun(chosen, tmp_path / "run")
        return
    done = await arun(chosen, tmp_path / "run")
    assert done.summary["units"]["faults"] == {"user": 0, "system": 0, "judge": 0, "infra": 2}
    assert {record["detail"] for record in done.table("dialogues").to_pylist()} == {
        "model 'writer' failed: RuntimeError: a bug"
    }
