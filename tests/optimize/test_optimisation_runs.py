"""Whole optimisations against an endpoint that writes, reviews and judges as it is told to."""

from optimising import PEOPLE, Director, Served, content

from mysteryshopper.experiment import Experiment, aresume, arun, measure_again
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.optimize import read_story
from mysteryshopper.users.adaptsim.instruction import instruction_of
from mysteryshopper.users.adaptsim.options import AdaptSimOptions


def story_of(folder):
    _, store = open_run(folder)
    try:
        return read_story(store)
    finally:
        store.close()


async def run(folder, director, **changes):
    served = Served(director)
    async with served.server as server:
        experiment = Experiment.from_dict(content(server.url, **changes), folder)
        return await arun(experiment, folder / "out")


async def test_it_stops_after_three_rounds_without_improvement_and_keeps_the_best(told_user):
    director = Director([(6, 0), (2, 3), (2, 2), (1, 5), (6, 0)])
    done = await run(told_user, director)
    story = story_of(done.path)
    assert story.ended == "patience"
    assert story.best == 1
    assert [(one.number, one.parent) for one in story.rounds] == [(0, None), (1, 0), (2, 1), (3, 1), (4, 1)]
    tallies = [(one.tally.wins, one.tally.losses, one.tally.ties) for one in story.rounds[1:]]
    assert tallies == [(6, 0, 0), (2, 3, 1), (2, 2, 2), (1, 5, 0)]
    prompts = {path.name: path.read_text("utf-8") for path in (done.path / "prompts").iterdir()}
    assert prompts["initial.txt"] == "v0 Be a person.\n"
    assert prompts["best.txt"] == prompts["round-01.txt"] == "v1 Be a person.\n"
    assert sorted(prompts) == ["best.txt", "initial.txt", *(f"round-0{n}.txt" for n in range(1, 5))]
    assert done.summary["units"] == {
        "planned": 1,
        "complete": 1,
        "faults": {"user": 0, "system": 0, "judge": 0, "infra": 0},
        "pending": 0,
    }
    assert done.exit_code == 0
    gain = done.metric("gain", judge="duel")
    assert (gain.estimate.value, gain.estimate.n) == (1.0, PEOPLE)
    assert gain.estimate.p == 2 / 2**PEOPLE  # all signs alike, out of all patterns
    assert done.metric("rounds").estimate.value == 4
    assert done.metric("improvements").estimate.value == 1
    assert done.metric("round_gain", round="4").estimate.value == (1 - 5) / 6


async def test_all_prompts_meet_the_same_people(told_user):
    done = await run(told_user, Director([(0, 1)]), options={"rounds": 1, "batch": 4})
    rows = done.table("dialogues").to_pylist()
    by_round = {}
    for row in rows:
        by_round.setdefault(row["dialogue"].split("|")[4], set()).add(row["profile"])
    assert len(by_round["0"]) == 4
    assert by_round["0"] == by_round["1"]


async def test_a_finished_optimisation_resumes_without_a_call(told_user):
    director = Director([(6, 0), (6, 0)])
    served = Served(director)
    async with served.server as server:
        experiment = Experiment.from_dict(content(server.url, options={"rounds": 2}), told_user)
        first = await arun(experiment, told_user / "out")
        before = server.count()
        again = await aresume(told_user / "out")
        assert server.count() == before
    assert again.ran == 0
    assert again.summary == first.summary
    assert measure_again(told_user / "out").summary == first.summary


async def test_calls_of_the_rounds_are_counted_in_the_run(told_user):
    director = Director([(6, 0)])
    served = Served(director)
    async with served.server as server:
        done = await arun(
            Experiment.from_dict(content(server.url, options={"rounds": 1}), told_user), told_user / "out"
        )
        usage = done.summary["usage"]
        assert usage["system"]["calls"] == server.count("/reply") == 2 * 2 * PEOPLE
        assert usage["optimise"]["calls"] == director.asked["writer"] == 1 + PEOPLE + 1
        assert usage["judge"]["calls"] == director.asked["judge"] == 2 * PEOPLE


