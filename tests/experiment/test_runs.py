"""Runs through the Python API: what comes back, what is left in the folder, how plug-ins and functions take part."""

import asyncio
import json
import math
import os
from pathlib import Path

import pytest
from fake_runs import conversation, read_database, read_summary, results, write_experiment
from plugin import write_plugin

import mysteryshopper
from mysteryshopper import ConfigError, Experiment, ShopperError, StopRun, aresume, arun, measure_again, resume, run
from mysteryshopper.experiment.resolved import resolved_yaml
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.testing import FakeServer

ITEMS = (
    {"id": "1", "title": "The Salt Clock", "year": 2004, "genre": ["sea"]},
    {"id": "2", "title": "Lantern Road", "year": 1998, "genre": ["road"]},
)


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def shop(tmp_path):
    """Return a function that makes an experiment: a scripted user, a catalogue of two, a function as the system."""
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    people = [{"id": f"p{number}", "wish": "the sea", "attributes": {"genre": ["sea"]}} for number in range(4)]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    script = {"turns": ["Something with the sea.", "Another one?", "And one more?"], "on_hit": "That one, thanks."}

    def make(*functions, memory=None, **changes):
        names = ("mine", "same")
        content = {
            "protocol": "conversation",
            "seed": 5,
            "user": {"name": "steady", "kind": "scripted", "profiles": "people.jsonl", "options": script},
            "systems": [
                {"name": name, "kind": "python", "function": function, "memory": memory}
                for name, function in zip(names, functions, strict=False)
            ],
            "data": {"path": "items.jsonl"},
            "limits": {"turns": 3, "concurrency": 2},
            **changes,
        }
        return Experiment.from_dict(content, tmp_path)

    return make


def sells_the_sea(messages, session):
    return {"content": "The Salt Clock.", "items": [{"id": "1", "title": "The Salt Clock", "year": 2004}]}


def knows_nothing(messages, session):
    return f"Nothing comes to mind, {len(messages)}."


# --- the Python API -------------------------------------------------------------------------------------------------


def test_a_run_needs_no_file_and_no_command_line(shop, tmp_path):
    done = run(shop(sells_the_sea), tmp_path / "out")
    assert done.exit_code == 0
    assert done.ran == 4
    assert done.metric("success", system="mine").estimate.value == 1.0
    again = resume(tmp_path / "out", shop(sells_the_sea))
    assert (again.ran, again.exit_code) == (0, 0)
    assert again.summary == done.summary
    assert measure_again(tmp_path / "out").metrics == done.metrics


