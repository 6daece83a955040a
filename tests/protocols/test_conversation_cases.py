"""What judges get to see of conversations: every dialogue, every pair, and controls whose verdict is known."""

import json
from itertools import combinations

import pytest

from mysteryshopper.experiment import Experiment, resume, run
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.view import procedure_of

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
GENRES = ("comedy", "war", "drama")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def shop(name, fails_for=()):
    """A shop that says who it is, and fails for people who say certain words."""

    def reply(messages, session):
        said = messages[-1]["content"]
        if any(word in said for word in fails_for):
            raise RuntimeError("out of stock")
        return {"content": f"{name} answers {said}", "items": [{"id": "1"}]}

    return {"name": name, "kind": "python", "function": reply}


def server(name):
    """A shop that has what is wished for in the first message."""

    def reply(messages, session):
        wish = messages[0]["content"]
        number = next(place for place, genre in enumerate(GENRES, 1) if genre in wish)
        return {"content": f"{name} answers {wish}", "items": [{"id": str(number)}]}

    return {"name": name, "kind": "python", "function": reply}


TAKER = {
    "name": "u",
    "kind": "scripted",
    "profiles": "people.jsonl",
    "options": {"turns": ["and now?"], "wish_first": True, "on_hit": "That one."},
}


def experiment(folder, people=4, **changes):
    persons = (
        {"id": f"p{n}", "wish": f"a {GENRES[n % 3]} for {n}", "seen": ["3"], "attributes": {"genre": [GENRES[n % 3]]}}
        for n in range(people)
    )
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))
    (folder / "items.csv").write_text(ITEMS)
    options = {"turns": ["and now?"], "wish_first": True}
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": options}],
        "systems": [shop("one"), shop("two")],
        "data": {"path": "items.csv"},
        "options": {"guard": "off", "controls": 0},
        "limits": {"turns": 2},
        **changes,
    }
    return Experiment.from_dict(content, folder)


def cases(folder):
    made, store = open_run(folder)
    try:
        return list(procedure_of(made).cases(store))
    finally:
        store.close()


def said(exhibit):
    return [message.text for message in exhibit.messages]


def test_every_dialogue_and_every_pair_of_systems_is_a_case(tmp_path):
    run(experiment(tmp_path, systems=[shop("one"), shop("two"), shop("three")]), tmp_path / "run")
    found = cases(tmp_path / "run")
    graded = [case for case in found if len(case.exhibits) == 1]
    pairs = [case for case in found if len(case.exhibits) == 2]
    assert (len(graded), len(pairs)) == (12, 12)
    assert len({case.id for case in found}) == 24
    for name in ("p0", "p3"):
        assert [case.data["systems"] for case in pairs if case.address.unit == name] == [
            list(pair) for pair in combinations(["one", "two", "three"], 2)
        ]
    assert len({str(case.address) for case in found}) == 24  # no two share a draw


def test_a_graded_case_shows_the_whole_dialogue_and_what_was_wanted_but_not_who_it_was(tmp_path):
    run(experiment(tmp_path, people=2), tmp_path / "run")
    case = cases(tmp_path / "run")[0]
    assert case.id == "one|p0|u|one|0"
    assert said(case.exhibits[0]) == [
        "a comedy for 0",
        "one answers a comedy for 0",
        "and now?",
        "one answers and now?",
    ]
    assert case.exhibits[0].node == "0.0.0.0"
    assert [(message.role, message.text) for message in case.context] == [("system", "a comedy for 0")]
    assert case.criteria == ()
    assert case.control == ""
    assert case.data == {
        "user": "u",
        "systems": ["one"],
        "cluster": "p0",
        "constraints": {"genre": ["comedy"]},
        "prefers": {},
        "seen": ["3"],
        "language": "en",
        "success": False,
    }


def test_dialogues_that_failed_are_not_judged(tmp_path):
    systems = [shop("one"), shop("two", fails_for=["comedy"])]
    run(experiment(tmp_path, systems=systems), tmp_path / "run")
    found = cases(tmp_path / "run")
    assert sorted(case.id for case in found if "two" in case.data["systems"]) == [
        "one|p1|u|two|0",
        "one|p2|u|two|0",
        "pair|p1|u|one|two|0",
        "pair|p2|u|one|two|0",
    ]


def test_repeats_are_paired_each_with_its_own(tmp_path):
    run(experiment(tmp_path, people=2, repeats=3), tmp_path / "run")
    pairs = [case for case in cases(tmp_path / "run") if len(case.exhibits) == 2]
    assert len(pairs) == 6
    for case in pairs:
        first, second = case.exhibits
        assert first.dialogue.rsplit("|", 1)[1] == second.dialogue.rsplit("|", 1)[1] == case.id.rsplit("|", 1)[1]


