"""The judges' stage of a run: who is asked what, what is kept of failures, and what resuming asks again."""

import json

import pytest

from mysteryshopper.experiment import Experiment, aresume, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.testing import FakeServer

SHOP = """
def good(messages, session):
    return f"Try Lantern Road, it goes with {len(messages)} messages and {messages[0]['content']}"

def bad(messages, session):
    return "No idea."
"""
PEOPLE = 4


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def experiment(folder, url, *judges, people=PEOPLE, model=None, **changes):
    lines = (json.dumps({"id": f"p{n}", "wish": f"a quiet film for evening {n}"}) for n in range(people))
    (folder / "people.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "shop.py").write_text(SHOP)
    content = {
        "protocol": "conversation",
        "models": {"wise": {"name": "any", "base_url": f"{url}/v1", **(model or {})}},
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello you"]}}],
        "systems": [{"name": name, "kind": "python", "function": f"shop:{name}"} for name in ("good", "bad")],
        "judges": list(judges),
        "options": {"controls": 0, "guard": "off"},
        "limits": {"turns": 1, "retries": 0, "concurrency": 4},
        **changes,
    }
    return Experiment.from_dict(content, folder)


RUBRIC = {"name": "marks", "kind": "rubric", "model": "wise"}
PAIRWISE = {"name": "duel", "kind": "pairwise", "model": "wise"}


def verdicts(folder):
    _, store = open_run(folder)
    try:
        return list(store.verdicts()), list(store.unjudged())
    finally:
        store.close()


async def test_judges_get_the_cases_they_take_with_their_own_criteria(tmp_path):
    async with FakeServer("schema") as server:
        run = await arun(experiment(tmp_path, server.url, RUBRIC, PAIRWISE), tmp_path / "run")
    found, unjudged = verdicts(tmp_path / "run")
    assert unjudged == []
    assert run.exit_code == 0
    marks = [stored for stored in found if stored.judge == "marks"]
    duels = [stored for stored in found if stored.judge == "duel"]
    assert len(marks) == 2 * PEOPLE  # every dialogue
    assert len(duels) == PEOPLE  # the two systems' dialogues of every person
    assert [one.name for one in marks[0].case.criteria] == ["needs", "fit", "honesty", "effort", "manner", "overall"]
    assert [one.name for one in duels[0].case.criteria] == ["action", "language", "recommendation", "overall"]
    assert marks[0].case.exhibits[0].messages[0].text == "hello you"
    assert len(duels[0].verdict.rulings) == 8
    # the least that fits its schema is the first place in both orders, and the lowest score
    assert {ruling.value for stored in duels for ruling in stored.verdict.rulings if ruling.order == "AB"} == {"A"}
    assert {ruling.value for stored in duels for ruling in stored.verdict.rulings if ruling.order == "BA"} == {"B"}
    assert run.metric("inconsistent", judge="duel", criterion="overall").estimate.value == 1
    assert run.metric("score", judge="marks", criterion="fit", system="good").estimate.value == 1
    assert run.summary["usage"]["judge"]["calls"] == 2 * PEOPLE + 2 * PEOPLE


async def test_a_case_that_could_not_be_judged_is_kept_counted_and_asked_again(tmp_path):
    async with FakeServer("schema", faults=["error_500"] * 2) as server:
        run = await arun(experiment(tmp_path, server.url, RUBRIC), tmp_path / "run")
        found, unjudged = verdicts(tmp_path / "run")
        assert len(found) == 2 * PEOPLE - 2
        assert {failed.status for failed in unjudged} == {"http_error"}
        assert all("500" in failed.reason and failed.judge == "marks" for failed in unjudged)
        units = run.summary["units"]
        assert units["faults"] == {"user": 0, "system": 0, "judge": 2, "infra": 0}
        assert units["planned"] == units["complete"] + 2 == 2 * PEOPLE
        assert run.unjudged == 2
        assert run.exit_code == 3
        assert run.table("unjudged").num_rows == 2
        asked = len(server.requests)
        again = await aresume(tmp_path / "run")
        assert len(server.requests) == asked + 2
    assert again.exit_code == 0
    assert again.summary["units"]["faults"]["judge"] == 0
    assert again.summary["units"]["complete"] == 2 * PEOPLE
    assert len(verdicts(tmp_path / "run")[0]) == 2 * PEOPLE
    assert verdicts(tmp_path / "run")[1] == []


async def test_a_rating_lost_on_the_way_is_asked_for_again_and_the_dialogue_judged_then(tmp_path):
    async with FakeServer("schema", faults=["ok", "error_500"]) as server:
        talkers = [{"name": "u", "kind": "single-prompt", "model": "wise", "profiles": "people.jsonl"}]
        changes = {"users": talkers, "systems": [{"name": "good", "kind": "python", "function": "shop:good"}]}
        options = {"options": {"controls": 0, "guard": "off"}, "limits": {"turns": 1, "retries": 0, "concurrency": 1}}
        content = experiment(tmp_path, server.url, RUBRIC, people=1, **changes, **options)
        run = await arun(content, tmp_path / "run")
        assert run.summary["units"]["faults"]["infra"] == 1
        assert run.table("dialogues").column("fault").to_pylist() == ["none"]  # the dialogue itself is whole
        assert run.table("verdicts").num_rows == 0
        assert len(server.requests) == 2  # a turn, and the rating that got lost
        done = await aresume(tmp_path / "run")
        turns = [seen for seen in server.requests if "Open the chat" in seen.raw.decode()]
        assert len(turns) == 1  # what was said is met again
    assert done.summary["units"]["complete"] == 1
    assert done.table("verdicts").num_rows == len(done.table("verdicts").to_pylist()) == 6
    assert "detail" not in json.loads(done.table("dialogues").column("data").to_pylist()[0])["rating"]


async def test_a_lost_half_of_a_pair_repeats_no_committed_call(tmp_path):
    limits = {"turns": 1, "retries": 0, "concurrency": 1}
    async with FakeServer("schema", faults=["ok", "error_500"]) as server:
        await arun(experiment(tmp_path, server.url, PAIRWISE, people=1, limits=limits), tmp_path / "run")
        assert len(verdicts(tmp_path / "run")[1]) == 1
        done = await aresume(tmp_path / "run")
        assert len(server.requests) == 3  # first order, second order failed, second order
    assert done.exit_code == 0
    assert done.summary["usage"]["judge"]["calls"] == 3


@pytest.mark.parametrize(("temperature", "calls"), [(0, 2), (None, 6)])
async def test_repeats_are_draws_of_their_own_but_at_temperature_0(tmp_path, temperature, calls):
    judge = {**RUBRIC, "repeats": 3, "options": {"temperature": temperature}}
    async with FakeServer("schema") as server:
        run = await arun(experiment(tmp_path, server.url, judge, people=1), tmp_path / "run")
        assert len(server.requests) == calls
        seeds = {seen.body.get("seed") for seen in server.requests}
        assert len(seeds) == (1 if temperature == 0 else calls)
    assert sorted(stored.repeat for stored in verdicts(tmp_path / "run")[0]) == [0, 0, 1, 1, 2, 2]
    agreement = run.metric("self_agreement_raw", criterion="fit").estimate
    if temperature == 0:  # one call can't but agree with itself
        assert (agreement.value, agreement.n) == (None, 0)
        assert "one call" in agreement.reason
    else:
        assert (agreement.value, agreement.n) == (1, 2)


async def test_repeats_may_grow_and_what_was_ruled_stays(tmp_path):
    async with FakeServer("schema") as server:
        await arun(experiment(tmp_path, server.url, RUBRIC, people=1), tmp_path / "run")
        grown = experiment(tmp_path, server.url, {**RUBRIC, "repeats": 2}, PAIRWISE, people=1)
        await aresume(tmp_path / "run", grown)
    found = sorted((stored.judge, stored.repeat) for stored in verdicts(tmp_path / "run")[0])
    assert found == [("duel", 0), ("marks", 0), ("marks", 0), ("marks", 1), ("marks", 1)]


async def test_a_finished_run_is_judged_without_talking_to_anybody_again(tmp_path):
    async with FakeServer("schema") as server:
        await arun(experiment(tmp_path, server.url, RUBRIC), tmp_path / "run")
        asked = len(server.requests)
        again = await aresume(tmp_path / "run")
        assert (again.ran, again.judged) == (0, 0)
        assert len(server.requests) == asked


async def test_retries_and_prices_count_for_the_judge(tmp_path):
    model = {"price": {"input": 1_000_000, "output": 0}}
    async with FakeServer("schema", faults=["error_500"]) as server:
        changed = {"limits": {"turns": 1, "retries": 1, "concurrency": 1, "max_wait": 5}}
        run = await arun(experiment(tmp_path, server.url, RUBRIC, people=1, model=model, **changed), tmp_path / "run")
        assert len(server.requests) == 3  # two dialogues, one try again
    usage = run.summary["usage"]["judge"]
    assert usage["calls"] == 2
    assert usage["cost"] > 0
    assert run.exit_code == 0


async def test_progress_counts_cases(tmp_path):
    shown = []

    class Watching:
        def show(self, snapshot):
            shown.append((snapshot.stage, snapshot.done, snapshot.total, dict(snapshot.faults)))

        def close(self):
            pass

    async with FakeServer("schema", faults=["error_500"]) as server:
        await arun(experiment(tmp_path, server.url, RUBRIC, people=3), tmp_path / "run", Watching())
    assert shown[-1] == ("judge", 6, 6, {"judge": 1})


@pytest.mark.parametrize(
    ("judge", "model", "calls"),
    [
        (RUBRIC, {}, (0, 8, 16)),
        (PAIRWISE, {}, (0, 8, 16)),
        ({**PAIRWISE, "options": {"separate": True}}, {}, (0, 32, 64)),
        ({**PAIRWISE, "repeats": 3}, {}, (0, 8, 16)),
        ({**PAIRWISE, "repeats": 3, "options": {"temperature": None}}, {}, (0, 24, 48)),
        ({**PAIRWISE, "repeats": 3, "options": {"temperature": None}}, {"temperature": 0.0}, (0, 8, 16)),
        ({**RUBRIC, "options": {"criteria": "aspects"}}, {"form": "completion"}, (0, 56, 112)),
    ],
)
def test_plan_counts_calls_by_judge(tmp_path, judge, model, calls):
    report = make_plan(experiment(tmp_path, "http://127.0.0.1:9", judge, model=model))
    (row,) = (row for row in report.rows if row.role == "judge")
    assert row.calls == calls
    assert row.block == judge["name"]


def test_a_judge_without_a_model_calls_nobody(tmp_path):
    report = make_plan(experiment(tmp_path, "http://127.0.0.1:9", {"name": "rules", "kind": "rules"}))
    (row,) = (row for row in report.rows if row.role == "judge")
    assert row.calls == (0, 0, 0)
    assert row.host == "this process"
