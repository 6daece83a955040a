"""The conversation protocol from file to numbers, with scripted users, so that every number is known beforehand."""

import pytest

from mysteryshopper.experiment import Experiment, run


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


PROFILES = """\
{"id": "ann", "wish": "a comedy", "attributes": {"genre": ["comedy"]}}
{"id": "bob", "wish": "a war film", "attributes": {"genre": ["war"]}}
"""

ITEMS = """\
id,title,year,genre
1,Lantern Road,1998,comedy
2,Nine Winters,1987,war
3,The Salt Clock,2004,drama
"""


def experiment(tmp_path, turns, system, **changes):
    (tmp_path / "people.jsonl").write_text(PROFILES)
    (tmp_path / "items.csv").write_text(ITEMS)
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": turns}}],
        "systems": [system],
        "data": {"path": "items.csv"},
        "options": {"guard": "off"},
        **changes,
    }
    return Experiment.from_dict(content, tmp_path)


def test_success_is_an_accepted_item_that_meets_the_wish(tmp_path):
    def shop(messages, session):
        return {"content": "Here you are.", "items": [{"id": "1"}]}

    chosen = experiment(
        tmp_path,
        ["something to watch please"],
        {"name": "shop", "kind": "python", "function": shop},
        users=[
            {
                "name": "u",
                "kind": "scripted",
                "profiles": "people.jsonl",
                "options": {"turns": ["hello", "I don't know", "still no"], "on_hit": "Yes, that one. [END]"},
            }
        ],
        limits={"turns": 3},
    )
    done = run(chosen, tmp_path / "run")
    success = done.metric("success", system="shop").estimate
    assert (success.value, success.n) == (0.5, 2)
    shown = done.metric("wanted_shown", system="shop").estimate
    assert shown.value == 0.5
    assert done.metric("turns_to_success", system="shop").estimate.value == 1
    rows = {row["profile"]: row for row in done.table("dialogues").to_pylist()}
    assert rows["ann"]["ended"] == "user_done"
    assert rows["ann"]["success"] is True
    assert rows["bob"]["ended"] == "max_turns"
    assert rows["bob"]["success"] is False


def test_a_system_that_crashes_counts_as_failure_and_others_go_on(tmp_path):
    def shop(messages, session):
        if any("hello" in message["content"] for message in messages):
            raise RuntimeError("out of stock")
        return "ok"

    chosen = experiment(tmp_path, ["hello"], {"name": "shop", "kind": "python", "function": shop})
    done = run(chosen, tmp_path / "run")
    assert done.exit_code == 3
    assert done.summary["units"] == {
        "planned": 2,
        "complete": 0,
        "faults": {"user": 0, "system": 2, "judge": 0, "infra": 0},
        "pending": 0,
    }
    assert done.metric("success", system="shop").estimate.value == 0
    answered = done.metric("success_answered", system="shop").estimate
    assert answered.value is None
    assert answered.reason
    assert {row["detail"] for row in done.table("dialogues").to_pylist()} == {"RuntimeError: out of stock"}


def test_wishes_come_from_the_data_where_there_are_no_profiles(tmp_path):
    chosen = experiment(
        tmp_path,
        ["hello", "bye [END]"],
        {"name": "words", "kind": "lexical"},
        users=[{"name": "u", "kind": "scripted", "options": {"turns": ["hello", "bye [END]"]}}],
    )
    done = run(chosen, tmp_path / "run")
    assert done.summary["units"]["planned"] == 3
    wishes = [row["data"] for row in done.table("dialogues").to_pylist()]
    assert len(wishes) == 3
    assert not any(title in wish for wish in wishes for title in ("Lantern", "Winters", "Salt"))


def test_raising_the_units_only_adds(tmp_path):
    def planned(units):
        chosen = experiment(
            tmp_path,
            ["hello"],
            {"name": "words", "kind": "lexical"},
            users=[{"name": "u", "kind": "scripted", "options": {"turns": ["hello"]}}],
            limits={"units": units},
        )
        done = run(chosen, tmp_path / f"run-{units}")
        return {row["unit"] for row in done.table("dialogues").to_pylist()}

    assert planned(1) < planned(2) < planned(3)


def test_a_run_with_a_local_function_can_be_measured_again_and_resumed_from_python(tmp_path):
    from mysteryshopper.core import ConfigError
    from mysteryshopper.experiment import measure_again, resume

    asked = []

    def shop(messages, session):
        asked.append(session["id"])
        return "ok"

    block = {"name": "shop", "kind": "python", "function": shop}
    first = run(experiment(tmp_path, ["hello"], block, limits={"units": 1}), tmp_path / "run")
    assert first.summary["units"]["planned"] == 1
    assert measure_again(tmp_path / "run").summary == first.summary
    assert resume(tmp_path / "run").ran == 0
    grown = experiment(tmp_path, ["hello"], block, limits={"units": 2})
    assert resume(tmp_path / "run", grown).summary["units"]["complete"] == 2
    assert len(set(asked)) == 2
    with pytest.raises(ConfigError, match="go on from Python"):
        run(experiment(tmp_path, ["hello"], {**block, "function": "m:f.<locals>.shop"}), tmp_path / "other")


def test_a_function_that_hangs_ends_as_timeout_and_counts_against_the_system(tmp_path):
    import asyncio

    async def shop(messages, session):
        await asyncio.sleep(60)

    block = {"name": "shop", "kind": "python", "function": shop}
    done = run(experiment(tmp_path, ["hello"], block, limits={"attempt_timeout": 0.05}), tmp_path / "run")
    assert done.summary["units"]["faults"]["system"] == 2
    rows = done.table("dialogues").to_pylist()
    assert {row["ended"] for row in rows} == {"timeout"}
    assert "no answer within 0.05 s" in rows[0]["detail"]
