"""The numbers of conversations, worked by hand from dialogues made by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from mysteryshopper.core import Address, Call, Dialogue, Message, Node, Score, StoredDialogue, Unit, UnitRecord, Usage
from mysteryshopper.metrics import paired_difference
from mysteryshopper.protocols.conversation_metrics import measure_conversations
from mysteryshopper.protocols.conversation_scores import conversation_scores
from mysteryshopper.protocols.conversation_tokens import measure_tokens
from mysteryshopper.protocols.differences import Differences, pairs_of


def talk(unit, system="a", *, success=True, hit=1, rating=None, ms=(100.0,), fault="none", ended="user_done", **data):
    """One dialogue: a turn of the user and one of the system for each of `ms`."""
    nodes = []
    for turn, took in enumerate(ms, 1):
        parent = nodes[-1].id if nodes else None
        path = f"{parent}.0" if parent else "0"
        nodes.append(Node(path, parent, "user", turn, (Message("user", "a film please"),)))
        nodes.append(Node(f"{path}.0", path, "system", turn, (Message("assistant", "one two three"),), ms=took))
    kept = {"goal": True, "first_hit": hit if success else None, **data}
    if rating is not None:
        kept["rating"] = {"value": rating or None, "status": "ok" if rating else "refused"}
    met = None if fault in ("user", "infra") else success and fault == "none"
    dialogue = Dialogue(f"{unit}|{system}", unit, tuple(nodes), ended, fault, success=met, root=unit, data=kept)
    return StoredDialogue(Unit(unit, "u", system), dialogue)


def store(dialogues, calls=(), systems=("a", "b"), controls=(), judges=()):
    plan = SimpleNamespace(
        seed=0, users=("u",), systems=systems, judges=judges, is_control=lambda name: name in controls
    )
    return SimpleNamespace(
        plan=plan,
        dialogues=lambda nodes=True: iter(dialogues),
        calls=lambda: iter(calls),
        verdicts=lambda messages=True: iter(()),
        unjudged=lambda: iter(()),
        units=lambda: (UnitRecord(one.unit, "complete") for one in dialogues),
    )


def numbers(*parts, **more):
    return list(measure_conversations(store(*parts, **more)))


def one(metrics, name, **group):
    found = [metric for metric in metrics if metric.name == name and group.items() <= metric.group.items()]
    assert len(found) == 1, (name, group, [metric.group for metric in found])
    return found[0]


def test_ratings_are_a_mean_over_what_could_be_read_with_the_others_in_the_bounds():
    found = numbers([talk("1", rating=5), talk("2", rating=4), talk("3", rating=0), talk("4", rating=3)])
    rating = one(found, "user_rating", system="a").estimate
    assert (rating.value, rating.n) == (4, 3)
    assert rating.bounds == (pytest.approx(13 / 4), pytest.approx(17 / 4))  # the unread one as 1, and as 5
    assert one(found, "rating_unread", system="a").estimate.value == 0.25
    silent = numbers([talk("1"), talk("2")])
    assert not [metric for metric in silent if metric.name in ("user_rating", "rating_unread")]


def test_a_system_that_crashes_has_no_rating_for_it_and_no_success():
    crashed = talk("2", fault="system", ended="http_error")
    found = numbers([talk("1", rating=5), crashed, talk("3", fault="infra", ended="http_error")])
    success = one(found, "success", system="a").estimate
    assert (success.value, success.n) == (0.5, 2)
    assert success.bounds == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert one(found, "success_answered", system="a").estimate.value == 1
    rating = one(found, "user_rating", system="a").estimate
    assert (rating.value, rating.n, rating.bounds) == (5, 1, (pytest.approx(7 / 3), 5))
    assert one(found, "ended", system="a", ended="http_error").estimate.value == pytest.approx(2 / 3)
    assert one(found, "ended", system="a", ended="user_done").estimate.n == 3


def test_differences_are_paired_by_person():
    people = [str(number) for number in range(12)]
    first = [talk(name, "a", success=int(name) < 9, hit=2, rating=4) for name in people]
    second = [talk(name, "b", success=int(name) % 2 == 0, hit=3, rating=3) for name in people[:-1]]
    found = numbers(first + second)
    success = one(found, "success_difference", system="a", versus="b")
    # over the eleven they share: 9 of 11 against the 6 even ones
    assert success.estimate.value == pytest.approx((9 - 6) / 11)
    assert success.estimate.n == 11
    by_hand = paired_difference(
        {name: float(int(name) < 9) for name in people}, {name: float(int(name) % 2 == 0) for name in people[:-1]}
    )
    assert (success.estimate.p, success.estimate.detectable) == (by_hand.p, by_hand.detectable)
    turns = one(found, "turns_difference", system="a", versus="b").estimate
    assert (turns.value, turns.n) == (-1, 5)  # 0, 2, 4, 6 and 8 were served by both: two turns against three
    rating = one(found, "rating_difference", system="a", versus="b").estimate
    assert (rating.value, rating.n) == (1, 11)
    assert [one(found, name, system="a").better for name in ("success_difference", "turns_difference")] == [
        *("higher", "lower")
    ]


def test_a_control_stands_second_and_many_systems_are_compared_with_the_first_alone():
    plan = store([], systems=("chance", "mine", "other"), controls=("chance",)).plan
    assert pairs_of(plan) == [("mine", "other"), ("mine", "chance"), ("other", "chance")]
    many = store([], systems=("chance", *"abcdef"), controls=("chance",)).plan
    assert pairs_of(many) == [("a", name) for name in ("b", "c", "d", "e", "f", "chance")]
    six = store([], systems=tuple("abcdef")).plan
    assert len(pairs_of(six)) == 15


def test_what_nobody_has_a_value_for_is_no_difference():
    collected = Differences({"success": ("success_difference", "…")})
    collected.add(Score("success", "1|u|0", "u", "a", "1", None, "infra"))
    collected.add(Score("other", "1|u|0", "u", "a", "1", 1.0))
    assert list(collected.metrics(store([]).plan)) == []
    collected.add(Score("success", "1|u|0", "u", "a", "1", 1.0))
    only = list(collected.metrics(store([]).plan))
    assert (only[0].estimate.value, only[0].estimate.n) == (None, 0)
    assert "share no unit" in only[0].estimate.reason


def test_waits_and_words_are_those_of_the_systems_turns():
    dialogues = [talk(str(number), ms=(10.0 * number, 20.0 * number)) for number in range(1, 101)]
    found = numbers(dialogues)
    median = one(found, "latency_p50", system="a").estimate
    waits = sorted([10.0 * number for number in range(1, 101)] + [20.0 * number for number in range(1, 101)])
    assert (median.value, median.n, median.clusters) == (waits[99], 200, 100)
    assert median.low < median.value < median.high
    assert one(found, "latency_p95", system="a").estimate.value == waits[189]
    words = one(found, "system_words", system="a").estimate
    assert (words.value, words.n) == (3, 200)


def test_success_is_told_apart_by_manners_that_vary():
    styled = [
        talk("1", style={"conciseness": "terse", "carelessness": "none"}),
        talk("2", success=False, style={"conciseness": "chatty", "carelessness": "none"}),
        talk("3", style={"conciseness": "chatty", "carelessness": "none"}),
    ]
    found = [metric for metric in numbers(styled) if metric.name == "success_by_style"]
    assert [(metric.group["style"], metric.estimate.value, metric.estimate.n) for metric in found] == [
        ("conciseness chatty", 0.5, 2),
        ("conciseness terse", 1, 1),
    ]


def test_success_is_told_apart_by_what_people_hold_back():
    wish = {"genre": ["heist"], "decade": ["1970s"]}
    people = [
        talk("1", constraints=wish, hidden=["decade"]),
        talk("2", success=False, constraints=wish, hidden=["decade"]),
        talk("3", constraints=wish),
        talk("4", constraints=wish, hidden=["mood"]),  # holds back a preference, no requirement
        talk("5", success=False),  # requires nothing
    ]
    found = [metric for metric in numbers(people) if metric.name == "success_by_style"]
    assert [(metric.group["style"], metric.estimate.value, metric.estimate.n) for metric in found] == [
        ("requirements held back", 0.5, 2),
        ("requirements told", 1, 2),
    ]
    assert not [metric for metric in numbers(people[2:]) if metric.name == "success_by_style"]


def test_tokens_of_a_block_are_shared_out_among_its_dialogues():
    def call(unit, role, component, tokens):
        where = Address(unit, 0, "0", role, component, "reply")
        return Call(f"{unit}{role}{component}", "k", where, "m", "ok", usage=Usage(tokens, 10))

    calls = [
        *(call(unit, "user", "u", 190) for unit in ("1", "2")),  # 200 on each scenario, for both systems
        *(call(unit, "system", "a", 40) for unit in ("1", "1", "2")),
        call("1", "judge", "strict", 90),
    ]
    dialogues = [talk(unit, system) for unit in ("1", "2") for system in ("a", "b")]
    found = numbers(dialogues, calls, judges=("strict",))
    assert one(found, "tokens", role="user", user="u").estimate.value == 100
    assert one(found, "tokens", role="system", system="a").estimate.value == 75  # 100 and 50
    assert one(found, "tokens", role="judge", judge="strict").estimate.value == 50
    assert len([metric for metric in found if metric.name == "tokens"]) == 3  # b reports none


def test_tokens_are_shared_among_the_dialogues_there_were():
    """Two users with people of their own: each scenario was held by one of them alone, once with each system."""
    dialogues = [talk(unit, system) for unit in ("1", "2") for system in ("a", "b")]
    units = [
        UnitRecord(replace(one.unit, user=user, cluster=f"c{one.unit.id}"), "complete")
        for one, user in zip(dialogues, ("u", "u", "v", "v"), strict=True)
    ]
    calls = [
        Call(f"{unit}", "k", Address(unit, 0, "0", "system", "a"), "m", "ok", usage=Usage(tokens, 0))
        for unit, tokens in (("1", 60), ("2", 20), ("gone", 1000))
    ]
    told = store(dialogues, calls)
    told.plan.users = ("u", "v")
    told.units = lambda: iter(units)
    (metric,) = measure_tokens(told, "", "lower")
    assert metric.group == {"role": "system", "system": "a"}
    assert metric.estimate.value == 40  # not half of it, as if both users had met both people
    assert metric.estimate.clusters == 2


def test_every_number_says_which_way_is_better_or_that_neither_is():
    found = numbers([talk("1", rating=5, style={"conciseness": "terse"}), talk("1", "b", rating=0)])
    neither = {metric.name for metric in found if metric.better is None}
    assert neither == {"ended", "user_turns", "system_words"}
    assert all(metric.definition for metric in found)


def test_scores_are_one_value_a_dialogue():
    failed = talk("2", fault="system", ended="timeout")
    vague = talk("3", goal=False, success=None, hit=None)
    found = list(conversation_scores(store([talk("1", hit=3, rating=2), failed, vague])))
    by_unit = {name: {score.name: score.value for score in found if score.unit == f"{name}|u|0"} for name in "123"}
    assert by_unit["1"] == {"success": 1, "wanted_shown": 1, "turns_to_success": 3, "user_rating": 2, "gave_up": 0}
    assert by_unit["2"] == {
        **{"success": 0, "wanted_shown": 0},
        **dict.fromkeys(("turns_to_success", "user_rating", "gave_up")),
    }
    assert (by_unit["3"]["success"], by_unit["3"]["wanted_shown"]) == (None, None)
    assert {score.fault for score in found if score.unit == "2|u|0"} == {"system"}
