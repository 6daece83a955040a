"""The `styles` judge: what it is shown, what it is asked, and which cases it is for."""

from dataclasses import replace

from mysteryshopper.core import Case, Exhibit, Message
from mysteryshopper.judges import JUDGES
from mysteryshopper.judges.criteria_files import load_criteria
from mysteryshopper.judges.rubric import RubricOptions
from mysteryshopper.judges.styles import StylesJudge
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.testing import check_judge


def judge_of(*replies, form="chat", tmp=None):
    model = ScriptedModel(list(replies), form=form)
    return StylesJudge(model, load_criteria("styles", tmp, "one"), RubricOptions(criteria="styles")), model


CASE = Case(
    "style|x",
    "p1~formality=formal|u|s|0",
    (Exhibit("A", "d", "0", (Message("user", "[…] please", author="simulated"), Message("user", "not that one"))),),
    (),
    data={"about": "style", "requested": {"formality": "formal"}, "systems": ["s"], "user": "u", "cluster": "p1"},
)
ALL = '{"formality": "informal", "sentiment": "neutral", "conciseness": "concise", "carelessness": "careful"}'


async def test_it_labels_all_styles_in_one_call(tmp_path):
    judge, model = judge_of(ALL, tmp=tmp_path)
    verdict = await judge.judge(CASE)
    assert {ruling.criterion: ruling.value for ruling in verdict.rulings} == {
        "formality": "informal",
        "sentiment": "neutral",
        "conciseness": "concise",
        "carelessness": "careful",
    }
    assert len(model.requests) == 1
    assert judge.prompt.startswith("judges/styles")


async def test_it_reads_the_turns_and_not_what_was_asked_for(tmp_path):
    judge, model = judge_of(ALL, ALL, tmp=tmp_path)
    await judge.judge(CASE)
    await judge.judge(replace(CASE, data={**CASE.data, "requested": {"formality": "informal"}}))
    first, second = ("\n".join(message.content for message in asked.messages) for asked, _ in model.requests)
    assert "Person: […] please" in first
    assert "Person: not that one" in first
    assert first == second


async def test_a_model_that_continues_text_is_asked_style_by_style(tmp_path):
    judge, model = judge_of("formal", "neutral", "moderate", "careless", form="completion", tmp=tmp_path)
    verdict = await judge.judge(CASE)
    assert [ruling.value for ruling in verdict.rulings] == ["formal", "neutral", "moderate", "careless"]
    assert all(request.completion.rstrip().endswith("Answer:") for request, _ in model.requests)


async def test_a_label_that_does_not_exist_is_asked_for_again_and_then_missing(tmp_path):
    judge, model = judge_of(ALL.replace("careful", "sloppy"), '{"carelessness": "untidy"}', tmp=tmp_path)
    verdict = await judge.judge(CASE)
    assert len(model.requests) == 2
    assert [ruling.value for ruling in verdict.rulings if ruling.criterion == "carelessness"] == [None]


async def test_it_is_a_judge_of_style_alone(tmp_path):
    kind = JUDGES.load("styles")
    assert (kind.about, kind.takes) == ("style", "one")
    await check_judge(judge_of(*[ALL] * 200, tmp=tmp_path)[0])
