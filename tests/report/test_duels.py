"""The headline of trees: who gives the better replies to the same histories, and how sure that is."""

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.duels import duels


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


def test_what_is_no_tree_has_none():
    other = Metric("success", {"system": "a"}, Estimate(0.5))
    assert duels([other, rate(None)]) == []
