"""`simulator-comparison` in runs: who meets whom, what judges see, who wins, and what the controls say."""

import json
import re

import pytest

from mysteryshopper.cli.running import report_folder
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, aresume, arun, run
from mysteryshopper.experiment.comparing import compare
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.view import procedure_of
from mysteryshopper.judges.criteria_files import load_criteria
from mysteryshopper.protocols.simulator_comparison.spoiling import SPOILS
from mysteryshopper.testing import FakeServer

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
GENRES = ("comedy", "war", "drama")
SERVING = "Sure! Here are three films for you: 1. Lantern Road 2. Nine Winters 3. The Salt Clock. Would you like more?"
SIX = ("naturalness", "adaptability", "clarity", "realism", "relevance", "role_play")


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def user(name, *turns, profiles="people.jsonl"):
    """A scripted user that begins with its wish and then says these turns."""
    lines = turns or (f"{name} wants another one", f"{name} is not convinced of that")
    return {
        "name": name,
        "kind": "scripted",
        "profiles": profiles,
        "options": {"turns": list(lines), "wish_first": True},
    }


def shop(name="shop", reply=None):
    def plain(messages, session):
        return f"{name} heard {messages[-1]['content']}"

    return {"name": name, "kind": "python", "function": reply or plain, "memory": "messages"}


def experiment(folder, people=3, **changes):
    persons = (
        {
            "id": f"p{n}",
            "persona": f"Baker {n}.",
            "wish": f"a {GENRES[n % 3]} for evening {n}",
            "attributes": {"genre": [GENRES[n % 3]]},
        }
        for n in range(people)
    )
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))
    (folder / "items.csv").write_text(ITEMS)
    options = {"guard": "off", "controls": 0, **changes.pop("options", {})}
    content = {
        "protocol": "simulator-comparison",
        "users": [user("ada"), user("bo")],
        "systems": [shop()],
        "data": {"path": "items.csv"},
        "options": options,
        "limits": {"turns": 3},
        **changes,
    }
    return Experiment.from_dict(content, folder)


def cases(folder):
    made, store = open_run(folder)
    try:
        return list(procedure_of(made).cases(store))
    finally:
        store.close()


def metric(done, name, **group):
    found = [one for one in done.summary["metrics"] if one["name"] == name and group.items() <= one["group"].items()]
    exact = [one for one in found if set(one["group"]) - {"domain", "about"} == set(group) - {"domain", "about"}]
    assert len(exact) == 1, (name, group, [one["group"] for one in found])
    return exact[0]


def names_of(done, name):
    return [one["group"] for one in done.summary["metrics"] if one["name"] == name]


# --- who meets whom -------------------------------------------------------------------------------------------------


def test_every_person_is_played_by_every_simulator_with_every_system(tmp_path):
    done = run(experiment(tmp_path, systems=[shop("one"), shop("two")]), tmp_path / "run")
    assert done.summary["units"]["complete"] == 3 * 2 * 2
    found = cases(tmp_path / "run")
    assert [case.id for case in found] == [
        f"users|p{n}|{system}|ada|bo|0" for n in range(3) for system in ("one", "two")
    ]
    for case in found:
        assert case.data["systems"] == ["ada", "bo"]
        assert case.data["cluster"] == case.id.split("|")[1]
        assert [exhibit.label for exhibit in case.exhibits] == ["A", "B"]
        said = [[message.text for message in exhibit.messages] for exhibit in case.exhibits]
        assert said[0][0] == said[1][0], "the same person with the same wish"
        assert (said[0][2], said[1][2]) == ("ada wants another one", "bo wants another one")


def test_three_simulators_are_compared_two_by_two(tmp_path):
    run(experiment(tmp_path, people=1, users=[user("bo"), user("ada"), user("cy")]), tmp_path / "run")
    found = cases(tmp_path / "run")
    assert [case.data["systems"] for case in found] == [["bo", "ada"], ["bo", "cy"], ["ada", "cy"]]
    assert found[0].id == "users|p0|shop|ada|bo|0", "the id does not hang on the order of the file"


