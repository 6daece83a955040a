"""The rules judge of pairs: which of two replies the rules score higher, with its band of ties."""

import pytest

from mysteryshopper.core import Case, Criterion, Exhibit, Item, ItemRef, Message, ShopperError
from mysteryshopper.items import Catalog
from mysteryshopper.judges import JUDGES
from mysteryshopper.judges.rules import RulesJudge, RulesOptions, RulesPairJudge, RulesPairOptions
from mysteryshopper.testing import check_judge

CATALOG = Catalog(
    [
        Item("1", "Paper Lighthouse", 1994, {"genre": ("drama",)}),
        Item("2", "The Quiet Tram", 2011, {"genre": ("comedy",)}),
        Item("3", "Iron Parade", 2003, {"genre": ("war",)}),
        Item("4", "Winter Ferry Home", 1987, {"genre": ("drama",)}),
    ]
)
ASKED = (Message("user", "I am looking for a drama."),)


def reply(text, *ids):
    return (Message("assistant", text, items=tuple(ItemRef(name, CATALOG.get(name).title) for name in ids)),)


def pair(first, second, control="", criteria=(), constraints=None):
    exhibits = (Exhibit("one", "d", "0.0", first), Exhibit("two", "d", "0.1", second))
    return Case(
        "c", "u", exhibits, criteria, ASKED, {"constraints": constraints or {"genre": ["drama"]}}, control=control
    )


async def ruled(case, **options):
    judge = RulesPairJudge(RulesJudge(RulesOptions(), CATALOG), **options)
    verdict = await judge.judge(case)
    found = {}
    for ruling in verdict.rulings:
        found.setdefault(ruling.criterion, []).append((ruling.order, ruling.value, ruling.status))
    return found


FITTING = reply("You may like Paper Lighthouse, a quiet film about a keeper.", "1")
UNFITTING = reply("You may like Iron Parade, a loud film about a march there.", "3")
QUESTION = reply("Gladly, and which decade do you want it from?")


async def test_the_reply_that_meets_the_wish_wins_in_both_orders_wherever_it_stands():
    for case, winner in ((pair(FITTING, UNFITTING), "one"), (pair(UNFITTING, FITTING), "two")):
        found = await ruled(case)
        assert found["constraints_met"] == [("AB", winner, "ok"), ("BA", winner, "ok")]
        assert found["overall"] == [("AB", winner, "ok"), ("BA", winner, "ok")]


async def test_equal_replies_are_a_tie_that_says_so_and_a_same_control_is_looked_at():
    judge = RulesPairJudge(RulesJudge(RulesOptions(), CATALOG))
    equal = await judge.judge(pair(FITTING, FITTING))
    assert {(ruling.value, ruling.notes.get("equal")) for ruling in equal.rulings} == {("tie", 1)}
    control = await judge.judge(pair(FITTING, FITTING, control="same"))
    assert {ruling.value for ruling in control.rulings} == {"tie"}
    assert all("equal" not in ruling.notes for ruling in control.rulings)


async def test_a_band_of_the_scale_is_a_tie():
    half = reply("You may like Paper Lighthouse, or else Iron Parade.", "1", "3")
    assert (await ruled(pair(FITTING, half)))["constraints_met"][0][1] == "one"  # 1 against a half
    assert (await ruled(pair(FITTING, half), band=0.5))["constraints_met"][0][1] == "tie"
    assert (await ruled(pair(FITTING, half), band=0.49))["constraints_met"][0][1] == "one"


async def test_what_neither_shows_is_a_tie_and_what_only_one_shows_is_left_open():
    both = await ruled(pair(QUESTION, reply("Of course, who do you want to star in it?")))
    assert both["constraints_met"] == [("AB", "tie", "ok"), ("BA", "tie", "ok")]
    one = await ruled(pair(FITTING, QUESTION))
    assert one["constraints_met"] == [("AB", None, "empty"), ("BA", None, "empty")]
    assert one["overall"][0][2] == "ok"


async def test_a_criterion_of_somebody_else_is_unsupported_and_a_single_case_refused():
    found = await ruled(pair(FITTING, UNFITTING, criteria=(Criterion("charm", "Which one has more charm?"),)))
    assert found == {"charm": [("AB", None, "unsupported"), ("BA", None, "unsupported")]}
    judge = RulesPairJudge(RulesJudge(RulesOptions(), CATALOG))
    with pytest.raises(ShopperError, match="no pair"):
        await judge.judge(Case("c", "u", (Exhibit("one", "d", "0", FITTING),), ()))


async def test_it_keeps_what_every_judge_must_and_is_found_by_its_name():
    assert JUDGES.load("rules-pair") is RulesPairJudge
    assert RulesPairOptions().band == 0.05
    await check_judge(RulesPairJudge(RulesJudge(RulesOptions(), CATALOG)))
