"""A kill at any moment loses at most what was in flight, and going on repeats nothing that was committed."""

import hashlib
import json
import os
import time
from contextlib import ExitStack
from random import Random

import pyarrow.parquet
import pytest
from fake_runs import Program, conversation, program, read_database, read_summary, results, write_experiment
from plugin import write_plugin

from mysteryshopper.models.wire import body_bytes
from mysteryshopper.testing import ServerProcess

AT_ONCE = 8
CALLS_A_UNIT = 8  # three turns of each side, and the rating, asked for once more: such a reply is none


def mark(body):
    """What the fake server answers to a body when it is `hashed`."""
    return hashlib.blake2b(body_bytes(body), digest_size=4).hexdigest()


def committed(run):
    """The replies of all calls that are committed; they name their requests, see `mark`."""
    replies = [json.loads(row[0]) for row in read_database(run, "SELECT reply FROM calls WHERE status = 'ok'")]
    return {reply["text"] if "text" in reply else reply["content"] for reply in replies}


def complete(run):
    return {row[0] for row in read_database(run, "SELECT key FROM units WHERE status = 'complete'")}


def rows(run, table, *without):
    read = pyarrow.parquet.read_table(run / "tables" / f"{table}.parquet")
    return read.drop_columns(list(without)).to_pylist()


def wait_for_calls(server, number, process):
    while process.runs and server.stats()["total"] < number:
        time.sleep(0.004)


@pytest.mark.parametrize(
    ("kills", "people"), [(12, 24), pytest.param(100, 100, marks=pytest.mark.slow)], ids=["12", "100"]
)
def test_any_number_of_kills_changes_nothing(tmp_path, kills, people):
    planned = people * CALLS_A_UNIT
    random = Random(kills)
    run = tmp_path / "killed" / "out"
    with ServerProcess("--behaviour", "hashed", "--latency-ms", "8") as server, ExitStack() as stack:
        path = write_experiment(run.parent, conversation(server.url), people)
        waiting = stack.enter_context(Program(run.parent))
        before, finished, marks = set(), set(), []
        for number in range(1, kills + 1):
            process, waiting = waiting, stack.enter_context(Program(run.parent))
            begun = (run / "run.sqlite").exists() and (run / "experiment.yaml").exists()
            process.go(*(("resume", "out") if begun else ("run", path.name, "out")))
            if number % 4:
                share = 2 * (planned - len(before)) / (kills - number + 2)
                wait_for_calls(server, server.stats()["total"] + random.uniform(0, share), process)
                time.sleep(random.uniform(0, 0.012))
            else:
                time.sleep(random.uniform(0, 0.25))  # while it starts, mostly
            assert process.runs, process.end()
            process.kill()
            sent = server.stats()["total"]
            after = committed(run)
            assert before <= after
            assert finished <= (finished := complete(run))
            assert sent <= len(after) + number * AT_ONCE
            before = after
            marks.append((sent, after))
        code, out, err = program(run.parent, "resume", "out", "--quiet")
        assert (code, err) == (0, "")
        seen = [mark(body) for body in server.bodies()]

        assert read_summary(run)["units"] == {
            "planned": people,
            "complete": people,
            "faults": {"user": 0, "system": 0, "judge": 0, "infra": 0},
            "pending": 0,
        }
        assert len(committed(run)) == planned
        assert committed(run) <= set(seen)  # or `mark` would prove nothing below
        for sent, kept in marks:
            assert not kept & set(seen[sent:])
        assert planned <= len(seen) <= planned + kills * AT_ONCE

        server.clear()
        code, out, err = program(run.parent, "resume", "out", "--quiet")
        assert (code, err) == (0, "")
        assert "already complete" in out
        assert server.stats()["total"] == 0

        whole = tmp_path / "whole" / "out"
        path = write_experiment(whole.parent, conversation(server.url), people)
        assert program(whole.parent, "run", path.name, "--out", "out", "--quiet")[0] == 0
        assert sorted(mark(body) for body in server.bodies()) == sorted(set(seen))
    assert rows(run, "dialogues") == rows(whole, "dialogues")
    assert rows(run, "turns", "ms") == rows(whole, "turns", "ms")
    assert results(read_summary(run)) == results(read_summary(whole))
    calls = rows(run, "calls", "ms")
    by_call = {row["call"]: row for row in calls}
    assert len(by_call) == len(calls) == planned
    assert by_call == {row["call"]: row for row in rows(whole, "calls", "ms")}
    assert len({row["dialogue"] for row in rows(run, "dialogues")}) == people


def judged(url):
    """An experiment whose two systems are judged one by one and in pairs, controls and repeats included."""
    return conversation(
        url,
        models={
            "writer": {"name": "any", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 32},
            "wise": {"name": "wise", "base_url": f"{url}/v1", "max_tokens": 64},
        },
        systems=[{"name": name, "kind": "http", "url": f"{url}/reply"} for name in ("shop", "stall")],
        judges=[
            {"name": "marks", "kind": "rubric", "model": "wise", "repeats": 2, "options": {"temperature": 0.7}},
            {"name": "duel", "kind": "pairwise", "model": "wise"},
        ],
        options={"guard": "off", "rating": False, "controls": 2},
        limits={"turns": 1, "concurrency": AT_ONCE},
    )


def ruled(run):
    query = "SELECT c.id, v.judge_key, v.repeat, v.body FROM verdicts v JOIN cases c ON c.key = v.case_key"
    return set(read_database(run, query))


