"""The headline of trees: who gives the better replies to the same histories, and how sure that is."""

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.duels import duels
from mysteryshopper.report.strengths_told import strengths_told


def rate(value, low=None, high=None, *, control=False, criterion="overall", system="a", versus="b"):
    group = {"judge": "j", "criterion": criterion, "user": "u", "system": system, "versus": versus}
    return Metric("root_win_rate", group, Estimate(value, low, high, 70, 10), control=control)


@pytest.mark.parametrize(
    ("metric", "begins", "sure"),
    [
        (rate(0.7, 0.6, 0.8), "a gives better replies than b", "clear"),
        (rate(0.3, 0.2, 0.4), "b gives better replies than a", "clear"),
        (rate(0.6, 0.45, 0.7), "This run can't tell a from b", "open"),
        (rate(0.6), "a is ahead of b, how surely is not known", "open"),
        (rate(0.5), "a and b are level", "open"),
    ],
)
def test_who_is_ahead_and_how_surely(metric, begins, sure):
    (found,) = duels([metric])
    assert found.text.startswith(begins)
    assert f"root_win_rate of a {metric.estimate.value:.2f}" in found.text
    assert found.text.endswith("over 10 roots, by j on overall).")
    assert found.sure == sure


def test_overall_is_told_before_other_criteria_and_controls_stand_beside():
    found = duels(
        [
            rate(0.9, 0.8, 1.0, criterion="length"),
            rate(0.7, 0.6, 0.8),
            rate(0.95, 0.9, 1.0, versus="chance", control=True),
        ]
    )
    assert len(found) == 1
    assert "0.70" in found[0].text
    assert found[0].beside.startswith("With controls: a against chance 0.95")


def shown(value, low=None, high=None, p=None):
    group = {"user": "u", "system": "a", "versus": "b"}
    return Metric("wanted_shown_difference", group, Estimate(value, low, high, 70, 10, p=p))


def test_what_was_looked_up_stands_beside_what_the_judge_says():
    (found,) = duels([rate(0.45, 0.40, 0.51), shown(-0.19, -0.28, -0.07, 0.0006)])
    assert found.text.startswith("This run can't tell a from b")
    assert found.beside == (
        "Looked up without a judge, b shows what is wanted more often than a"
        " (wanted_shown_difference of a -0.19 [-0.28, -0.07], p < 0.001)."
    )
    (ahead,) = duels([rate(0.45, 0.40, 0.51), shown(0.2, 0.1, 0.3)])
    assert "a shows what is wanted more often than b" in ahead.beside
    (level,) = duels([rate(0.7, 0.6, 0.8), shown(0.1, -0.1, 0.3)])
    assert level.beside.startswith("Looked up without a judge, neither is shown")
    (unknown,) = duels([rate(0.7, 0.6, 0.8), shown(None)])
    assert unknown.beside == ""


def test_what_is_no_tree_has_none():
    other = Metric("success", {"system": "a"}, Estimate(0.5))
    assert duels([other, rate(None)]) == []


def place(system, rank, strength=None, low=None, high=None, reason=None, *, control=False):
    group = {"judge": "j", "criterion": "overall", "user": "u", "system": system}
    yield Metric("strength", group, Estimate(strength, low, high, 70, 10, reason=reason), control=control)
    yield Metric("rank", group, Estimate(rank, n=70, reason=None if rank else reason), control=control)


def test_three_systems_are_told_in_order_with_their_strengths():
    metrics = [
        *place("b", 2.0, 0.1, -0.1, 0.3),
        *place("a", 1.0, 0.9, 0.6, 1.2),
        *place("chance", 3.0, -1.0, -1.3, -0.7, control=True),
    ]
    (found,) = strengths_told(metrics)
    assert found.text == (
        "In order of strength: a 0.90 [0.60, 1.20], b 0.10 [-0.10, 0.30], chance (control) -1.00 [-1.30, -0.70]"
        " (Bradley-Terry, by j on overall)."
    )
    assert found.sure == "clear"


def test_where_games_separate_the_systems_only_their_order_is_told_and_why():
    metrics = [*place("a", 1.0, reason="a | b"), *place("b", 2.0, reason="a | b"), *place("c", 3.0, reason="a | b")]
    (found,) = strengths_told(metrics)
    assert found.text == "In order: a, b, c (by j on overall). How far apart they are can't be told: a | b."
    (none,) = strengths_told([*place("a", None, reason="never met"), *place("b", None, reason="never met")])
    assert none.text == "The systems are not ranked (by j on overall): never met."
    assert strengths_told([rate(0.5)]) == []