def test_repeats_are_paired_repeat_by_repeat(tmp_path):
    run(experiment(tmp_path, people=1, repeats=2), tmp_path / "run")
    assert [case.id for case in cases(tmp_path / "run")] == ["users|p0|shop|ada|bo|0", "users|p0|shop|ada|bo|1"]


def test_people_whom_only_one_plays_are_left_out(tmp_path):
    (tmp_path / "few.jsonl").write_text(
        '{"id": "p1", "persona": "Baker 1.", "wish": "a war for evening 1", "attributes": {"genre": ["war"]}}\n'
    )
    done = run(experiment(tmp_path, users=[user("ada"), user("bo", profiles="few.jsonl")]), tmp_path / "run")
    assert done.summary["units"]["planned"] == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "p1", "wish": "something else"}', "another one for 'ada'"),
        ('{"id": "q9", "wish": "anything"}', "no two users play the same people"),
    ],
)
def test_simulators_need_the_same_people(tmp_path, line, says):
    (tmp_path / "others.jsonl").write_text(line + "\n")
    with pytest.raises(ConfigError, match=says):
        make_plan(experiment(tmp_path, users=[user("ada"), user("bo", profiles="others.jsonl")]))


def test_the_same_people_may_be_played_in_other_manners(tmp_path):
    made = experiment(tmp_path, users=[user("ada"), user("bo", profiles="terse.jsonl")])
    lines = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    terse = (json.dumps({**line, "style": {"conciseness": "terse"}, "patience": 2}) for line in lines)
    (tmp_path / "terse.jsonl").write_text("\n".join(terse))
    assert make_plan(made).units == 6


def test_one_simulator_alone_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="name a second user"):
        make_plan(experiment(tmp_path, users=[user("ada")]))


def test_judges_of_systems_are_refused_since_they_would_be_shown_nothing(tmp_path):
    with pytest.raises(ConfigError, match=r"judges\[0\].kind.*take one of these kinds: simulators"):
        experiment(tmp_path, judges=[{"name": "rules", "kind": "rules"}])


def test_the_plan_counts_dialogues_and_pairs(tmp_path):
    models = {"wise": {"name": "any", "base_url": "http://127.0.0.1:1/v1"}}
    judges = [{"name": "wise", "kind": "simulators", "model": "wise", "options": {"criteria": "simulators-six"}}]
    users = [user("ada"), user("bo"), user("cy")]
    report = make_plan(experiment(tmp_path, users=users, models=models, judges=judges))
    rows = {(row.role, row.block): row.calls.expected for row in report.rows}
    assert report.units == 9
    assert rows["user", "ada"] == 3 * 3
    assert rows["system", "shop"] == 9 * 3
    assert rows["judge", "wise"] == 3 * 3 * 2  # three people, three pairs, both orders


# --- what judges see ------------------------------------------------------------------------------------------------


def test_the_judge_is_told_who_was_to_be_played_and_not_who_plays(tmp_path):
    run(experiment(tmp_path, people=1), tmp_path / "run")
    (case,) = cases(tmp_path / "run")
    (note,) = case.context
    assert "The person to be played: Baker 0." in note.text
    assert "What the person is looking for: a comedy for evening 0" in note.text
    assert "It must have this genre: comedy" in note.text
    assert note.role == "system"
    assert case.data["about"] == "users"


def test_the_six_are_asked_in_their_own_words():
    found = load_criteria("simulators-six", None, "pair")
    assert tuple(one.name for one in found.criteria) == SIX
    assert set(SIX) == {name for names in SPOILS.values() for name in names}, "each has a control of its own"


# --- who wins -------------------------------------------------------------------------------------------------------


