"""What stops an optimisation in the middle, and how it goes on: cost limit, failures, kills; and what is planned."""

import asyncio

import pytest
from fake_runs import Program, program, read_database, read_summary, results, write_people
from optimising import PEOPLE, USER, Director, Served, content
from plugin import write_plugin

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, aresume, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.yaml_text import write_yaml
from mysteryshopper.optimize import read_story
from mysteryshopper.testing import Fault


def story_of(folder):
    _, store = open_run(folder)
    try:
        return read_story(store)
    finally:
        store.close()


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


async def test_a_judge_that_fails_decides_nothing(told_user):
    """All verdicts of the first try fail: the round is not lost, it is judged when the run goes on."""
    director = Director([(6, 0)])
    broken = {"on": True}

    def judge(body):
        return Fault("server_error") if broken["on"] else Director._judge(director, body)

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
