"""The chapter of a prompt optimisation: prompts compared word by word, results in sentences, plots by round."""

from random import Random
from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Estimate, Metric, encode_text
from mysteryshopper.optimize.story import Problem, Round, Story, Tally
from mysteryshopper.report.optimization import chapter, compared
from mysteryshopper.report.optimization_figures import optimization_figures
from mysteryshopper.report.optimization_told import optimization_told
from mysteryshopper.report.plots import draw


class Noted:
    """A store that holds a story and nothing else."""

    def __init__(self, story):
        self._story = story

    def noted(self, key):
        return None if self._story is None else encode_text(self._story)


STORY = Story(
    (
        Round(0, "Be long.", dialogues=5, problems=(Problem("Too long.", 3, "d"),), reviewed=4),
        Round(1, "Be brief.", 0, (), 3, {"user": 1}, Tally(3, 1, 0, 0, 0, 1, 0), ()),
        Round(2, "", 1, ("unusable",)),
        Round(3, "Be brief, or else.", 1, ("near",), 4, {}, Tally(1, 2, 1)),
    ),
    "rounds",
)


def test_texts_are_compared_word_by_word():
    pieces = [(one.change, one.text) for one in compared("Be kind and brief.", "Be kind, never long.")]
    assert pieces == [("same", "Be kind"), ("gone", " and brief"), ("new", ", never long"), ("same", ".")]
    assert [one.change for one in compared("same", "same")] == ["same"]
    assert [(one.change, one.text) for one in compared("", "new")] == [("new", "new")]


def test_long_prompts_are_compared_in_a_moment():
    """Twenty thousand characters of common words, each prompt wholly another: half a second, not a minute."""
    draw, common = Random(1), ["the", "you", "your", "and", "of", "be", "say", "never", "ask", "keep", "shop", "want"]
    old, new = (
        " ".join(draw.choice(common) if draw.random() < 0.7 else f"word{draw.randrange(200)}" for _ in range(4000))
        for _ in range(2)
    )
    began = perf_counter()
    pieces = compared(old, new)
    assert perf_counter() - began < 5
    assert "".join(one.text for one in pieces if one.change != "new") == old[:20_000]
    assert "".join(one.text for one in pieces if one.change != "gone") == new[:20_000]


@given(st.text("ab .\n", max_size=60), st.text("ab .\n", max_size=60))
def test_both_texts_can_be_read_from_the_comparison(old, new):
    pieces = compared(old, new)
    assert "".join(one.text for one in pieces if one.change != "new") == old
    assert "".join(one.text for one in pieces if one.change != "gone") == new


def test_the_chapter_tells_every_round():
    told = chapter(Noted(STORY))
    assert told.best == "round 1"
    assert [one.result for one in told.rounds] == [
        "where it began",
        "better than initial",
        "no dialogues held",
        "not better than round 1",
    ]
    assert told.rounds[1].cells == ("3", "1", "0", "0", "0", "0", "1")
    assert told.rounds[1].dialogues == "3; lost: 1 by fault of the user"
    assert told.rounds[0].problems == (("Too long.", "3 of 4"),)
    assert told.rounds[1].problems == ()
    assert told.rounds[2].problems is None
    assert "could not be read" in told.rounds[2].remarks[0]
    assert [one.best for one in told.rounds] == [False, True, False, False]
    assert chapter(Noted(None)) is None
    assert chapter(object()) is None  # a store of another protocol, or of an older version


def test_the_plots_show_pairs_by_round():
    curve, shares = optimization_figures(Noted(STORY))
    assert [(row["round"], row["pairs"]) for row in curve.rows if row["label"] == "pairs won"] == [(1, 3), (3, 1)]
    assert [(row["round"], row["pairs"]) for row in curve.rows if row["label"] == "pairs lost"] == [(1, 1), (3, 2)]
    assert shares.table[1] == ("round 1 against initial (best)", "3", "0", "0", "1", "4")
    assert sum(row["share"] for row in shares.rows if row["label"] == shares.order[1]) == 1
    drawings = draw((curve, shares))
    assert all("<svg" in one.inline for one in drawings)
    assert drawings[0].inline.count("stroke-series") >= 2  # two lines
    assert optimization_figures(Noted(Story((STORY.rounds[0],)))) == []


def metric(name, value, group, low=None, high=None, n=20):
    return Metric(name, group, Estimate(value, low, high, n=n))


def told(*more, improvements=2):
    base = [metric("rounds", 6, {}), metric("improvements", improvements, {})]
    return optimization_told([*more, *base])


def test_the_judge_held_out_decides_how_sure_it_is():
    decided = metric("gain", 0.5, {"judge": "first", "part": "decided"}, 0.2, 0.8)
    (alone,) = told(decided)
    assert "2 of 6 rounds" in alone.text
    assert "No judge was held out" in alone.beside
    assert alone.sure == "open"
    held = {"judge": "second", "part": "held out"}
    (sure,) = told(decided, metric("gain", 0.4, held, 0.1, 0.7))
    assert "confirms the gain" in sure.beside
    assert sure.sure == "clear"
    (unsure,) = told(decided, metric("gain", 0.1, held, -0.2, 0.4))
    assert "does not show" in unsure.beside
    assert unsure.sure == "open"
    (against,) = told(decided, metric("gain", -0.5, held, -0.8, -0.2))
    assert "says the opposite" in against.beside
    assert against.sure == "open"
    everybody = Estimate(1.0, n=12, clusters=12, reason="the clusters do not vary enough", p=2 / 2**12)
    (agreed,) = told(decided, Metric("gain", held, everybody))
    assert "confirms the gain: 1.00 (p < 0.001), 12 pairs" in agreed.beside
    assert agreed.sure == "clear"
    few = Estimate(1.0, n=6, clusters=6, reason="too few clusters", p=2 / 2**6)
    assert told(decided, Metric("gain", held, few))[0].sure == "open"
    (none,) = told(decided, improvements=0)
    assert "None of 6 rounds" in none.text
    assert optimization_told([metric("success", 0.5, {"system": "a"})]) == []
