"""The agent in a tree: on every branch it goes on from its own notes, and asks nothing twice, also where draws vary."""

import json
from collections import Counter

import pytest

from mysteryshopper import Experiment, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.testing import FakeServer


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def answer(seen):
    """Plan with a note of its own, or say something; no two answers are alike."""
    if "Write one JSON object with these keys" in seen.text:
        notes = {"constraints": [], "likes": [f"note {seen.number}"], "dislikes": [], "rejected": []}
        return json.dumps({**notes, "plan": "On we go.", "action": "ask", "aim": "the mood"})
    return f"What else matters to you, on the {seen.number}th thought?"


def experiment(url, temperature=0.7, **more):
    model = {"provider": "openai", "name": "m", "base_url": url, "temperature": temperature, "max_tokens": 300}
    lines = ["Hello there.", "Somewhere warm.", "I like soup."]
    return Experiment(
        protocol="tree",
        seed=3,
        models={"m": model},
        users=[{"name": "guest", "kind": "scripted", "profiles": {"generate": 2}, "options": {"turns": lines}}],
        systems=[{"name": "agent", "kind": "agent-crs", "model": "m"}, {"name": "words", "kind": "lexical"}],
        data={"name": "food"},
        limits={"turns": 3},
        **more,
    )


async def test_every_history_costs_a_plan_and_a_reply_and_no_more(tmp_path):
    async with FakeServer(answer) as server:
        made = experiment(server.base_url)
        done = await arun(made, tmp_path / "run")
        bodies = server.bodies("/v1/chat/completions")
    calls = [row["address"] for row in done.table("calls").to_pylist() if "/agent/" in row["address"]]
    assert len(bodies) == len(calls) == 2 * 7 * 2  # two roots of seven histories, two calls each
    assert max(Counter(calls).values()) == 1
    (row,) = [row for row in make_plan(made).rows if row.block == "agent"]
    assert row.calls.expected == len(calls)
    nodes = [row for row in done.table("turns").to_pylist() if row["role"] == "system" and row["node"].endswith(".0")]
    assert len(nodes) == 2 * 7


async def test_a_branch_goes_on_from_the_notes_that_stood_before_the_fork(tmp_path):
    async with FakeServer(answer) as server:
        await arun(experiment(server.base_url), tmp_path / "run")
        plans = [body for body in server.bodies("/v1/chat/completions") if "one JSON object" in _last(body)]
    notes_before = Counter(
        _last(body).partition("Your notes before this message: ")[2].splitlines()[0] for body in plans
    )
    by_likes = Counter(len(json.loads(text)["likes"]) for text in notes_before.elements())
    assert by_likes == {0: 2, 1: 12}, "only the first turn of a root starts without notes"
    firsts = [text for text, count in notes_before.items() if count == 2 and json.loads(text)["likes"]]
    assert len(firsts) == 2 * 3, "both children of a history go on from its notes, whoever had answered it"


async def test_a_second_run_of_the_same_folder_asks_nothing(tmp_path):
    async with FakeServer(answer) as server:
        await arun(experiment(server.base_url), tmp_path / "run")
        asked = server.count()
        await arun(experiment(server.base_url, temperature=0.7), tmp_path / "again")
        assert server.count() == asked, "met again in the shared cache, at the same addresses"


def _last(body):
    return body["messages"][-1]["content"]