def test_a_grown_run_keeps_its_cases_and_adds_those_that_are_new(tmp_path):
    folder = tmp_path / "run"
    run(experiment(tmp_path, limits={"turns": 2, "units": 3}), folder)
    before = {case.id: case for case in cases(folder)}
    grown = experiment(
        tmp_path, limits={"turns": 2, "units": 4}, systems=[shop("one"), shop("two"), shop("new")], repeats=2
    )
    resume(folder, grown)
    after = {case.id: case for case in cases(folder)}
    assert {name: after[name] for name in before} == before
    assert sum(len(case.exhibits) == 1 for case in after.values()) == 4 * 3 * 2
    assert sum(len(case.exhibits) == 2 for case in after.values()) == 4 * 3 * 2


def test_controls_show_a_system_against_itself_and_against_one_made_worse(tmp_path):
    systems = [server("one"), shop("useless")]
    options = {"guard": "off", "controls": 5}
    run(experiment(tmp_path, people=6, options=options, users=[TAKER], systems=systems), tmp_path / "run")
    found = cases(tmp_path / "run")
    same = [case for case in found if case.control == "same"]
    assert len(same) == 5
    for case in same:  # without repeats, one dialogue is shown twice
        assert case.exhibits[0].messages == case.exhibits[1].messages
        assert case.data["systems"][0] == case.data["systems"][1]
    worse = [case for case in found if case.control == "worse" and len(case.exhibits) == 2]
    assert len(worse) == 5
    # what was no good can't be made worse: `useless` served nobody but those who asked for what it always has
    assert all(case.data["systems"] == ["one", "one"] for case in worse)
    for case in worse:
        real, planted = case.exhibits
        assert said(planted)[::2] == said(real)[::2]  # the user's turns stay
        assert said(planted)[1] != said(real)[1]
        genre = case.data["constraints"]["genre"][0]
        assert genre in said(real)[1]
        assert genre not in said(planted)[1]  # what is planted is about somebody else's wish
        assert (planted.dialogue, planted.node) == ("", "")
    ids = {case.id for case in found}
    alone = [case for case in found if case.control == "worse" and len(case.exhibits) == 1]
    assert len(alone) == len(worse)
    assert all(case.data["real"] in ids for case in alone)


def test_with_repeats_a_system_stands_against_its_own_other_try(tmp_path):
    options = {"guard": "off", "controls": 3}
    run(experiment(tmp_path, people=4, repeats=2, options=options), tmp_path / "run")
    same = [case for case in cases(tmp_path / "run") if case.control == "same"]
    assert len(same) == 3
    for case in same:
        first, second = (exhibit.dialogue for exhibit in case.exhibits)
        assert first.rsplit("|", 1) == [second.rsplit("|", 1)[0], "0"]
        assert second.endswith("|1")


def test_what_would_serve_the_wish_is_not_planted_as_worse(tmp_path):
    # both people want the one thing that the shop always shows
    lines = ({"id": name, "wish": name, "attributes": {"genre": ["comedy"]}} for name in ("ann", "bob"))
    people = "\n".join(map(json.dumps, lines))
    made = experiment(tmp_path, options={"guard": "off", "controls": 5}, users=[TAKER], systems=[shop("one")])
    (tmp_path / "people.jsonl").write_text(people)
    run(made, tmp_path / "run")
    assert not [case for case in cases(tmp_path / "run") if case.control == "worse"]


def test_the_plan_counts_cases_for_judges():
    from types import SimpleNamespace

    from mysteryshopper.core import Unit
    from mysteryshopper.protocols.conversation import Conversation, ConversationOptions

    plan = SimpleNamespace(turns=3, systems=("a", "b", "c"), judges=("rubric",))
    protocol = Conversation(ConversationOptions(controls=0))
    hints = [protocol.calls(Unit("p", "u", system), plan) for system in plan.systems]
    assert [hint["judge"] for hint in hints] == [(0, 1, 1)] * 3
    assert [hint["judge_pairs"] for hint in hints] == [(0, 2, 2), (0, 1, 1), (0, 0, 0)]
    assert hints[0]["user"] == (1, 4, 8)  # three turns and the rating
    alone = SimpleNamespace(turns=3, systems=("a",), judges=())
    assert set(Conversation(ConversationOptions(rating=False)).calls(Unit("p", "u", "a"), alone)) == {"user", "system"}
