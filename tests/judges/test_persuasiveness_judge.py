"""Persuasiveness: masked for the judge by default, told as published; and what is about users goes to its own judge."""

import json

import pytest

from mysteryshopper.core import Case, Exhibit, ItemRef, Message
from mysteryshopper.judges import JUDGES
from mysteryshopper.judges.persuasiveness import PersuasivenessJudge, PersuasivenessOptions
from mysteryshopper.models.scripted import ScriptedModel

CLOCK = ItemRef("1", "The Salt Clock", 2004)
ROAD = ItemRef("2", "Lantern Road", 1998)


def case(text, *items, targets=(("The Salt Clock", 2004),)):
    messages = (Message("user", "a slow one please"), Message("assistant", text, tuple(items)))
    context = (Message("system", "someone wants a slow film"),)
    data = {"targets": [list(target) for target in targets], "systems": ["s"]}
    return Case("c", "u", (Exhibit("A", "d", "0", messages),), (), context, data)


async def judged(one, reply='{"persuasiveness": 2, "explanation_relevance": 1}', **options):
    model = ScriptedModel([reply])
    judge = PersuasivenessJudge(model, PersuasivenessOptions(**options))
    verdict = await judge.judge(one)
    return verdict, "\n".join(message.content for message in model.requests[0][0].messages)


async def test_every_title_shown_and_every_target_is_masked_alike():
    verdict, asked = await judged(case("The Salt Clock (2004) is slow, Lantern Road is slower.", ROAD, CLOCK))
    assert "Salt Clock" not in asked
    assert "Lantern Road" not in asked
    assert "[title 2] (2004) is slow, [title 1] is slower." in asked
    assert {ruling.criterion: ruling.value for ruling in verdict.rulings} == {
        "persuasiveness": 2,
        "explanation_relevance": 1,
    }


async def test_a_hit_can_not_be_told_from_a_miss_by_the_mask():
    _, hit = await judged(case("The Salt Clock is slow.", CLOCK))
    _, miss = await judged(case("Lantern Road is slow.", ROAD))
    assert hit == miss


async def test_it_in_a_sentence_is_no_title_and_stays():
    _, asked = await judged(case("It is slow.", ItemRef("3", "It", 2017), targets=[("It", 2017)]))
    assert "Recommender: It is slow." in asked


async def test_as_published_the_judge_knows_the_targets():
    _, asked = await judged(case("Lantern Road is slow.", ROAD), targets="told")
    assert "What the person was after: The Salt Clock (2004)" in asked
    assert "Lantern Road is slow." in asked


def test_the_two_are_two_judges():
    masked, told = (
        PersuasivenessJudge(ScriptedModel([]), PersuasivenessOptions(targets=way)) for way in ("masked", "told")
    )
    assert masked.criteria != told.criteria
    assert {(one.low, one.high) for one in (*masked.criteria, *told.criteria)} == {(0, 2)}


@pytest.mark.parametrize("reply", ["3", "very", '{"persuasiveness": 3}'])
async def test_what_is_off_the_scale_is_no_value(reply):
    model = ScriptedModel(lambda request, address: reply)
    verdict = await PersuasivenessJudge(model).judge(case("x", ROAD))
    assert all(ruling.value is None for ruling in verdict.rulings)


def test_both_are_registered():
    assert JUDGES.load("persuasiveness") is PersuasivenessJudge
    assert JUDGES.load("simulators").about == "users"
    assert json.dumps(PersuasivenessOptions().model_dump())