def shown(seen):
    """Return the questions asked, and the two records as the judge sees them."""
    names = seen.body["response_format"]["json_schema"]["schema"]["required"]
    first, _, rest = seen.text.partition("\nA:\n")[2].partition("\nB:\n")
    return names, first, rest.partition("\nThe question")[0]


def first_place(seen):
    return json.dumps(dict.fromkeys(shown(seen)[0], "A"))


def longer(seen):
    """Prefer whoever wrote more, but on `clarity` whoever wrote less, and on `relevance` nobody."""
    names, first, second = shown(seen)
    one, other = (
        sum(len(line) for line in text.splitlines() if line.startswith("Person:")) for text in (first, second)
    )
    best = "A" if one > other else "B" if other > one else "tie"
    turned = {"A": "B", "B": "A", "tie": "tie"}[best]
    return json.dumps({name: turned if name == "clarity" else "tie" if name == "relevance" else best for name in names})


def wise(url, criteria="simulators-six", repeats=1):
    """Blocks of a judge of simulators whose model is at a URL."""
    judge = {"name": "wise", "kind": "simulators", "model": "wise", "options": {"criteria": criteria}}
    return {
        "models": {"wise": {"name": "any", "base_url": f"{url}/v1", "temperature": 0}},
        "judges": [{**judge, "repeats": repeats}],
    }


async def judged(folder, behaviour, criteria="simulators-six", **changes):
    async with FakeServer(behaviour) as server:
        made = experiment(folder, **wise(server.url, criteria), **changes)
        done = await arun(made, folder / "run")
        return done, server.requests


def talker(name, words):
    return user(name, *(f"{name} {number} " + " ".join(["more"] * words) for number in range(2)))


async def test_each_dimension_is_told_apart_and_all_together(tmp_path):
    done, requests = await judged(tmp_path, longer, people=12, users=[talker("short", 2), talker("long", 9)])
    assert len(requests) == 12 * 2, "one call an order for all six"
    group = {"judge": "wise", "user": "short", "versus": "long"}
    for criterion in SIX:
        won = 1.0 if criterion == "clarity" else 0.0
        drawn = 1.0 if criterion == "relevance" else 0.0
        assert metric(done, "wins", criterion=criterion, **group)["value"] == won
        assert metric(done, "ties", criterion=criterion, **group)["value"] == drawn
        assert metric(done, "losses", criterion=criterion, **group)["value"] == 1 - won - drawn
        assert metric(done, "consistency", criterion=criterion, **group)["value"] == 1.0
    # of six dimensions one is won, one drawn, four lost
    assert metric(done, "wins", criterion="all", **group)["value"] == pytest.approx(1 / 6)
    assert metric(done, "ties", criterion="all", **group)["value"] == pytest.approx(1 / 6)
    assert metric(done, "losses", criterion="all", **group)["value"] == pytest.approx(4 / 6)
    assert metric(done, "win_rate", criterion="all", **group)["value"] == pytest.approx(1 / 4)
    assert metric(done, "net_wins", criterion="all", **group)["value"] == pytest.approx(-1 / 2)
    found = metric(done, "win_rate", criterion="all", **group)
    assert (found["n"], found["clusters"]) == (72, 12)


async def test_a_judge_that_always_takes_the_first_gives_one_half_and_no_consistency(tmp_path):
    done, _ = await judged(tmp_path, first_place, people=12)
    group = {"judge": "wise", "criterion": "role_play", "user": "ada", "versus": "bo"}
    assert metric(done, "win_rate", **group)["value"] == 0.5
    assert metric(done, "inconsistent", **group)["value"] == 1.0
    assert metric(done, "consistency", **group)["value"] == 0.0
    assert metric(done, "prefers_first", judge="wise", criterion="role_play")["value"] == 1.0


