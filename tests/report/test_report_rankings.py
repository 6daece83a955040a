"""How a report tells of rankings: the least alike first, what so few systems can show, and a heat map."""

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.plots import draw
from mysteryshopper.report.plots.rankings import ranking_figures
from mysteryshopper.report.rankings import rankings_told


def pair(first, second, value, low=None, high=None, n=4):
    group = {"score": "success", "first": first, "second": second}
    return Metric("rank_spearman", group, Estimate(value, low, high, n, 40))


LIMITS = [
    Metric("spearman_step", {"score": "success", "systems": "4"}, Estimate(0.2, n=4)),
    Metric("smallest_p", {"score": "success", "systems": "4"}, Estimate(1 / 12, n=4)),
    Metric("tied_systems", {"score": "success", "under": "plain"}, Estimate(2.0, n=4)),
]


def test_the_least_alike_are_named_with_what_four_systems_can_show():
    found = [pair("plain", "blunt", 0.4, -0.2, 0.8), pair("plain", "terse", 1.0, 0.6, 1.0), pair("blunt", "terse", 0.8)]
    (told,) = rankings_told([*found, *LIMITS])
    assert "3 pairs of rankings of 4 systems agree with Spearman 0.40 to 1.00" in told.text
    assert "least alike are plain and blunt, 0.4 [-0.2, 0.8]" in told.text
    assert "steps of 0.2, and p can't fall below 0.083, so no agreement can be significant at .05" in told.beside
    assert "Places that systems share, over all rankings: 2." in told.beside
    assert told.sure == "open"


@pytest.mark.parametrize(("low", "sure"), [(0.1, "clear"), (-0.1, "open"), (None, "open")])
def test_it_is_clear_only_where_every_interval_lies_above_nothing(low, sure):
    (told,) = rankings_told([pair("a", "b", 0.8, low, 0.9)])
    assert told.sure == sure
    assert told.text.startswith("Ranked by success, a and b order 4 systems with Spearman 0.8")


def test_what_has_no_rankings_has_no_sentence_and_no_map():
    assert rankings_told([Metric("success", {"system": "a"}, Estimate(0.5))]) == []
    nothing = [Metric("rank_spearman", {"score": "success"}, Estimate(None, reason="none"))]
    assert ranking_figures(nothing) == []
    assert ranking_figures([pair("a", "b", 0.5)]) == []  # two rankings are one number, told in the sentence


def test_the_map_holds_both_halves_and_its_table_every_pair_once():
    long = "a name that is much longer than a label of a plot may be"
    pairs = [pair(long + " 1", long + " 2", -0.5), pair(long + " 1", "c", 1.0), pair(long + " 2", "c", 0.25)]
    (figure,) = ranking_figures(pairs)
    assert len(figure.rows) == 9
    assert len(set(figure.order)) == 3
    cells = {(row["row"], row["column"]): (row["value"], row["told"]) for row in figure.rows}
    first, second, third = figure.order
    assert cells[first, second] == cells[second, first] == (0.0, "-0.50")
    assert cells[third, third] == (1.0, "1.00")
    assert len(figure.table) == 1 + 3
    (drawing,) = draw([figure])
    assert drawing.inline.count("-0.50") == 2


def test_rankings_that_cannot_be_compared_say_why():
    group = {"score": "success", "first": "one", "second": "other"}
    nothing = Metric("rank_spearman", group, Estimate(None, n=0, reason="they have no system in common"))
    (told,) = rankings_told([nothing])
    assert told.text == "No rankings by success could be compared: they have no system in common."
    assert told.sure == "open"
