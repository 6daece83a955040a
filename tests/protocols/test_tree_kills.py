"""A kill inside a tree loses only the nodes in flight, and going on ends where an undisturbed run does."""

import hashlib
import json
import time
from random import Random

import pytest
from fake_runs import Program, program, read_database, read_summary, results, write_experiment

from mysteryshopper.models.wire import body_bytes
from mysteryshopper.testing import ServerProcess

PEOPLE, KILLS, AT_ONCE = 12, 4, 6
CALLS_A_ROOT = 1 + 14 + 6


def tree(url):
    model = {"name": "any", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 32, "concurrency": AT_ONCE}
    return {
        "protocol": "tree",
        "seed": 7,
        "models": {"any": model},
        "users": [{"name": "plain", "kind": "single-prompt", "model": "any", "profiles": "people.jsonl"}],
        "systems": [{"name": name, "kind": "openai", "model": "any"} for name in ("one", "two")],
        "options": {"guard": "off"},
        "limits": {"turns": 3, "concurrency": 3},
    }


def mark(body):
    return hashlib.blake2b(body_bytes(body), digest_size=4).hexdigest()


def committed(run):
    return {json.loads(row[0])["text"] for row in read_database(run, "SELECT reply FROM calls WHERE status = 'ok'")}


@pytest.mark.slow
def test_kills_inside_trees_lose_nothing_that_was_committed(tmp_path):
    run, random = tmp_path / "killed" / "out", Random(1)
    planned = PEOPLE * CALLS_A_ROOT
    with ServerProcess("--behaviour", "hashed", "--latency-ms", "40") as server:
        path = write_experiment(run.parent, tree(server.url), PEOPLE)
        marks = []
        for number in range(KILLS):
            words = ("resume", "out") if (run / "experiment.yaml").exists() else ("run", path.name, "--out", "out")
            aim = server.stats()["total"] + random.randint(8, 20)
            with Program(run.parent, *words, "--quiet") as process:
                while process.runs and server.stats()["total"] < aim:
                    time.sleep(0.004)
                assert process.runs, process.end()
                process.kill()
            kept, sent = committed(run), server.stats()["total"]
            assert sent <= len(kept) + (number + 1) * AT_ONCE
            marks.append((sent, kept))
        assert 0 < len(committed(run)) < planned
        assert program(run.parent, "resume", "out", "--quiet")[0] == 0
        seen = [mark(body) for body in server.bodies()]
        for sent, kept in marks:
            assert kept <= set(seen)  # or the next line would prove nothing
            assert not kept & set(seen[sent:])
        assert planned <= len(seen) <= planned + KILLS * AT_ONCE

        whole = tmp_path / "whole" / "out"
        path = write_experiment(whole.parent, tree(server.url), PEOPLE)
        assert program(whole.parent, "run", path.name, "--out", "out", "--quiet")[0] == 0
    assert len(committed(run)) == planned
    assert committed(run) == committed(whole)
    assert results(read_summary(run)) == results(read_summary(whole))
    assert read_summary(run)["units"]["complete"] == PEOPLE