async def test_inside_a_running_loop_it_is_awaited_and_the_plain_form_says_so(shop, tmp_path):
    with pytest.raises(ShopperError, match=r"await mysteryshopper\.arun"):
        run(shop(sells_the_sea), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    done = await mysteryshopper.arun(shop(sells_the_sea), tmp_path / "out")
    assert done.exit_code == 0
    with pytest.raises(ShopperError, match=r"await mysteryshopper\.aresume"):
        resume(tmp_path / "out")


async def test_two_runs_may_go_on_at_once_in_one_loop(shop, tmp_path):
    both = await asyncio.gather(*(arun(shop(sells_the_sea), tmp_path / name) for name in ("one", "two")))
    assert results(both[0].summary) == results(both[1].summary)


async def test_a_folder_holds_one_run(shop, tmp_path):
    await arun(shop(sells_the_sea), tmp_path / "out")
    with pytest.raises(ShopperError, match=r"holds a run already.*mysteryshopper resume"):
        await arun(shop(sells_the_sea), tmp_path / "out")


def test_resuming_what_is_no_run_says_so(tmp_path):
    with pytest.raises(ShopperError, match="holds no run"):
        resume(tmp_path)


async def test_a_metric_is_found_by_name_and_group(shop, tmp_path):
    done = await arun(shop(sells_the_sea, sells_the_sea), tmp_path / "out")
    assert done.metric("success", system="same").group == {"user": "steady", "system": "same"}
    with pytest.raises(ShopperError, match="2 metrics 'success'"):
        done.metric("success")
    with pytest.raises(ShopperError, match=r"no metric 'victory'.*success"):
        done.metric("victory")


# --- what a run leaves ----------------------------------------------------------------------------------------------

COLUMNS = {
    "dialogues": "dialogue unit repeat user system profile ended fault detail success turns root",
    "turns": "dialogue node parent turn role text items action thought flags prompt call",
    "verdicts": "case dialogue node judge order repeat criterion value status raw",
    "calls": "call address role model cached attempts input_tokens output_tokens cost ms finish",
    "metrics": "name group value low high n clusters level method reason control definition",
}


async def test_tables_have_the_columns_that_others_rely_on_and_a_version(shop, tmp_path):
    done = await arun(shop(sells_the_sea), tmp_path / "out")
    for name, columns in COLUMNS.items():
        table = done.table(name)
        assert [column for column in table.column_names if column in columns.split()] == columns.split()
        assert table.schema.metadata[b"mysteryshopper_schema"] == b"2"
    with pytest.raises(ShopperError, match=r"no table 'turn'.*calls, dialogues"):
        done.table("turn")
    first = done.table("dialogues").to_pylist()[0]
    assert (first["unit"], first["user"], first["system"], first["profile"]) == ("p0", "steady", "mine", "p0")
    assert (first["ended"], first["fault"], first["success"], first["turns"]) == ("user_done", "none", True, 2)
    turns = [row for row in done.table("turns").to_pylist() if row["dialogue"] == first["dialogue"]]
    assert [(row["role"], row["turn"]) for row in turns] == [("user", 1), ("system", 1), ("user", 2), ("system", 2)]
    assert turns[1]["parent"] == turns[0]["node"]
    assert json.loads(turns[1]["items"]) == [{"id": "1", "title": "The Salt Clock", "year": 2004, "mine": True}]
    calls = {row["call"] for row in done.table("calls").to_pylist()}
    assert {row["call"] for row in turns if row["role"] == "system"} <= calls


async def test_the_summary_is_strict_json_in_the_shape_that_others_rely_on(shop, tmp_path):
    def mostly_silent(messages, session):
        return knows_nothing(messages, session) if len(messages) < 3 else ""

    done = await arun(shop(mostly_silent), tmp_path / "out")
    summary = read_summary(tmp_path / "out")
    assert summary == done.summary
    assert {name: summary[name] for name in ("schema", "protocol", "seed")} == {
        "schema": 2,
        "protocol": "conversation",
        "seed": 5,
    }
    units = summary["units"]
    assert units["planned"] == units["complete"] + sum(units["faults"].values()) + units["pending"] == 4
    assert units["faults"] == {"user": 0, "system": 4, "judge": 0, "infra": 0}
    wanted = {"name", "group", "value", "low", "high", "bounds", "n", "clusters", "level", "method", "reason"}
    for metric in summary["metrics"]:
        assert wanted <= set(metric)
        assert metric["value"] is None or math.isfinite(metric["value"])
        assert metric["value"] is not None or metric["reason"]
    by_name = {metric["name"]: metric for metric in summary["metrics"]}
    assert by_name["success"]["value"] == 0.0  # crashing never pays
    assert by_name["turns_to_success"]["value"] is None
    assert summary["usage"]["system"] == {
        "calls": 12,  # two turns, the second asked for once more
        "cached": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost": None,  # what a system costs its owner is not known here
    }


def test_the_experiment_is_kept_as_resolved_and_reads_back(shop, tmp_path):
    done = run(shop(sells_the_sea), tmp_path / "deep" / "out")
    kept = Experiment.load(tmp_path / "deep" / "out" / "experiment.yaml")
    assert os.path.samefile(kept.folder, tmp_path)
    assert kept.limits == done.experiment.limits
    assert kept.seed == 5


async def test_replies_are_shared_between_runs_but_answers_of_systems_are_not(tmp_path):
    async with FakeServer("hashed") as server:
        path = write_experiment(tmp_path, conversation(server.url), 3)
        first = await arun(path, tmp_path / "one")
        assert (tmp_path / "cache" / "calls-2.sqlite").exists()
        server.clear()
        second = await arun(path, tmp_path / "two")
        assert server.count("/v1/chat/completions") == 0
        assert server.count("/reply") == 9
    turns, ratings = 9, 3 * 2  # such a reply is no rating, so each is asked for once more
    assert second.summary["usage"]["user"]["cached"] == turns + ratings
    assert second.summary["units"] == first.summary["units"]
    texts = [run.table("turns").column("text").to_pylist() for run in (first, second)]
    assert texts[0] == texts[1]


# --- starting and going on ------------------------------------------------------------------------------------------


async def test_a_run_that_could_not_start_may_start_anew(shop, tmp_path):
    (tmp_path / "stock.py").write_text("def reply(messages, session):\n    return 'Nothing today.'\n")
    with pytest.raises(ConfigError, match=r"systems\[0\]\.function.*repyl"):
        await arun(shop("stock:repyl"), tmp_path / "out")
    assert not (tmp_path / "out" / "run.sqlite").exists()
    done = await arun(shop("stock:reply"), tmp_path / "out")
    assert done.summary["units"]["complete"] == 4


async def test_a_kill_before_anything_was_planned_is_no_obstacle(shop, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    RunStore(out / "run.sqlite").close()  # killed right after the database was made
    assert (await arun(shop(sells_the_sea), out)).summary["units"]["complete"] == 4


async def test_a_kill_before_the_units_were_planned_is_no_obstacle(shop, tmp_path):
    (tmp_path / "stock.py").write_text("def reply(messages, session):\n    return 'Nothing today.'\n")
    out = tmp_path / "out"
    out.mkdir()
    RunStore(out / "run.sqlite").close()
    (out / "experiment.yaml").write_text(resolved_yaml(shop("stock:reply"), out))
    assert (await aresume(out)).summary["units"]["complete"] == 4


async def test_a_file_that_cannot_be_written_is_one_sentence_and_nothing_is_lost(shop, tmp_path):
    (tmp_path / "out" / "summary.json").mkdir(parents=True)
    with pytest.raises(StopRun, match=r"summary\.json can't be written"):
        await arun(shop(sells_the_sea), tmp_path / "out")
    (tmp_path / "out" / "summary.json").rmdir()
    done = await aresume(tmp_path / "out", shop(sells_the_sea))
    assert (done.ran, done.summary["units"]["complete"]) == (0, 4)


# --- functions as systems -------------------------------------------------------------------------------------------


async def answers_later(messages, session):
    await asyncio.sleep(0)
    return knows_nothing(messages, session)


def breaks(messages, session):
    raise KeyError("shelf 7")


def takes_too_long(messages, session):
    raise TimeoutError("the shelf is far away")


def gives_an_object(messages, session):
    return {"content": "Here", "items": [object()]}


def gives_no_number(messages, session):
    return {"content": "Here", "score": math.nan}


def gives_nothing(messages, session):
    return None


def gives_blanks(messages, session):
    return "  \n"


@pytest.mark.parametrize(
    ("function", "ended", "fault", "said"),
    [
        (knows_nothing, "user_gave_up", "none", ""),
        (answers_later, "user_gave_up", "none", ""),
        (breaks, "unreadable", "system", "shelf 7"),
        (takes_too_long, "timeout", "system", "far away"),
        (gives_an_object, "unreadable", "system", "no JSON"),
        (gives_no_number, "unreadable", "system", "no JSON"),
        (gives_nothing, "unreadable", "system", "not NoneType"),
        (gives_blanks, "empty", "system", "said nothing, twice"),
    ],
)
async def test_functions_may_be_of_any_kind_and_may_fail(shop, tmp_path, function, ended, fault, said):
    done = await arun(shop(function, limits={"turns": 9}), tmp_path / "out")
    rows = done.table("dialogues").to_pylist()
    assert {(row["ended"], row["fault"]) for row in rows} == {(ended, fault)}
    assert all(said in row["detail"] for row in rows)
    assert done.exit_code == (3 if fault == "system" else 0)


@pytest.mark.parametrize("memory", ["messages", "session"])
async def test_on_resume_a_session_starts_over_and_messages_go_on(shop, tmp_path, memory):
    asked, stop_at = [], 6

    def reply(messages, session):
        if len(asked) + 1 == stop_at:
            raise StopRun("the shop closes")
        session["turns"] = session.get("turns", 0) + 1
        asked.append((session["id"], len(messages), session["turns"]))
        return f"Not in stock, {len(messages)}."

    limits = {"turns": 3, "concurrency": 1}
    with pytest.raises(StopRun, match="the shop closes"):
        await arun(shop(reply, memory=memory, limits=limits), tmp_path / "out")
    first, stop_at = list(asked), 0
    assert [messages for _, messages, _ in first] == [1, 3, 5, 1, 3]
    done = await aresume(tmp_path / "out", shop(reply, memory=memory, limits=limits))
    assert done.summary["units"]["complete"] == 4
    later = asked[len(first) :]
    if memory == "messages":  # the second dialogue goes on where it was; its function was asked twice already
        assert [messages for _, messages, _ in later] == [5, 1, 3, 5, 1, 3, 5]
        assert later[0][0] == first[-1][0]
    else:  # what it kept is gone: the second dialogue starts over, with a session of its own
        assert [messages for _, messages, _ in later] == [1, 3, 5] * 3
        assert later[0][0] not in {session for session, _, _ in first}
        assert [turns for _, _, turns in later] == [1, 2, 3] * 3


# --- plug-ins -------------------------------------------------------------------------------------------------------

QUIZ = """
    from pathlib import Path
    from pydantic import BaseModel
    from mysteryshopper.core import (
        Case, Criterion, Dialogue, Estimate, Exhibit, Message, Metric, Node, Ruling, Unit, Verdict
    )

    class QuizOptions(BaseModel, extra="forbid"):
        questions: int = 5

    class Quiz:
        options = QuizOptions

        def __init__(self, options):
            self.questions = options.questions

        def units(self, plan):
            return (Unit(f"q{number}") for number in range(self.questions))

        async def run(self, unit, context):
            said = Message("assistant", f"the answer to {unit.id}")
            context.save(Dialogue(unit.key, "", (Node("0", None, "system", 1, (said,)),), "answered"))

        def cases(self, store):
            for stored in store.dialogues():
                shown = Exhibit("A", stored.dialogue.id, "0", stored.dialogue.nodes[0].messages)
                asked = Criterion("fits", "Does it fit?", ("yes", "no"))
                yield Case(stored.unit.id, stored.unit.key, (shown,), (asked,))

        def measure(self, store):
            values = [ruling.value for found in store.verdicts() for ruling in found.verdict.rulings]
            share = values.count("yes") / len(values) if values else None
            reason = None if values else "nobody has judged"
            yield Metric("fits", {}, Estimate(share, n=len(values), reason=reason))

    class SternOptions(BaseModel, extra="forbid"):
        dislikes: str = "q1"

    class Stern:
        options = SternOptions

        def __init__(self, options, parts):
            self.dislikes = options.dislikes
            self.folder = Path(parts.folder)
            self.name = parts.name

        @classmethod
        def build(cls, options, parts):
            return cls(options, parts)

        async def judge(self, case):
            with (self.folder / "asked.txt").open("a") as file:
                print(self.name, case.id, file=file)
            if case.id == "q3" and (self.folder / "sick").exists():
                raise ZeroDivisionError("a judge's own mistake")
            value = "no" if case.id == self.dislikes else "yes"
            return Verdict(case.id, (Ruling("fits", value, "ok", raw=f"{value}, I say"),))
"""


@pytest.fixture
def quiz(tmp_path, monkeypatch):
    """Return a function that makes an experiment of plug-ins alone: a protocol, and judges."""
    folder = write_plugin(tmp_path / "plugins", QUIZ, protocols={"quiz": "Quiz"}, judges={"stern": "Stern"})
    monkeypatch.syspath_prepend(folder)

    def make(judges=(), **options):
        content = {"protocol": "quiz", "judges": list(judges), "options": options}
        return Experiment.from_dict(content, tmp_path)

    return make


def asked(folder):
    path = folder / "asked.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return sorted(lines)


async def test_a_protocol_may_be_a_plug_in(quiz, tmp_path):
    done = await arun(quiz(questions=7), tmp_path / "out")
    assert done.summary["units"]["complete"] == 7
    assert done.metric("fits").estimate.reason == "nobody has judged"
    with pytest.raises(ConfigError, match=r"options\.question\b.*questions"):
        quiz(question=3)


async def test_every_case_is_judged_once_and_verdicts_stay(quiz, tmp_path):
    stern = {"kind": "stern", "name": "first"}
    done = await arun(quiz([stern]), tmp_path / "out")
    assert asked(tmp_path) == [f"first q{number}" for number in range(5)]
    assert done.metric("fits").estimate.value == 0.8
    rows = done.table("verdicts").to_pylist()
    assert [(row["case"], row["value"]) for row in rows] == [
        (f"q{number}", "no" if number == 1 else "yes") for number in range(5)
    ]
    assert rows[0] == {
        "case": "q0",
        "dialogue": "q0|||0",
        "node": "0",
        "judge": "first",
        "order": "AB",
        "repeat": 0,
        "criterion": "fits",
        "value": "yes",
        "status": "ok",
        "raw": "yes, I say",
        "notes": "{}",
        "control": "",
    }

    again = await aresume(tmp_path / "out")
    assert asked(tmp_path) == []
    assert (again.ran, again.exit_code) == (0, 0)
    assert again.table("verdicts").equals(done.table("verdicts"))

    other = {"kind": "stern", "name": "second", "options": {"dislikes": "q2"}}
    both = await aresume(tmp_path / "out", quiz([stern, other]))
    assert asked(tmp_path) == [f"second q{number}" for number in range(5)]
    assert both.table("verdicts").num_rows == 10
    assert [row for row in both.table("verdicts").to_pylist() if row["judge"] == "first"] == rows

    with pytest.raises(ConfigError, match=r"judges\.first\.options\.dislikes"):
        await aresume(tmp_path / "out", quiz([{**stern, "options": {"dislikes": "q4"}}, other]))


async def test_a_case_that_could_not_be_judged_is_asked_about_again(quiz, tmp_path):
    (tmp_path / "sick").touch()
    done = await arun(quiz([{"kind": "stern", "name": "first"}]), tmp_path / "out")
    assert (done.unjudged, done.exit_code) == (1, 3)
    assert done.table("verdicts").num_rows == 4
    assert len(asked(tmp_path)) == 5
    (tmp_path / "sick").unlink()
    done = await aresume(tmp_path / "out")
    assert asked(tmp_path) == ["first q3"]
    assert (done.unjudged, done.exit_code) == (0, 0)
    assert done.table("verdicts").num_rows == 5


async def test_a_plug_in_that_cannot_be_loaded_is_named(tmp_path, monkeypatch):
    folder = write_plugin(tmp_path / "plugins", "import nothing_of_this_name", users={"broken": "Broken"})
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(ConfigError, match=r"users\[0\]\.kind.*'broken' of plugin_.*nothing_of_this_name"):
        Experiment.from_dict({**conversation("http://127.0.0.1:9"), "users": [{"kind": "broken"}]}, tmp_path)


RUDE = """
    from mysteryshopper.core import UserTurn

    class Rude:
        @classmethod
        def build(cls, options, parts):
            return cls()

        def start(self, scenario, rng):
            return {"mood": rng.random()}

        async def speak(self, view, state):
            if view.scenario.id == "p2":
                raise RuntimeError("I have had enough")
            return UserTurn("Well?"), state
"""


async def test_what_a_plug_in_user_does_wrong_is_the_users_fault_and_others_go_on(shop, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(write_plugin(tmp_path / "plugins", RUDE, users={"rude": "Rude"}))
    user = {"kind": "rude", "profiles": "people.jsonl"}
    done = await arun(shop(knows_nothing, user=user, limits={"turns": 1}), tmp_path / "out")
    assert done.summary["units"]["faults"]["user"] == 1
    assert done.summary["units"]["complete"] == 3
    ended = {row["profile"]: (row["ended"], row["fault"]) for row in done.table("dialogues").to_pylist()}
    assert ended["p2"] == ("unreadable", "user")


# --- names ----------------------------------------------------------------------------------------------------------

HOSTILE = ("../../evil", "/etc/evil", "..\\evil", "CON", "Anna", "anna", "x" * 300, "a|b", "Ünï ☃", "<b>", "=1+1", ".")


async def test_names_are_never_paths(shop, tmp_path):
    shop(knows_nothing)
    (tmp_path / "people.jsonl").write_text("".join(json.dumps({"id": name}) + "\n" for name in HOSTILE))
    before = {path for path in tmp_path.parent.rglob("*") if "cache" not in path.parts}
    content = {
        "protocol": "conversation",
        "users": [
            {"name": name, "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": [name]}}
            for name in ("CON", "Anna", "..", "nul.txt")
        ],
        "systems": [{"name": name, "kind": "python", "function": knows_nothing} for name in ("AUX", "anna", "~")],
        "limits": {"turns": 1},
    }
    done = await arun(Experiment.from_dict(content, tmp_path), tmp_path / "out")
    assert done.summary["units"]["complete"] == len(HOSTILE) * 4 * 3
    rows = done.table("dialogues").to_pylist()
    assert {row["profile"] for row in rows} == set(HOSTILE)
    assert len({row["dialogue"] for row in rows}) == len(rows)
    new = {path for path in tmp_path.parent.rglob("*") if "cache" not in path.parts} - before
    assert all(path.is_relative_to(tmp_path / "out") for path in new)
    assert not any("evil" in path.name for path in new)
    assert len(read_database(tmp_path / "out", "SELECT DISTINCT id FROM units")) == len(HOSTILE)


@pytest.mark.parametrize("name", ["../evil", "a/b", "back\\slash", "with|bar", "bell\x07", "x" * 81])
async def test_names_of_blocks_that_would_not_fit_are_refused(shop, name):
    with pytest.raises(ConfigError, match=r"systems\[0\]\.name"):
        shop(systems=[{"name": name, "kind": "python", "function": knows_nothing}])


async def test_a_run_without_a_folder_gets_a_harmless_one(shop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_experiment(tmp_path / "odd", conversation("http://127.0.0.1:9"), name=".. shop (new)?.yaml")
    (tmp_path / "stock.py").write_text("def reply(messages, session):\n    return 'Nothing today.'\n")
    path.write_text(resolved_yaml(shop("stock:reply")))
    done = await arun(path)
    assert done.path.parent == Path("runs")
    assert done.path.name == "shop-new"
