"""The run's database keeps what was committed, and nothing else."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from dataclasses import replace

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
    ShopperError,
    StopRun,
    StoredVerdict,
    Unit,
    Unjudged,
    Usage,
    Verdict,
)
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.verdict_shelf import case_key


@pytest.fixture
def store(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    yield store
    store.close()


def call(name: str, key: str = "k", status: str = "ok", **changes) -> Call:
    values = {"id": name, "key": key, "address": Address("u", 0, "0.1", "user", "plain", "reply", 0), "model": "m"}
    return Call(
        **{**values, "status": status, "reply": {"text": "hi"}, "usage": Usage(3, 4, 0.5), "ms": 1.5, **changes}
    )


def dialogue(name: str, unit: str, text: str = "hello") -> Dialogue:
    node = Node("0", None, "user", 1, (Message("user", text, author="simulated"),), state={"mood": "good"})
    return Dialogue(name, "p1", (node,), "user_done", success=True, root=unit, data={"targets": ["7"]})


async def test_calls_come_back_as_they_were(store):
    await store.commit_call(call("c1"))
    assert store.find_call("k") == call("c1")
    assert list(store.calls()) == [call("c1")]
    assert store.usage() == {"user": (1, 0, 3, 4, 0.5, 0)}


async def test_only_good_calls_are_found_again(store):
    await store.commit_call(call("c1", "bad-key", "bad"))
    await store.commit_call(call("c2", "error-key", "error", reply=None))
    assert store.find_call("bad-key") is None
    assert store.find_call("error-key") is None


async def test_unknown_cost_stays_unknown(store):
    await store.commit_call(call("c1", "k1", usage=Usage(1, 1, None)))
    await store.commit_call(call("c2", "k2", usage=Usage(1, 1, 0.25)))
    assert store.usage()["user"][-2:] == (0.25, 1)


async def test_a_unit_is_planned_once_and_keeps_its_outcome(store):
    units = [Unit("a", "u", "s", cluster="d1", data={"x": 1}), Unit("b", "u", "s")]
    assert store.add_units(units) == 2
    assert store.add_units(units) == 0
    assert list(store.pending()) == [units[0], Unit("b", "u", "s", cluster="b")]
    await store.finish_unit(units[0], [dialogue("d", "a")], "user_done", "none", "")
    assert [unit.id for unit in store.pending()] == ["b"]
    assert store.outcomes() == {("complete", "none"): 1, ("planned", "none"): 1}
    (stored,) = store.dialogues()
    assert stored.unit == units[0]
    assert stored.dialogue == dialogue("d", "a")


async def test_running_a_unit_again_replaces_its_dialogues(store):
    unit = Unit("a")
    store.add_units([unit])
    await store.finish_unit(unit, [dialogue("d", "a"), dialogue("e", "a")], "http_error", "infra", "endpoint down")
    assert store.count_pending() == 1
    await store.finish_unit(unit, [dialogue("d", "a", "again")], "user_done", "none", "")
    assert [stored.dialogue.nodes[0].messages[0].text for stored in store.dialogues()] == ["again"]
    assert store.count_pending() == 0


def test_an_older_file_is_refused_in_one_sentence_and_not_touched(tmp_path):
    path = tmp_path / "run.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        db.execute("INSERT INTO meta VALUES ('schema', '1')")
    with pytest.raises(ShopperError, match=r"schema version 1,.* reads 2: go on with the .* or run .* anew\.$"):
        RunStore(path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() == [("meta",)]


async def test_faults_of_sides_are_results_and_not_run_again(store):
    for name, fault in (("a", "system"), ("b", "user"), ("c", "judge"), ("d", "infra")):
        store.add_units([Unit(name)])
        await store.finish_unit(Unit(name), [], "empty", fault, "")
    assert [unit.id for unit in store.pending()] == ["d"]


async def test_starts_are_counted(store):
    store.add_units([Unit("a")])
    assert [store.start_unit(Unit("a")) for _ in range(3)] == [0, 1, 2]


async def test_verdicts_are_never_overwritten_and_the_newest_judge_is_shown(store):
    case = Case("c", "u", (Exhibit("A", "d", "0", ()),), (Criterion("kind", "Was it kind?"),))

    def verdict(key: str, value: int) -> StoredVerdict:
        return StoredVerdict(case, Verdict("c", (Ruling("kind", value, "ok"),)), "tester", key)

    await store.put_verdict(verdict("v1", 1))
    await store.put_verdict(verdict("v1", 5))
    assert [stored.verdict.rulings[0].value for stored in store.verdicts()] == [1]
    await store.put_verdict(verdict("v2", 4))
    assert [stored.judge_key for stored in store.verdicts()] == ["v2"]
    assert store.has_verdict(case_key(case), "v1", 0)


async def test_a_verdict_belongs_to_what_was_said_when_it_was_given(store):
    def case(text, name="c"):
        said = (Message("assistant", text, author="system"),)
        return Case(name, "u", (Exhibit("A", "d", "0", said),), (Criterion("kind", "Was it kind?"),))

    def verdict(shown, value):
        return StoredVerdict(shown, Verdict("c", (Ruling("kind", value, "ok"),)), "tester", "v1")

    await store.put_verdict(verdict(case("No."), 1))
    await store.put_unjudged(Unjudged(case("No."), "other", "v9", "http_error", "502"))
    assert not store.has_verdict(case_key(case("With pleasure.")), "v1", 0)  # the dialogue was held anew
    await store.put_verdict(verdict(case("With pleasure."), 5))
    (stored,) = store.verdicts()
    assert (stored.verdict.rulings[0].value, stored.case) == (5, case("With pleasure."))
    assert store._db.execute("SELECT count(*) FROM verdicts").fetchone() == (2,)  # the old one is kept
    assert next(iter(store.unjudged())).case.exhibits[0].dialogue == "d"


def test_the_order_of_exhibits_is_no_other_case():
    one, other = (Exhibit("A", "d", "0", (Message("assistant", text),)) for text in ("Yes.", "No."))
    both = [Case("c", "u", exhibits, ()) for exhibits in ((one, other), (other, one), (one, one))]
    assert case_key(both[0]) == case_key(both[1]) != case_key(both[2])


async def test_waiters_of_one_tick_share_a_commit(store):
    commits = []
    store._db.set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None)
    await asyncio.gather(*(store.commit_call(call(f"c{number}", f"k{number}")) for number in range(50)))
    assert len(commits) == 1


def test_a_newer_file_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.sqlite"
    RunStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
        db.execute("ALTER TABLE nodes RENAME TO turns")
    db.close()
    with pytest.raises(ShopperError, match=r"schema version 99.*: update mysteryshopper\.$"):
        RunStore(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'nodes'").fetchone() == (0,)
    db.close()


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "run.sqlite"
    path.write_bytes(b"not a database, certainly not one of ours" * 50)
    with pytest.raises(ShopperError, match="can't be opened"):
        RunStore(path)


def test_what_was_committed_survives_a_kill(tmp_path):
    """A process that is killed right after it was told `durable` has lost nothing it was told of."""
    script = textwrap.dedent(
        """
        import asyncio, sys
        from pathlib import Path
        from mysteryshopper.core import Address, Call
        from mysteryshopper.experiment.store import RunStore
        async def main():
            store = RunStore(Path(sys.argv[1]))
            number = 0
            while True:
                await store.commit_call(Call(f"c{number}", f"k{number}", Address("u"), "m", "ok", {}))
                print(number, flush=True)
                number += 1
        asyncio.run(main())
        """
    )
    path = tmp_path / "run.sqlite"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    told = [int(process.stdout.readline()) for _ in range(200)]
    os.kill(process.pid, signal.SIGKILL)
    told += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    process.wait()
    process.stdout.close()
    store = RunStore(path)
    kept = {stored.id for stored in store.calls()}
    store.close()
    assert {f"c{number}" for number in told} <= kept


def test_a_full_disk_is_one_clear_line_and_loses_nothing(tmp_path):
    """The file may not grow past a limit: the write fails in words, and earlier records stay readable."""
    script = textwrap.dedent(
        """
        import asyncio, resource, signal, sys
        from pathlib import Path
        from mysteryshopper.core import Address, Call, StopRun
        from mysteryshopper.experiment.store import RunStore
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        async def main():
            store = RunStore(Path(sys.argv[1]))
            await store.commit_call(Call("first", "k", Address("u"), "m", "ok", {"text": "kept"}))
            resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
            try:
                for number in range(100):
                    await store.commit_call(Call(f"c{number}", f"k{number}", Address("u"), "m", "ok", "x" * 50_000))
            except StopRun as stop:
                print(stop)
                sys.stdout.flush()
                import os; os._exit(0)
        asyncio.run(main())
        """
    )
    path = tmp_path / "run.sqlite"
    # no bytecode: the limit would leave half of a compiled module behind
    command = [sys.executable, "-B", "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "can't be written" in done.stdout
    assert f"mysteryshopper resume {tmp_path}" in done.stdout
    assert len(done.stdout.strip().split("\n")) == 1
    store = RunStore(path)
    kept = [stored.id for stored in store.calls()]
    store.close()
    assert kept[0] == "first"
    assert kept == ["first", *(f"c{number}" for number in range(len(kept) - 1))]


async def test_values_that_no_database_takes_harm_no_other_call(store):
    good, bad, late = await asyncio.gather(
        store.commit_call(call("c1", "k1")),
        store.commit_call(call("half \ud83d", "k2")),
        store.commit_call(call("c3", "k3")),
        return_exceptions=True,
    )
    assert isinstance(bad, UnicodeEncodeError)
    assert good is None
    assert late is None
    assert [stored.id for stored in store.calls()] == ["c1", "c3"]
    assert store.find_call("k2") is None
    assert store.find_call("k3") == call("c3", "k3")


async def test_all_who_wait_are_told_when_nothing_can_be_written(store):
    """Those whose rows were written in vain, and those whose rows were not reached."""
    store._db.execute("ALTER TABLE calls RENAME TO lost")
    told = await asyncio.gather(
        *(store.commit_call(call(f"c{number}", f"k{number}")) for number in range(3)), return_exceptions=True
    )
    assert [type(error) for error in told] == [StopRun] * 3
    with pytest.raises(StopRun):
        await store.commit_call(call("c4", "k4"))


async def test_closing_keeps_what_nobody_was_told_of_yet(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    waiting = asyncio.ensure_future(store.commit_call(call("c1")))
    await asyncio.sleep(0)
    assert list(store.calls()) == []
    waiting.cancel()
    store.close()
    store = RunStore(tmp_path / "run.sqlite")
    assert list(store.calls()) == [call("c1")]
    store.close()


async def test_a_sum_holds_what_nobody_was_told_of_yet(store):
    waiting = asyncio.ensure_future(store.commit_call(call("c1")))
    await asyncio.sleep(0)
    waiting.cancel()
    assert store.usage() == {"user": (1, 0, 3, 4, 0.5, 0)}


async def test_a_key_has_one_good_call_and_any_number_of_failures(store):
    for name in ("e1", "e2"):
        await store.commit_call(call(name, status="error", reply=None))
    for name in ("c1", "c2"):
        await store.commit_call(call(name))
    assert [stored.id for stored in store.calls()] == ["e1", "e2", "c1"]


def test_the_log_is_moved_into_the_database_while_the_run_goes_on(tmp_path):
    """Without checkpoints the write-ahead log would hold every call of a long run."""

    async def write() -> int:
        store = RunStore(tmp_path / "run.sqlite")
        for number in range(2500):
            await store.commit_call(call(f"c{number}", f"k{number}", reply={"text": "x" * 200}))
        if store._commits._checkpoint is not None:
            await asyncio.wait([store._commits._checkpoint])
        size = (tmp_path / "run.sqlite").stat().st_size
        store.close()
        return size

    assert asyncio.run(write()) > 500_000


def long_case(name: str, *criteria: Criterion) -> Case:
    said = Message("assistant", "Try Lantern Road, said the clerk of secret-123456.", author="system")
    exhibit = Exhibit("A", "d", "0", (said,))
    return Case(name, "u", (exhibit,), criteria, context=(Message("system", "a slow film"),), data={"cluster": "p1"})


async def test_a_case_is_kept_once_and_comes_back_with_or_without_what_was_said(store):
    kind, quick = Criterion("kind", "Was it kind?"), Criterion("quick", "Was it quick?", low=0, high=1)
    for judge, criteria in (("one", (kind,)), ("other", (kind, quick))):
        for number in range(3):
            case = long_case(f"c{number}", *criteria)
            await store.put_verdict(StoredVerdict(case, Verdict(case.id, ()), judge, judge))
    whole = list(store.verdicts())
    assert [(stored.case.id, stored.judge) for stored in whole[:3]] == [("c0", "one"), ("c0", "other"), ("c1", "one")]
    assert whole[0].case == long_case("c0", kind)
    assert whole[1].case == long_case("c0", kind, quick)
    bare = next(iter(store.verdicts(messages=False))).case
    assert bare.exhibits == (Exhibit("A", "d", "0", ()),)
    assert (bare.context, bare.criteria, bare.data) == ((), (kind,), {"cluster": "p1"})
    sizes = [store._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("cases", "criteria")]
    assert sizes == [3, 2]


async def test_a_case_that_was_not_judged_is_kept_until_it_is(store):
    store.add_units([Unit("u"), Unit("v")])
    for unit in (Unit("u"), Unit("v")):
        await store.finish_unit(unit, [], "answered", "none", "")
    case = replace(long_case("c", Criterion("kind", "Was it kind?")), unit=Unit("u").key)
    for reason in ("500", "502"):
        await store.put_unjudged(Unjudged(case, "one", "k1", "http_error", reason))
    await store.put_unjudged(Unjudged(case, "other", "k2", "timeout", "slow"))
    assert [(failed.judge, failed.reason) for failed in store.unjudged()] == [("one", "502"), ("other", "slow")]
    assert store.count_units_unjudged() == 1  # one unit, however many judges
    await store.put_verdict(StoredVerdict(case, Verdict("c", ()), "one", "k3"))  # another prompt, the same judge
    assert [failed.judge for failed in store.unjudged()] == ["other"]
    await store.put_verdict(StoredVerdict(case, Verdict("c", ()), "other", "k2"))
    assert store.count_units_unjudged() == 0


async def test_secrets_are_masked_in_cases_verdicts_and_reasons(tmp_path):
    store = RunStore(tmp_path / "run.sqlite", lambda text: text.replace("secret-123456", "***"))
    case = long_case("c")
    ruling = Ruling("kind", 1, "ok", raw="I know secret-123456")
    await store.put_verdict(StoredVerdict(case, Verdict("c", (ruling,)), "one", "k"))
    await store.put_unjudged(Unjudged(case, "other", "k2", "http_error", "secret-123456 was refused"))
    (stored,), (failed,) = store.verdicts(), store.unjudged()
    store.close()
    assert stored.case.exhibits[0].messages[0].text == "Try Lantern Road, said the clerk of ***."
    assert stored.verdict.rulings[0].raw == "I know ***"
    assert failed.reason == "*** was refused"