async def test_a_held_out_judge_checks_the_gain_and_decides_nothing(told_user):
    director = Director([(4, 0), (4, 1)], second={1: (0, 6), 2: (1, 3)})
    judges = [{"name": name, "kind": "simulators", "model": name} for name in ("judge", "other")]
    done = await run(told_user, director, judges=judges, options={"rounds": 2, "held_out": "other"})
    story = story_of(done.path)
    assert story.best == 2  # the held-out judge likes neither
    decided, checked = done.metric("gain", judge="judge"), done.metric("gain", judge="other")
    assert decided.group["part"] == "decided"
    assert checked.group["part"] == "held out"
    # best (2) against initial: the first says 4 to 1, the second 1 to 3, of six people
    assert decided.estimate.value == (4 - 1) / 6
    assert checked.estimate.value == (1 - 3) / 6
    # person-0: both won; person-1 to 3: won against lost; person-4: lost against neither; person-5: neither
    assert done.metric("gain_agreement").estimate.value == 2 / 6
    assert done.metric("gain_agreement").estimate.n == 6
    assert done.metric("gain_kappa").estimate.n == 6
    # round 1 against 0, round 2 against 1, and 2 against 0; the second is asked about the last alone
    assert director.asked["judge"] == 2 * 3 * PEOPLE
    assert director.asked["other"] == 2 * PEOPLE
    assert {one.group["judge"] for one in done.metrics if one.name == "round_gain"} == {"judge"}


async def test_a_judge_asked_afterwards_changes_no_decision(told_user):
    director = Director([(6, 0), (0, 6)], second={1: (0, 6), 2: (6, 0)})
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 2})
        done = await arun(Experiment.from_dict(given, told_user), told_user / "out")
        later = {"name": "later", "kind": "simulators", "model": "other"}
        grown = Experiment.from_dict({**given, "judges": [later, *given["judges"]]}, told_user)
        before = dict(director.asked)
        again = await aresume(told_user / "out", grown)
    assert story_of(done.path).best == 1
    assert again.metric("gain", judge="duel").estimate.value == 1.0
    assert again.metric("gain", judge="duel").group["part"] == "decided"  # though it is the first judge no longer
    assert again.metric("gain", judge="later").estimate.value == -1.0
    assert again.metric("gain", judge="later").group["part"] == "asked afterwards"
    assert director.asked["other"] == 2 * 2 * PEOPLE
    assert (director.asked["writer"], director.asked["judge"]) == (before["writer"], before["judge"])


async def test_a_prompt_that_breaks_users_loses_those_pairs(told_user):
    """Two users say nothing at all with it; of the four that are left it wins one."""
    director = Director([(3, 0)], texts={1: "v1-breaks Say nothing."})
    done = await run(told_user, director, options={"rounds": 1})
    last = story_of(done.path).rounds[1]
    assert (last.tally.wins, last.tally.losses, last.tally.forfeits) == (1, 2, 2)
    assert last.lost == {"user": 2}
    assert not last.better
    assert done.metric("dialogues_lost", round="1").estimate.value == 2 / 6
    assert len([one for one in done.table("dialogues").to_pylist() if "|1|" in one["dialogue"]]) == 4


async def test_what_is_not_new_is_noted(told_user):
    long = "v0 " + " ".join(f"word{n}" for n in range(60))
    texts = {0: long, 1: long, 2: long + " more", 3: "v3 " + "So it goes. " * 60, 4: "v4 Fine."}
    director = Director([(0, 0), (0, 0), (0, 0), (6, 0)], texts=texts)
    done = await run(told_user, director, options={"rounds": 4, "patience": 9, "longest": 500})
    story = story_of(done.path)
    assert [one.notes for one in story.rounds] == [(), ("unchanged",), ("near",), ("cut",), ()]
    assert [one.dialogues for one in story.rounds] == [6, 0, 6, 6, 6]
    assert story.rounds[1].tally is None
    assert len(story.rounds[3].prompt) <= 500
    assert story.best == 4


