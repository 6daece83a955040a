"""Curves by system turn: a line a system, over all units, and none where there is one turn."""

import re

import vl_convert

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.plots import draw
from mysteryshopper.report.plots.by_turn import turn_figures


def points(system, values, leaks="all", control=False, name="label_recall_by_turn@10", **more):
    group = {"setting": "free", "user": "plain", "system": system, "leaks": leaks, "list": "shown", **more}
    return [
        Metric(name, {**group, "turn": str(turn)}, Estimate(value, value - 0.1, value + 0.1, 50, 50), "", control)
        for turn, value in enumerate(values, 1)
    ]


def test_a_line_a_system_best_first_and_controls_last():
    metrics = [
        *points("echo", [0.9, 0.9], control=True),
        *points("slow", [0.1, 0.3]),
        *points("quick", [0.4, 0.5]),
        *points("quick", [0.8, 0.8], leaks="free"),
    ]
    (figure,) = turn_figures(metrics, {"quick": "series2"})
    assert figure.order == ("quick", "slow", "echo (control)")
    assert [(row["turn"], row["share"]) for row in figure.rows if row["label"] == "quick"] == [(1, 0.4), (2, 0.5)]
    assert figure.tones["quick"] == "series2"
    assert figure.table[0] == ("system", "turn 1", "turn 2")
    assert figure.table[2] == ("slow", "0.10 [0.00, 0.20]", "0.30 [0.20, 0.40]")
    (drawing,) = draw([figure])
    assert "quick" in drawing.inline


def test_lists_and_users_have_plots_of_their_own():
    metrics = [*points("a", [0.1, 0.2]), *points("a", [0.2, 0.3], list="ranked"), *points("a", [0.3, 0.4], user="b")]
    titles = [figure.title for figure in turn_figures(metrics, {})]
    assert titles == [
        "label_recall_by_turn@10, shown, plain, by turn",
        "label_recall_by_turn@10, ranked, plain, by turn",
        "label_recall_by_turn@10, shown, b, by turn",
    ]


def test_one_turn_is_no_curve_nor_is_what_does_not_grow():
    assert turn_figures(points("a", [0.4]), {}) == []
    assert turn_figures(points("a", [0.4, 0.2], name="preference_coverage_increase"), {}) == []


def test_what_is_left_out_is_said():
    metrics = [one for number in range(10) for one in points(f"s{number}", [0.1, 0.2])]
    (figure,) = turn_figures(metrics, {})
    assert figure.title.endswith("(8 of 10 systems)")
    assert len(figure.order) == 8


def test_the_picture_of_a_plot_holds_its_words():
    (drawing,) = draw(turn_figures(points("quick", [0.4, 0.5]), {}))
    wordless = re.sub(r"<text.*?</text>", "", drawing.svg)
    assert wordless != drawing.svg
    assert vl_convert.svg_to_png(wordless, scale=2.0) != drawing.png
