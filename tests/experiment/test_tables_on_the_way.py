"""Tables are whole and the same, however far a protocol reads what they are written from."""

from collections.abc import Callable
from itertools import islice
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from mysteryshopper.core import (
    Address,
    Call,
    Case,
    Criterion,
    Dialogue,
    Exhibit,
    Message,
    Node,
    Ruling,
    StopRun,
    Store,
    StoredVerdict,
    Unit,
    Unjudged,
    Verdict,
)
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.tables import Tables

COUNT = 3


def said(text: str) -> Node:
    return Node("0", None, "user", 1, (Message("user", text, author="simulated"),))


@pytest.fixture
async def store(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    store.plan = SimpleNamespace(is_control=lambda system: False)
    units = [Unit(f"u{number}", "people", "shop") for number in range(COUNT)]
    store.add_units(units)
    for number, unit in enumerate(units):
        name = f"d{number}"
        await store.finish_unit(
            unit, [Dialogue(name, "p", (said(f"word {number}"),), "user_done")], "user_done", "none", ""
        )
        case = Case(name, unit.key, (Exhibit("A", name, "0", ()),), (Criterion("warmth", "How warm?"),))
        verdict = Verdict(name, (Ruling("warmth", number + 1, "ok"),))
        await store.put_verdict(StoredVerdict(case, verdict, "critic", "k"))
    yield store
    store.close()


def nothing(store: Store) -> None:
    """Reads nothing."""


def everything(store: Store) -> None:
    assert [stored.dialogue.id for stored in store.dialogues()] == ["d0", "d1", "d2"]
    assert len(list(store.verdicts(messages=False))) == COUNT


def everything_twice_at_once(store: Store) -> None:
    for one, other in zip(store.dialogues(), store.dialogues(), strict=True):
        assert one == other
    everything(store)


def only_the_first(store: Store) -> None:
    assert [stored.dialogue.id for stored in islice(store.dialogues(), 1)] == ["d0"]
    assert len(list(islice(store.verdicts(messages=False), 2))) == 2


HELD = []


def the_first_and_holds_on(store: Store) -> None:
    reading = store.dialogues()
    next(reading)
    HELD.append(reading)


def without_words_or_some(store: Store) -> None:
    assert [stored.dialogue.nodes for stored in store.dialogues(nodes=False)] == [()] * COUNT
    assert [stored.dialogue.id for stored in store.dialogues(among={"d1"})] == ["d1"]
    assert len(list(store.verdicts())) == COUNT


@pytest.mark.parametrize(
    "read",
    [nothing, everything, everything_twice_at_once, only_the_first, the_first_and_holds_on, without_words_or_some],
)
def test_tables_are_whole_however_far_somebody_reads(tmp_path, store, read: Callable[[Store], None]):
    folder = tmp_path / "tables"
    tables = Tables(folder, store, 2, store.state())
    read(tables.over)
    tables.finish(())
    for held in HELD:
        held.close()
    HELD.clear()
    assert pq.read_table(folder / "dialogues.parquet")["dialogue"].to_pylist() == ["d0", "d1", "d2"]
    turns = pq.read_table(folder / "turns.parquet").to_pylist()
    assert [(row["dialogue"], row["text"]) for row in turns] == [("d0", "word 0"), ("d1", "word 1"), ("d2", "word 2")]
    verdicts = pq.read_table(folder / "verdicts.parquet").to_pylist()
    assert [(row["case"], row["value"]) for row in verdicts] == [("d0", "1"), ("d1", "2"), ("d2", "3")]
    assert not list(folder.glob("*.partial"))


def test_a_reader_that_fails_leaves_the_older_table(tmp_path, store):
    folder = tmp_path / "tables"
    Tables(folder, store, 2, "early").finish(())
    before = (folder / "turns.parquet").read_bytes()
    reading = Tables(folder, store, 2, "late").over.dialogues()
    next(reading)
    with pytest.raises(ZeroDivisionError):
        reading.throw(ZeroDivisionError)
    assert not list(folder.glob("turns.partial"))
    assert (folder / "turns.parquet").read_bytes() == before


def test_a_place_that_cannot_be_written_is_named(tmp_path, store):
    (tmp_path / "tables").write_text("in the way")
    with pytest.raises(StopRun, match="tables can't be written"):
        Tables(tmp_path / "tables", store, 2, "")


KEPT = ("dialogues", "turns", "verdicts", "unjudged", "calls")


def written(folder, store, schema=2):
    """Write the tables; return the names of those that were written anew."""
    before = {path.name: path.stat().st_ino for path in folder.glob("*.parquet")}
    tables = Tables(folder, store, schema, store.state())
    everything(tables.over)
    tables.finish(())
    return {path.stem for path in folder.glob("*.parquet") if before.get(path.name) != path.stat().st_ino}


async def another_verdict(store):
    case = Case("d0", "u0", (Exhibit("A", "d0", "0", ()),), (Criterion("warmth", "How warm?"),))
    await store.put_verdict(StoredVerdict(case, Verdict("d0", (Ruling("warmth", 5, "ok"),)), "other", "k2"))


async def another_call(store):
    await store.commit_call(Call("c", "c", Address("u0"), "m", "ok", {"text": "hi"}, "stop"))


async def a_unit_done_again(store):
    store.start_unit(Unit("u1", "people", "shop"))
    again = Dialogue("d1", "p", (said("word 1"),), "user_done")
    await store.finish_unit(Unit("u1", "people", "shop"), [again], "user_done", "none", "")


async def a_case_given_up(store):
    case = Case("d2", "u2", (Exhibit("A", "d2", "0", ()),), (Criterion("warmth", "How warm?"),))
    await store.put_unjudged(Unjudged(case, judge="third", judge_key="k3", status="unreadable", reason="no answer"))


def test_tables_of_a_store_that_did_not_change_are_left(tmp_path, store):
    folder = tmp_path / "tables"
    assert written(folder, store) == {*KEPT, "scores", "metrics"}
    assert written(folder, store) == {"scores", "metrics"}
    (folder / "turns.parquet").unlink()
    (folder / "calls.parquet").write_bytes(b"torn")
    assert written(folder, store) >= {"dialogues", "turns", "calls"}
    assert written(folder, store, schema=3) >= set(KEPT)


@pytest.mark.parametrize("change", [another_verdict, another_call, a_unit_done_again, a_case_given_up])
async def test_whatever_changed_in_the_store_is_in_the_tables(tmp_path, store, change):
    folder = tmp_path / "tables"
    Tables(folder, store, 2, store.state()).finish(())
    before = store.state()
    await change(store)
    assert store.state() != before
    Tables(folder, store, 2, store.state()).finish(())
    rows = sum(pq.read_metadata(folder / f"{name}.parquet").num_rows for name in ("verdicts", "calls", "unjudged"))
    assert rows == COUNT + (change is not a_unit_done_again)


async def test_turns_that_dialogues_share_are_rows_of_each(tmp_path, store):
    """One prefix of two messages and one question under two dialogues, which then go their own ways."""
    prefix = Node("0", None, "system", 0, (Message("user", "hello"), Message("assistant", "hi", author="human")))
    question = Node("0.0", "0", "system", 1, (Message("assistant", "which kind?"),))
    for name, answer in (("d0", "the short one"), ("d1", "the long one")):
        unit = Unit(f"u{name[1]}", "people", "shop")
        store.start_unit(unit)
        own = Node("0.0.0", "0.0", "user", 1, (Message("user", answer, author="simulated"),))
        await store.finish_unit(
            unit, [Dialogue(name, "p", (prefix, question, own), "user_done")], "user_done", "none", ""
        )
    Tables(tmp_path / "tables", store, 2, store.state()).finish(())
    rows = pq.read_table(tmp_path / "tables" / "turns.parquet").to_pylist()
    assert [(row["dialogue"], row["node"], row["turn"], row["role"], row["text"]) for row in rows] == [
        ("d0", "0", 0, "user", "hello"),
        ("d0", "0", 0, "system", "hi"),
        ("d0", "0.0", 1, "system", "which kind?"),
        ("d0", "0.0.0", 1, "user", "the short one"),
        ("d1", "0", 0, "user", "hello"),
        ("d1", "0", 0, "system", "hi"),
        ("d1", "0.0", 1, "system", "which kind?"),
        ("d1", "0.0.0", 1, "user", "the long one"),
        ("d2", "0", 1, "user", "word 2"),
    ]