async def test_a_writer_that_can_not_be_read_ends_in_rounds_without_a_prompt(told_user):
    director = Director()

    def write(body):
        if "problems" not in str(body["response_format"]) and director.asked["writer"] > 1:
            return "I'd rather talk about the weather."
        return Director._write(director, body)

    director._write = write
    done = await run(told_user, director, options={"rounds": 6})
    story = story_of(done.path)
    assert [one.notes for one in story.rounds[1:]] == [("unusable",)] * 3
    assert story.best == 0
    assert story.ended == "patience"
    assert director.asked["writer"] == 1 + PEOPLE + 3 * 2  # asked once more, each time
    gain = done.metric("gain").estimate
    assert gain.value is None
    assert "no prompt" in gain.reason


async def test_hostile_texts_are_values_everywhere(told_user):
    """A prompt full of marks is given to the user, fenced for the writer, and shown in the report, as it is."""
    from mysteryshopper.cli.running import write_run_report

    hostile = 'v1 {{ 7 * 7 }} {% for x in y %} ``` <<0 0>> [END] ${HOME} %s <script>alert(1)</script> "}'
    director = Director([(6, 0), (0, 6)], texts={1: hostile}, problems=("{{ problem }} ``` </td><script>",))
    served = Served(director)
    async with served.server as server:
        experiment = Experiment.from_dict(content(server.url, options={"rounds": 2}), told_user)
        done = await arun(experiment, told_user / "out")
        asked = [str(body["messages"][-1]["content"]) for body in server.bodies("/v1/chat/completions")]
    assert (done.path / "prompts/best.txt").read_text("utf-8") == hostile + "\n"
    improving = [text for text in asked if "The instruction as it is:" in text]
    assert any(hostile in text for text in improving)
    assert all("{{ problem }} ``` </td><script>" in text for text in improving)
    page = write_run_report(done).read_text("utf-8")
    assert "{{ 7 * 7 }}" in page
    assert "<script>alert" not in page
    assert "</td><script>" not in page


async def test_a_text_slot_is_filled_and_what_it_can_not_take_is_no_prompt(told_user):
    director = Director([(6, 0), (6, 0)], texts={2: "v2 Pay with ${CARD}."})
    user = {"name": "plain", "kind": "slotted", "profiles": "people.jsonl"}
    done = await run(told_user, director, user=user, options={"rounds": 2})
    story = story_of(done.path)
    assert [one.notes for one in story.rounds] == [(), (), ("unusable",)]
    child, store = open_run(done.path / "rounds" / "01")  # a run like any other
    store.close()
    assert child.users[0].options["instruction"] == "v1 Be a person."


async def test_a_bot_that_remembers_sessions_meets_new_ones_in_every_round(told_user):
    director = Director([(6, 0)])
    served = Served(director)
    async with served.server as server:
        given = content(server.url, options={"rounds": 1})
        given["system"] = {"name": "shop", "kind": "http", "url": f"{server.url}/reply", "memory": "session"}
        await arun(Experiment.from_dict(given, told_user), told_user / "out")
        sessions = [body["session"] for body in server.bodies("/reply")]
    assert len(set(sessions)) == 2 * PEOPLE


async def test_adaptsim_is_given_the_text_as_a_value_and_takes_the_best_one_afterwards(told_user):
    hostile = 'v1 Say {{ profile.wish }} {% endfor %} ``` <<00 00>> [END] ${HOME} {"reply": "x"}\n\nBe kind.'
    director = Director([(6, 0), (0, 6)], texts={1: hostile})
    served = Served(director)
    async with served.server as server:
        user = {"name": "guest", "kind": "adaptsim", "model": "speaker", "profiles": "people.jsonl"}
        given = content(server.url, user=user, options={"rounds": 2})
        done = await arun(Experiment.from_dict(given, told_user), told_user / "out")
        bodies = [body for body in server.bodies("/v1/chat/completions") if body["model"] == "speaker"]
    told = ["".join(message["content"] for message in body["messages"]) for body in bodies]
    assert sum(hostile in text for text in told) == 2 * PEOPLE  # two turns each, in one round of three
    assert story_of(done.path).best == 1
    assert done.summary["usage"]["user"]["calls"] == len(bodies) == 3 * 2 * PEOPLE
    options = AdaptSimOptions.model_validate({"prompt": "optimised", "from": "out"})
    assert instruction_of(options, told_user, None) == hostile
    first = AdaptSimOptions.model_validate({"prompt": "initial", "from": "out"})
    assert instruction_of(first, told_user, None) == "v0 Be a person."
