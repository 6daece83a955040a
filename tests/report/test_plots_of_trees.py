"""What is plotted of trees: a pair's win rate in all, by level, and by whose words a history holds."""

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.plots.trees import tree_figures


def rate(name, value, control=False, **group):
    given = {"judge": "j", "criterion": "overall", "user": "u", "system": "a", "versus": "b", **group}
    return Metric(name, given, Estimate(value, value - 0.1, value + 0.1, 70, 10), control=control)


def test_a_pair_is_drawn_by_level_and_by_whose_words_on_the_headline_criterion_alone():
    metrics = [
        rate("root_win_rate", 0.2, criterion="length"),
        rate("root_win_rate", 0.9, control=True, versus="chance"),
        rate("root_win_rate", 0.6),
        rate("win_rate_by_depth", 0.5, depth="1"),
        rate("win_rate_by_depth", 0.7, depth="2"),
        rate("win_rate_by_words", 0.5, holds="nobody"),
        rate("win_rate_by_words", 0.8, holds="a"),
        rate("win_rate_by_words", 0.4, holds="both"),
    ]
    pair, control = tree_figures(metrics)
    assert (pair.name, pair.title) == ("tree-1", "Same histories: a against b")
    assert [(row["label"], row["value"]) for row in pair.rows] == [
        ("all histories", 0.6),
        ("level 1", 0.5),
        ("level 2", 0.7),
        ("nobody has replied yet", 0.5),
        ("only a has replied", 0.8),
        ("both have replied", 0.4),
    ]
    assert pair.table[1] == ("all histories", "0.60 [0.50, 0.70]", "10")
    assert pair.note == "By j on overall; 1 is always a, 0.5 is even, 0 is always b."
    assert (control.title, control.rows[0]["tone"]) == ("Same histories: a against chance", "control")


def test_what_is_no_tree_has_no_such_plot():
    assert list(tree_figures([Metric("success", {"system": "a"}, Estimate(0.5))])) == []
