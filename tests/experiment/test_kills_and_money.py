"""A kill does not make calls free: what those in flight may have cost is known, and counts, when the run goes on."""

import json
import time

import pytest
from fake_runs import Program, conversation, program, read_database, read_summary, write_experiment
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import CallFailed
from mysteryshopper.models.budget import Budget
from mysteryshopper.testing import ServerProcess

AT_ONCE = 4


def priced(url, limit):
    content = conversation(url, limits={"turns": 3, "concurrency": AT_ONCE, "max_cost": limit})
    content["models"]["writer"]["price"] = {"input": 1000, "output": 0}  # at most 1 a thousand bytes of a body
    return content


def worst(body):
    return len(json.dumps(body, separators=(",", ":"))) / 1000


def test_calls_in_flight_at_a_kill_count_as_spent_and_are_told(tmp_path):
    run = tmp_path / "out"
    with ServerProcess("--behaviour", "hashed", "--latency-ms", "250") as server, Program(tmp_path) as process:
        path = write_experiment(tmp_path, priced(server.url, 1000.0), people=6)
        process.go("run", path.name, "out")
        while process.runs and server.stats()["total"] < 3 * AT_ONCE:
            time.sleep(0.004)
        assert process.runs, process.end()
        process.kill()
        bodies = server.bodies("/v1/chat/completions")
        answered = read_database(run, "SELECT count(*), sum(cost) FROM calls WHERE role = 'user'")[0]
        lost = len(bodies) - answered[0]
        assert 0 < lost <= AT_ONCE
        (noted,) = read_database(run, "SELECT value FROM meta WHERE key = 'unanswered'")[0]
        largest = max(map(worst, bodies))
        assert min(map(worst, bodies)) * lost <= float(noted) <= 1.25 * AT_ONCE * largest

        path = write_experiment(tmp_path, priced(server.url, answered[1] + float(noted)), people=6)
        server.clear()
        code, _, _ = program(tmp_path, "resume", "out", "--file", path.name, "--quiet")
        assert code == 3  # nothing is left to be spent
        assert server.bodies("/v1/chat/completions") == []

        path = write_experiment(tmp_path, priced(server.url, 1000.0), people=6)
        assert program(tmp_path, "resume", "out", "--file", path.name, "--quiet")[0] == 0
        summary = read_summary(run)
        assert summary["unanswered"] == pytest.approx(float(noted))
        assert "may have cost up to" in (run / "report.html").read_text()


def test_a_run_that_loses_no_call_has_none_unanswered(tmp_path):
    with ServerProcess("--behaviour", "hashed") as server:
        path = write_experiment(tmp_path, priced(server.url, 1000.0), people=2)
        assert program(tmp_path, "run", path.name, "--out", "out", "--quiet")[0] == 0
    assert read_summary(tmp_path / "out")["unanswered"] == 0.0
    assert "may have cost up to" not in (tmp_path / "out" / "report.html").read_text()


@given(st.lists(st.tuples(st.sampled_from(["settle", "lose", "unknown"]), st.floats(0.001, 10.0)), max_size=60))
def test_whatever_happens_what_is_at_risk_was_told_before(moves):
    told = [0.0]
    budget = Budget(1e9, 0.0, told.append)
    held, gone, known = [], 0.0, 0.0
    for what, amount in moves:
        held.append((budget.reserve(amount), amount))
        assert told[-1] >= gone + sum(worst for _, worst in held) - 1e-9
        if len(held) > 3:
            reservation, most = held.pop(0)
            if what == "settle":
                reservation.settle(most / 2)
                known += most / 2
            elif what == "lose":
                reservation.lose()
                gone += most
            else:
                reservation.settle(None)
                gone += most
        assert budget.spent == pytest.approx(known + gone)
    assert told == sorted(told)


def test_it_is_told_a_few_dozen_times_however_many_calls_there_are():
    told = []
    budget = Budget(1e9, 0.0, told.append)
    for _ in range(5_000):
        budget.reserve(0.01)
    assert 1 < len(told) < 50
    with pytest.raises(CallFailed):
        Budget(0.005, 0.0, told.append).reserve(0.01)
