"""What stops an optimisation in the middle, and how it goes on: cost limit, failures, kills; and what is planned."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from fake_runs import Program, program, read_database, read_summary, results, write_people
from optimising import PEOPLE, USER, Director, Served, content
from plugin import write_plugin

from mysteryshopper.core import ConfigError, StopRun, encode_text
from mysteryshopper.experiment import Experiment, aresume, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.yaml_text import write_yaml
from mysteryshopper.metrics import wilson
from mysteryshopper.optimize import OptimisationOptions, Problem, Round, Story, read_story
from mysteryshopper.optimize.measuring import measure_optimisation
from mysteryshopper.testing import Fault, Reply

_JUDGES = (("duel", "simulators"), ("marks", "rubric"))


def story_of(folder):
    _, store = open_run(folder)
    try:
        return read_story(store)
    finally:
        store.close()


def measured(story, systems):
    """The metrics of a story that no judge has looked at."""
    store = SimpleNamespace(
        plan=SimpleNamespace(judges=(), systems=systems),
        noted=lambda key: encode_text(story),
        verdicts=lambda messages: iter(()),
    )
    return measure_optimisation(store, OptimisationOptions(model="m"), "")


def talking(url, **changes):
    """An experiment whose user calls a model, too, so that children cost money."""
    given = content(url, **changes)
    given["user"] = {**given["user"], "model": "speaker", "options": {"calls_model": True}}
    return given


async def test_a_cost_limit_covers_the_rounds_and_a_higher_one_goes_on(told_user, monkeypatch):
    served = Served(Director([(6, 0), (6, 0), (0, 6)]))
    async with served.server as server:
        whole = await arun(
            Experiment.from_dict(talking(server.url, options={"rounds": 3, "max_tokens": 64}), told_user),
            told_user / "a",
        )
        cost = sum(role["cost"] for name, role in whole.summary["usage"].items() if name != "system")
        assert whole.summary["usage"]["user"]["cost"] > 0
        served.director.numbers.clear()
        monkeypatch.setenv(
            "MYSTERYSHOPPER_CACHE", str(told_user / "other")
        )  # or everything is met again there, for nothing
        limit = cost * 0.6
        given = talking(server.url, options={"rounds": 3, "max_tokens": 64})
        given["limits"] = {**given["limits"], "max_cost": limit, "concurrency": 1}
        cut = await arun(Experiment.from_dict(given, told_user), told_user / "b")
        spent = sum(role["cost"] for name, role in cut.summary["usage"].items() if name != "system")
        assert 0 < spent <= limit
        assert cut.exit_code == 3
        assert cut.summary["units"]["faults"]["infra"] == 1
        told = story_of(cut.path)
        assert told.ended == ""
        assert 0 < len(told.rounds) < 4
        assert (cut.path / "prompts/best.txt").is_file()
        kept = {row[0] for row in read_database(cut.path, "SELECT key FROM calls WHERE status = 'ok'")}
        given["limits"]["max_cost"] = cost * 3
        done = await aresume(cut.path, Experiment.from_dict(given, told_user))
    assert story_of(done.path) == story_of(whole.path)
    assert kept <= {row[0] for row in read_database(done.path, "SELECT key FROM calls WHERE status = 'ok'")}
    assert done.summary["units"]["complete"] == 1
    assert done.summary["metrics"] == whole.summary["metrics"]


async def test_a_limit_that_is_reached_amid_reviews_is_told_as_what_it_is(told_user):
    """Reviews go out at once: the failure of one must not come out wrapped up."""
    served = Served(Director([(6, 0)]))
    async with served.server as server:
        given = content(server.url, options={"rounds": 1, "max_tokens": 64})
        given["limits"] = {**given["limits"], "max_cost": 3 * 64e-6}  # the most that three of the six can take
        cut = await arun(Experiment.from_dict(given, told_user), told_user / "out")
    _, store = open_run(cut.path)
    try:
        (unit,) = store.units()
    finally:
        store.close()
    assert (unit.ended, unit.fault) == ("budget", "infra")
    assert "max_cost" in unit.detail
    assert len(story_of(cut.path).rounds) == 1


async def test_a_judge_that_fails_decides_nothing(told_user):
    """All verdicts of the first try fail: the round is not lost, it is judged when the run goes on."""
    director = Director([(6, 0)])
    broken = {"on": True}

    def judge(body):
        return Fault("error_500") if broken["on"] else Director._judge(director, body)

    director._judge = judge
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 1})
        given["limits"] = {**given["limits"], "retries": 0}
        failed = await arun(Experiment.from_dict(given, told_user), told_user / "out")
        assert failed.summary["units"]["faults"]["infra"] == 1
        assert len(story_of(failed.path).rounds) == 1
        broken["on"] = False
        done = await aresume(told_user / "out")
    assert story_of(done.path).best == 1
    assert director.asked["writer"] == 1 + PEOPLE + 1


async def test_a_prompt_that_was_written_stays_whatever_the_model_would_write_now(told_user):
    """A try that was cut is in no record; asked for again, it would be another prompt than that of the dialogues."""
    director = Director([(6, 0)])
    broken, improving, write = {"on": True}, [], director._write

    def judge(body):
        return Fault("error_500") if broken["on"] else Director._judge(director, body)

    def cut_at_first(body):
        if "The instruction as it is:" not in body["messages"][-1]["content"]:
            return write(body)
        improving.append(body)
        text = json.dumps({"instruction": f"v{1 if broken['on'] else 7} Be a person."})
        return Reply(text, finish="length") if len(improving) == 1 else text

    director._judge, director._write = judge, cut_at_first
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 1})
        given["limits"] = {**given["limits"], "retries": 0}
        await arun(Experiment.from_dict(given, told_user), told_user / "out")
        begun = story_of(told_user / "out")
        broken["on"] = False
        done = await aresume(told_user / "out")
    assert (len(begun.rounds), begun.begun.prompt) == (1, "v1 Be a person.")
    assert len(improving) == 2
    story = story_of(done.path)
    assert (story.rounds[1].prompt, story.best, story.begun) == ("v1 Be a person.", 1, None)
    assert (done.path / "prompts/best.txt").read_text("utf-8") == "v1 Be a person.\n"


@pytest.mark.parametrize("grown", ["people", "systems"])
async def test_rounds_of_one_run_have_the_same_people_and_systems(told_user, grown):
    """More of them may come to other runs on resume; here the batch would be drawn anew, amid the comparison."""
    director, broken = Director([(6, 0)]), Fault("error_500")
    director._judge = lambda body: broken
    served = Served(director)
    async with served.server as server:
        user = {"name": "plain", "kind": "told", "profiles": {"demographic": 8}}
        given = content(server.url, user=user, options={"rounds": 1, "batch": 4})
        given["limits"] = {**given["limits"], "retries": 0}
        given["systems"] = [given.pop("system")]
        await arun(Experiment.from_dict(given, told_user), told_user / "out")
        assert len(story_of(told_user / "out").rounds) == 1
        if grown == "people":
            given["user"]["profiles"]["demographic"] = 40
        else:
            given["systems"].append({**given["systems"][0], "name": "other"})
        before = server.count()
        with pytest.raises(StopRun, match="compared over the same ones"):
            await aresume(told_user / "out", Experiment.from_dict(given, told_user))
        assert server.count() == before


async def test_what_failed_is_in_the_bounds_of_the_gain(told_user):
    """Two of six people break down under the first text: the other four are won, and the two are unknown."""
    director = Director([(6, 0)], texts={0: "v0-breaks Be a person."})
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 1})
        done = await arun(Experiment.from_dict(given, told_user), told_user / "out")
    gain = done.metric("gain", judge="duel").estimate
    assert (gain.value, gain.n) == (1.0, 4)
    assert gain.bounds == pytest.approx(((4 - 2) / 6, 1.0))
    assert done.metric("dialogues_lost", round="0").estimate.value == pytest.approx(2 / 6)


def test_dialogues_of_one_person_with_two_systems_are_not_counted_as_independent():
    story = Story((Round(0, "a", dialogues=18, lost={"user": 2}, problems=(Problem("Dull.", 3),), reviewed=18),))
    alone, together = (
        {metric.name: metric.estimate for metric in measured(story, systems)} for systems in (("a",), ("a", "b"))
    )
    assert alone["dialogues_lost"].value == together["dialogues_lost"].value == 0.1
    assert (alone["dialogues_lost"].low, alone["dialogues_lost"].high) == pytest.approx(wilson(2, 20))
    assert (together["dialogues_lost"].low, together["dialogues_lost"].high) == (None, None)
    assert "one person" in together["dialogues_lost"].reason
    assert alone["problems_a_dialogue"].value == pytest.approx(3 / 18)


async def test_a_plan_tells_least_expected_and_most_calls(told_user):
    given = content(
        "http://127.0.0.1:9",
        judges=[{"name": name, "kind": "simulators", "model": name} for name in ("judge", "other")],
        options={"rounds": 6, "patience": 3, "held_out": "other", "controls": 2},
    )
    given["user"]["options"] = {"calls_model": True}
    given["user"]["model"] = "speaker"
    told = {(row.role, row.block): tuple(row.calls) for row in make_plan(Experiment.from_dict(given, told_user)).rows}
    # 6 people, 1 system, 2 turns; rounds: 3 are sure, 6 are most, 5 are expected (half of what is not sure, rounded up)
    assert told["user", "plain"] == (6, 6 * (1 + 5) * 2, 6 * (1 + 6) * 2 * 2)
    assert told["system", "shop"] == (6, 6 * (1 + 5) * 2, 6 * (1 + 6) * 2 * 3)
    assert told["optimise", "writer"] == (1 + 6 + 3, 1 + 6 * (1 + 2) + 5, 2 * (1 + 6 * 6 + 6))
    assert told["judge", "judge"] == (0, 2 * (6 * 5 + 6 + 2), 4 * (6 * 6 + 6 + 4))
    assert told["judge", "other"] == (0, 2 * (6 + 2), 4 * (6 + 4))


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"options": {"model": "nobody"}}, "options.model", "no model 'nobody'"),
        ({"options": {"judge": "nobody"}}, "options.judge", "no judge 'nobody'"),
        ({"options": {"held_out": "duel"}}, "judges", "no judge to decide"),
        ({"judges": [{"name": "duel", "kind": "pairwise", "model": "judge"}]}, "judges[0].kind", "simulators"),
        (
            {"judges": [{"name": name, "kind": kind, "model": "judge"} for name, kind in _JUDGES]},
            "judges[1].kind",
            "shown nothing",
        ),
        ({"user": {"kind": "agenda", "profiles": "people.jsonl"}}, "user.kind", "takes no instruction"),
        ({"repeats": 2}, "repeats", "once"),
        ({"limits": {"units": 3}}, "limits.units", "options.batch"),
        ({"options": {"initial": "gone.txt"}}, "options.initial", "can't be read"),
        ({"options": {"slot": "nothing"}}, "options.slot", "no option 'nothing'"),
        ({"judges": []}, "judges", "no judge to decide"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_called(told_user, changes, key, words):
    given = content("http://127.0.0.1:9", **changes)
    with pytest.raises(ConfigError) as error:
        make_plan(Experiment.from_dict(given, told_user))
    assert error.value.key == key
    assert words in str(error.value)


def test_saying_how_dialogues_go_turns_no_rating_on():
    """It would cost a call a dialogue, and nobody reads it."""
    assert OptimisationOptions(model="m").conversation.rating is False
    options = OptimisationOptions.model_validate({"model": "m", "conversation": {"guard": "flag"}})
    assert (options.conversation.guard, options.conversation.rating) == ("flag", False)
    asked = OptimisationOptions.model_validate({"model": "m", "conversation": {"rating": True}})
    assert asked.conversation.rating is True


async def test_an_own_text_is_where_it_begins(told_user):
    (told_user / "mine.txt").write_text("v0 My own words {{ and braces }}.\n", "utf-8")
    director = Director([(0, 6)])
    director.first = 1
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 1, "initial": "mine.txt"})
        done = await arun(Experiment.from_dict(given, told_user), told_user / "out")
    story = story_of(done.path)
    assert story.rounds[0].prompt == "v0 My own words {{ and braces }}."
    assert story.rounds[0].notes == ("given",)
    assert director.asked["writer"] == PEOPLE + 1


@pytest.mark.slow
async def test_kills_in_the_middle_repeat_no_committed_call(tmp_path):
    """Killed wherever it happens to be, it ends with the story of an undisturbed run."""
    plugin = write_plugin(tmp_path / "plugin", USER, users={"told": "Told"})
    director = Director([(6, 0), (0, 6), (4, 2)])
    served = Served(director, latency=0.02)
    env = {"PYTHONPATH": str(plugin)}
    at_once, aims = 4, (7, 12, 25)  # more calls before each kill: in the first review, in a child, while judging
    async with served.server as server:
        given = talking(server.url, options={"rounds": 3})
        given["limits"] = {**given["limits"], "concurrency": at_once}
        for name in ("killed", "whole"):
            (tmp_path / name).mkdir()
            write_people(tmp_path / name, PEOPLE)
            (tmp_path / name / "prompt.yaml").write_text(write_yaml(given), "utf-8")
        killed = tmp_path / "killed"
        for aim in aims:
            begun = (killed / "out/experiment.yaml").exists()
            words = ("resume", "out") if begun else ("run", "prompt.yaml", "--out", "out")
            before = server.count()
            with Program(killed, *words, "--quiet", **env) as process:
                while process.runs and server.count() < before + aim:  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.005)
                assert process.runs
                await asyncio.to_thread(process.kill)
        assert 0 < len(committed(killed / "out")) < server.count() + 1
        code, *_ = await asyncio.to_thread(program, killed, "resume", "out", "--quiet", **env)
        assert code == 0
        assert server.count() <= len(committed(killed / "out")) + len(aims) * at_once
        assert await asyncio.to_thread(program, tmp_path / "whole", "run", "prompt.yaml", "--out", "out", **env)
    assert story_of(killed / "out") == story_of(tmp_path / "whole/out")
    assert story_of(killed / "out").best == 3
    assert committed(killed / "out") == committed(tmp_path / "whole/out")
    assert results(read_summary(killed / "out")) == results(read_summary(tmp_path / "whole/out"))


def committed(run):
    return {key for (key,) in read_database(run, "SELECT key FROM calls WHERE status = 'ok'")}