async def test_equal_dialogues_are_a_draw_without_a_call(tmp_path):
    done, requests = await judged(tmp_path, first_place, users=[user("ada", "hm", "ok"), user("bo", "hm", "ok")])
    assert requests == []
    group = {"judge": "wise", "criterion": "all", "user": "ada", "versus": "bo"}
    assert metric(done, "ties", **group)["value"] == 1.0
    assert metric(done, "consistency", **group)["value"] is None


async def test_results_are_told_with_each_system_where_there_are_several_and_with_the_domain(tmp_path):
    users = [talker("short", 2), talker("long", 9)]
    data = {"path": "items.csv", "domain": "films"}
    done, _ = await judged(tmp_path, longer, users=users, systems=[shop("one"), shop("two")], data=data)
    group = {"judge": "wise", "criterion": "clarity", "user": "short", "versus": "long"}
    assert metric(done, "wins", **group)["n"] == 6
    assert [metric(done, "wins", system=name, **group)["n"] for name in ("one", "two")] == [3, 3]
    assert {one["domain"] for one in names_of(done, "wins")} == {"films"}


async def test_more_than_two_are_ranked_by_all_pairs(tmp_path):
    users = [talker("middle", 5), talker("short", 2), talker("long", 9)]
    done, _ = await judged(tmp_path, longer, people=12, users=users)
    for criterion, best in (("naturalness", "long"), ("clarity", "short")):
        ranks = {
            name: metric(done, "rank", judge="wise", criterion=criterion, user=name)["value"]
            for name in ("long", "middle", "short")
        }
        assert ranks[best] == 1.0
        assert ranks["middle"] == 2.0
    strength = metric(done, "strength", judge="wise", criterion="naturalness", user="long")
    assert strength["value"] is None
    assert "the games separate the simulators" in strength["reason"]
    mixed = metric(done, "strength", judge="wise", criterion="all", user="long")
    assert mixed["value"] > 0
    assert (mixed["n"], mixed["clusters"]) == (24, 12), "a person counts once a pair, whatever is asked"


async def test_two_are_not_ranked(tmp_path):
    done, _ = await judged(tmp_path, longer)
    assert names_of(done, "rank") == []


async def test_where_a_simulator_always_fails_nobody_is_asked_and_its_failures_are_told(tmp_path):
    mute = user("mute", "")
    done, requests = await judged(tmp_path, longer, people=3, users=[user("ada"), mute])
    assert requests == []
    assert done.summary["units"]["faults"]["user"] == 3
    assert metric(done, "failed", user="mute", system="shop")["value"] == 1.0
    assert metric(done, "failed", user="ada", system="shop")["value"] == 0.0


async def test_a_system_that_fails_costs_no_simulator_anything(tmp_path):
    def breaks_for_two(messages, session):
        if "evening 2" in messages[0]["content"]:
            raise RuntimeError("out of stock")
        return f"heard {messages[-1]['content']}"

    users = [talker("short", 2), talker("long", 9)]
    done, _ = await judged(tmp_path, longer, users=users, systems=[shop("shop", breaks_for_two)])
    found = metric(done, "win_rate", judge="wise", criterion="clarity", user="short", versus="long")
    assert (found["value"], found["n"]) == (1.0, 2)
    assert found["bounds"] == [pytest.approx(2 / 3), 1.0]


async def test_the_guards_victim_loses(tmp_path):
    users = [user("ada", "something slower, please", "hm, another one perhaps?"), user("bo", SERVING, SERVING)]
    done, _ = await judged(
        tmp_path,
        longer,
        people=3,
        users=[*users, user("cy", "no, thank you", "not that one")],
        options={"guard": "reask"},
    )
    assert done.summary["units"]["faults"]["user"] == 3
    lost = metric(done, "losses", judge="wise", criterion="naturalness", user="bo", versus="cy")
    assert (lost["value"], lost["n"]) == (1.0, 3)
    won = metric(done, "wins", judge="wise", criterion="naturalness", user="ada", versus="bo")
    assert (won["value"], won["n"]) == (1.0, 3)
    assert metric(done, "consistency", judge="wise", criterion="naturalness", user="ada", versus="bo")["n"] == 0
    assert metric(done, "role_reversal_rate", user="bo", per="dialogue")["value"] == 1.0