@pytest.mark.parametrize(("kills", "people"), [(5, 6), pytest.param(25, 20, marks=pytest.mark.slow)], ids=["5", "25"])
def test_kills_while_judging_lose_no_verdict(tmp_path, kills, people):
    cases = (2 * people + 2) * 2 + people + 2 + 2  # marks: all and the planted, twice; duel: pairs, same, worse
    random = Random(kills)
    run = tmp_path / "killed" / "out"
    with ServerProcess("--behaviour", "hashed", "--latency-ms", "8") as server:
        path = write_experiment(run.parent, judged(server.url), people)
        before, midway = set(), 0
        for number in range(kills):
            with Program(run.parent) as process:
                process.go(*(("resume", "out") if number else ("run", path.name, "out")))
                aim = len(before) + max(1, (cases - len(before)) // (kills - number + 1))
                while process.runs and len(ruled(run)) < aim:
                    time.sleep(0.004)
                time.sleep(random.uniform(0, 0.01))
                done = not process.runs
                process.kill()
            after, kept, sent = ruled(run), committed(run), server.stats()["total"]
            assert before <= after
            if done:  # a fast machine judges the last few between two looks
                assert len(after) == cases
                break
            before, midway = after, midway + (len(after) < cases)
        assert midway >= kills // 5
        assert program(run.parent, "resume", "out", "--quiet")[0] == 0
        assert not kept & {mark(body) for body in server.bodies()[sent:]}
        whole = tmp_path / "whole" / "out"
        path = write_experiment(whole.parent, judged(server.url), people)
        assert program(whole.parent, "run", path.name, "--out", "out", "--quiet")[0] == 0
    assert before <= ruled(run) == ruled(whole)
    assert len(ruled(run)) == len({row[:3] for row in ruled(run)}) == cases
    assert rows(run, "verdicts") == rows(whole, "verdicts")
    assert rows(run, "unjudged") == []
    assert results(read_summary(run))["metrics"] == results(read_summary(whole))["metrics"]


def test_an_interrupt_saves_and_says_how_to_go_on(tmp_path):
    with ServerProcess("--behaviour", "hashed", "--latency-ms", "100") as server:
        path = write_experiment(tmp_path, conversation(server.url), 16)
        with Program(tmp_path, "run", path.name, "--out", "out") as process:
            wait_for_calls(server, 20, process)
            process.interrupt()
            code, out, err = process.end(timeout=20)
        assert code == 130
        assert "go on with `mysteryshopper resume out`" in err
        assert "Traceback" not in err
        assert "report" not in out
        kept = committed(tmp_path / "out")
        assert len(kept) >= 20 - AT_ONCE
        sent = server.stats()["total"]
        assert sent - len(kept) <= AT_ONCE
        assert program(tmp_path, "resume", "out", "--quiet")[0] == 0
        assert not kept & {mark(body) for body in server.bodies()[sent:]}
    assert read_summary(tmp_path / "out")["units"]["complete"] == 16


STUBBORN = """
    import asyncio
    from pathlib import Path
    from mysteryshopper.core import UserTurn

    class Stubborn:
        @classmethod
        def build(cls, options, parts):
            return cls()

        def start(self, scenario, rng):
            return {}

        async def speak(self, view, state):
            Path("speaking").touch()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.sleep(60)
                raise
            return UserTurn("Hello?"), state
"""


@pytest.fixture
def stubborn(tmp_path):
    """A run with a user that doesn't let itself be interrupted; gives a function that starts it."""
    plugins = write_plugin(tmp_path / "plugins", STUBBORN, users={"stubborn": "Stubborn"})
    users = [{"kind": "stubborn", "profiles": "people.jsonl"}]
    content = conversation("http://127.0.0.1:9", users=users, models={}, limits={"concurrency": 1})
    path = write_experiment(tmp_path, content, 3)

    def start(*words):
        (tmp_path / "speaking").unlink(missing_ok=True)
        path_list = os.pathsep.join(filter(None, (str(plugins), os.environ.get("PYTHONPATH"))))
        return Program(tmp_path, *(words or ("run", path.name, "--out", "out")), PYTHONPATH=path_list)

    return start


def wait_until_it_speaks(folder, process):
    while process.runs and not (folder / "speaking").exists():
        time.sleep(0.01)
    assert process.runs, process.end()


def test_a_second_interrupt_leaves_at_once(tmp_path, stubborn):
    with stubborn() as process:
        wait_until_it_speaks(tmp_path, process)
        process.interrupt()
        time.sleep(0.7)
        assert process.runs
        process.interrupt()
        assert process.end(timeout=10)[0] == 130
    assert read_database(tmp_path / "out", "SELECT status, count(*) FROM units GROUP BY status") == [("planned", 3)]


def test_two_processes_cannot_write_one_run(tmp_path, stubborn):
    with stubborn() as process:
        wait_until_it_speaks(tmp_path, process)
        with stubborn("resume", "out") as second:
            code, _, err = second.end()
        assert code == 1
        assert f"out is being written by process {process.process.pid} on " in err
        assert len(err.splitlines()) == 1
        with stubborn("report", "out") as looking:  # to look at a run at work is fine
            assert looking.end()[0] == 3
        assert read_summary(tmp_path / "out")["units"]["pending"] == 3
        process.kill()
    with stubborn("resume", "out") as third:  # what a killed process held is free
        wait_until_it_speaks(tmp_path, third)
