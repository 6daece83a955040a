"""A dialogue against itself is a tie without a call, unless it is there to find out what the judge makes of it."""

import pytest

from mysteryshopper.core import Case, Criterion, Exhibit, Message
from mysteryshopper.judges.criteria_files import CriteriaSet
from mysteryshopper.judges.pairwise import PairwiseJudge, PairwiseOptions
from mysteryshopper.testing import ScriptedModel

CRITERIA = CriteriaSet("one", "pair", (Criterion("better", "Which one is better?"),))


@pytest.mark.parametrize(("control", "asked"), [("same", 2), ("", 0)])
async def test_the_control_is_asked_about_equal_words(control, asked):
    exhibits = tuple(Exhibit(label, "d1", "0", (Message("assistant", "Try Lantern Road."),)) for label in "AB")
    model = ScriptedModel(['{"better": "A"}', '{"better": "A"}'])
    judge = PairwiseJudge(model, CRITERIA, PairwiseOptions(), seed=7)
    verdict = await judge.judge(Case("same|u", "u", exhibits, (), control=control))
    assert len(model.requests) == asked
    # always the first: it says A of the one order and B of the other
    assert [ruling.value for ruling in verdict.rulings] == (["A", "B"] if asked else ["tie", "tie"])