async def test_a_failure_weighs_as_much_as_a_pair_however_often_pairs_are_judged(tmp_path):
    users = [talker("short", 2), talker("long", 9)]
    async with FakeServer(longer) as server:
        made = experiment(tmp_path, users=users, options={"guard": "reask"}, **wise(server.url, repeats=3))
        people = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
        people[0]["wish"] = SERVING  # both fall out of their role then, twice, and fail
        (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
        done = await arun(made, tmp_path / "run")
    found = metric(done, "win_rate", judge="wise", criterion="clarity", user="short", versus="long")
    assert found["value"] == pytest.approx((1 + 1 + 0.5) / 3)


async def test_simulators_that_are_listed_in_another_order_keep_their_verdicts(tmp_path):
    users = [talker("short", 2), talker("long", 9)]
    async with FakeServer(longer) as server:
        await arun(experiment(tmp_path, users=users, **wise(server.url)), tmp_path / "run")
        count = len(server.requests)
        turned = experiment(tmp_path, users=users[::-1], **wise(server.url))
        done = await aresume(tmp_path / "run", turned)
        assert len(server.requests) == count
    found = metric(done, "wins", judge="wise", criterion="naturalness", user="long", versus="short")
    assert (found["value"], found["n"]) == (1.0, 3)
    assert metric(done, "wins", judge="wise", criterion="clarity", user="long", versus="short")["value"] == 0.0


# --- controls -------------------------------------------------------------------------------------------------------


def test_controls_show_a_dialogue_twice_and_with_its_user_spoilt(tmp_path):
    run(experiment(tmp_path, people=6, options={"controls": 2}), tmp_path / "run")
    found = cases(tmp_path / "run")
    same = [case for case in found if case.control == "same"]
    assert len(same) == 2
    for case in same:
        assert case.exhibits[0].messages == case.exhibits[1].messages
        assert case.data["systems"][0] == case.data["systems"][1]
    worse = [case for case in found if case.control == "worse"]
    by_sort = {sort: [case for case in worse if case.data["planted"] == sort] for sort in SPOILS}
    assert {sort: len(held) for sort, held in by_sort.items()} == dict.fromkeys(SPOILS, 2)
    for case in worse:
        real, spoilt = case.exhibits
        assert (spoilt.dialogue, spoilt.node) == ("", "")
        assert case.data["spoils"] == list(SPOILS[case.data["planted"]])
        own = [message.text for message in real.messages if message.role == "user"]
        planted = [message.text for message in spoilt.messages if message.role == "user"]
        if case.data["planted"] == "stranger":
            assert own[0] != planted[0]
            continue
        heard = [[m.text for m in exhibit.messages if m.role == "assistant"] for exhibit in (real, spoilt)]
        assert heard[0] == heard[1], "what the system said stays"
        if case.data["planted"] == "moved":
            assert planted == [*own[1:], own[0]]
        if case.data["planted"] == "stuck":
            assert planted == [own[0]] * 3
        if case.data["planted"] == "garbled":
            assert planted != own
            assert all(set(new.split()) <= set(old.split()) for new, old in zip(planted, own, strict=True))
    assert len({case.id for case in found}) == len(found) == 6 + 2 + 8


def test_controls_of_a_sort_are_of_different_people(tmp_path):
    users = [user("ada"), user("bo"), user("cy")]
    run(experiment(tmp_path, people=4, users=users, options={"controls": 4}), tmp_path / "run")
    for sort in ("same", *SPOILS):
        chosen = [case for case in cases(tmp_path / "run") if case.id.startswith((f"{sort}|", f"worse-{sort}|"))]
        assert len({case.data["cluster"] for case in chosen}) == len(chosen) == 4


async def test_a_control_counts_for_the_criteria_that_its_sort_harms_alone(tmp_path):
    def sees_repetition(seen):
        """Tell on `adaptability` who repeats itself; on all else take the second one shown."""
        names, first, second = shown(seen)
        stuck = [
            len(lines) > len(set(lines))
            for lines in ([x for x in text.splitlines() if x.startswith("Person:")] for text in (first, second))
        ]
        best = "B" if stuck[0] and not stuck[1] else "A" if stuck[1] and not stuck[0] else "tie"
        return json.dumps({name: best if name == "adaptability" else "B" for name in names})

    done, _ = await judged(tmp_path, sees_repetition, people=12, options={"controls": 12})
    told = {one["criterion"]: metric(done, "control_worse", **one) for one in names_of(done, "control_worse")}
    assert told["adaptability"]["value"] == 1.0
    assert {name: found["n"] for name, found in told.items()} == dict.fromkeys(SIX, 12)
    assert told["realism"]["value"] == 0.5


async def test_criteria_of_ones_own_are_asked_and_every_control_counts_for_them(tmp_path):
    own = 'takes: pair\ncriteria:\n  - {name: humour, text: "Whose lines are funnier?"}\n'
    (tmp_path / "mine.yaml").write_text(own)
    done, _ = await judged(tmp_path, longer, criteria="mine.yaml", people=6, options={"controls": 2})
    assert {one["criterion"] for one in names_of(done, "win_rate")} == {"humour"}
    assert metric(done, "control_worse", judge="wise", criterion="humour")["n"] == 8


# --- further --------------------------------------------------------------------------------------------------------


async def test_a_finished_comparison_is_met_again_without_a_call_and_a_third_simulator_only_adds(tmp_path):
    async with FakeServer(longer) as server:
        models = {"wise": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}}
        judges = [{"name": "wise", "kind": "simulators", "model": "wise", "options": {"criteria": "simulators-six"}}]
        common = {"models": models, "judges": judges, "systems": [{"name": "shop", "kind": "lexical"}]}
        await arun(experiment(tmp_path, **common), tmp_path / "run")
        before = len(server.requests)
        assert before == 3 * 2
        await aresume(tmp_path / "run")
        assert len(server.requests) == before
        users = [user("ada"), user("bo"), user("cy")]
        await aresume(tmp_path / "run", experiment(tmp_path, users=users, **common))
        assert len(server.requests) == 3 * before


async def test_ratings_kept_on_turns_are_told(tmp_path):
    async with FakeServer(lambda seen: "3" if "from 1 to 5" in seen.text else "answer") as server:
        models = {"writer": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}}
        tiers = {"name": "tiers", "kind": "recusersim", "model": "writer", "profiles": "people.jsonl"}
        done = await arun(experiment(tmp_path, people=2, users=[user("ada"), tiers], models=models), tmp_path / "run")
    assert metric(done, "turn_rating", user="tiers", system="shop")["value"] == 3.0
    assert [one["user"] for one in names_of(done, "turn_rating")] == ["tiers"]


async def test_the_report_leads_with_who_plays_people_better(tmp_path, capsys):
    done, _ = await judged(tmp_path, longer, people=12, users=[talker("short", 2), talker("long", 9)])
    report_folder(done.path, None)
    assert "long plays the same people better than short" in capsys.readouterr().out
    page = (done.path / "report.html").read_text("utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "long plays the same people better than short (win_rate of short 0.25" in text
    assert "short against long, by wise: what short won and lost" in text
    assert "How far simulated users kept their role" in text
    assert "No control took part" not in text


# --- two runs -------------------------------------------------------------------------------------------------------


def rows_of(found):
    return {(row.metric, row.user): row for row in found.rows}


async def test_two_runs_are_compared_person_by_person(tmp_path):
    """In the second run `short` talks most: on naturalness it turns every loss into a win, on clarity the reverse."""
    async with FakeServer(longer) as server:
        for folder, words in (("before", 2), ("after", 20)):
            users = [talker("short", words), talker("long", 9)]
            made = experiment(tmp_path, people=12, users=users, **wise(server.url))
            await arun(made, tmp_path / folder)
    found = compare(tmp_path / "before", tmp_path / "after")
    assert found.shared == 12 * 2
    rows = rows_of(found)
    assert found.rows[0].metric == "win_rate (wise, all)"
    natural = rows["win_rate (wise, naturalness)", "short"]
    assert (natural.first, natural.second, natural.difference.n, natural.better) == (0.0, 1.0, 12, "higher")
    assert natural.difference.p == pytest.approx(2 / 2**12, abs=0.001)
    clear = rows["win_rate (wise, clarity)", "short"]
    assert (clear.first, clear.second) == (1.0, 0.0)
    assert rows["win_rate (wise, relevance)", "short"].difference.value == 0.0
    whole = rows["win_rate (wise, all)", "long"]  # four of six lost, one won, one drawn; then one lost, four won
    assert (whole.first, whole.second) == (pytest.approx((4 + 0.5) / 6), pytest.approx((1 + 0.5) / 6))
    assert rows["failed", "short"].difference.value == 0.0
    assert rows["user_turns", "short"].first == 3.0
    keys = {setting.key: setting for setting in found.settings}
    assert keys["users.short.options.turns"].tested
    assert not any("differ in more than" in warning for warning in found.warnings)


async def test_a_simulator_that_failed_has_lost_in_every_score_as_in_the_numbers(tmp_path):
    users = [user("ada", "something slower, please", "hm, another one perhaps?"), user("bo", SERVING, SERVING)]
    more = {"users": [*users, user("cy", "no, thank you", "not that one")], "options": {"guard": "reask"}}
    done, _ = await judged(tmp_path, longer, people=3, **more)
    scores = [row for row in done.table("scores").to_pylist() if row["name"] == "win_rate (wise, naturalness)"]
    won = {user: [row["value"] for row in scores if row["user"] == user] for user in ("ada", "bo", "cy")}
    assert won["bo"] == [0.0] * 3, "it failed, and lost against both"
    for name, other in (("ada", "cy"), ("cy", "ada")):
        groups = [{"user": name, "versus": other}, {"user": other, "versus": name}]
        rates = [
            one
            for one in done.summary["metrics"]
            if one["name"] == "win_rate" and one["group"]["criterion"] == "naturalness"
        ]
        told = next(one for one in rates for group in groups if group.items() <= one["group"].items())
        against = told["value"] if told["group"]["user"] == name else 1 - told["value"]
        assert sum(won[name]) / 3 == pytest.approx((1 + against) / 2), "won against bo, and as told against the other"
    failed = {row["user"]: row["value"] for row in done.table("scores").to_pylist() if row["name"] == "failed"}
    assert failed == {"ada": 0.0, "bo": 1.0, "cy": 0.0}
    reversed_ = [row for row in done.table("scores").to_pylist() if row["name"] == "role_reversal_rate"]
    assert {row["user"] for row in reversed_ if row["value"]} == {"bo"}


async def test_other_systems_or_rivals_are_told_of_when_simulators_are_compared(tmp_path):
    async with FakeServer(longer) as server:
        users = [talker("short", 2), talker("long", 9)]
        await arun(experiment(tmp_path, users=users, **wise(server.url)), tmp_path / "one")
        louder = [{**shop(), "function": lambda messages, session: "anything else?"}]
        made = experiment(tmp_path, users=[*users, talker("third", 4)], systems=louder, **wise(server.url))
        await arun(made, tmp_path / "two")
    warning = next(one for one in compare(tmp_path / "one", tmp_path / "two").warnings if "differ in more" in one)
    assert "more than the simulators" in warning
    assert "users.third" in warning
    assert "systems.shop.function" in warning
