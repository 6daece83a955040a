"""Style control in a report: sentences, score plots, and the table of what was asked for against what was found."""

import pytest
from report_samples import report

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report import verdict_lines
from mysteryshopper.report.plots import draw
from mysteryshopper.report.plots.confusions import style_figures
from mysteryshopper.report.styles_told import styles_told
from mysteryshopper.report.tables import side_by_side

USER = {"user": "u"}


def score(style, by, value, low=None, high=None, control=False):
    return Metric(
        "style_f1", {**USER, "style": style, "by": by}, Estimate(value, low, high, n=20), "what", control, "higher"
    )


def cell(asked, found, share, n=10):
    return Metric(
        "found_as", {**USER, "style": "tone", "by": "features", "asked": asked, "found": found}, share_of(share, n)
    )


def share_of(share, n):
    return Estimate(share, n=n)


SCORES = (
    score("tone", "features", 0.9, 0.8, 1.0),
    score("tone", "features, shuffled", 0.5, 0.3, 0.7, control=True),
    score("tone", "constant answer", 1 / 3, control=True),
    score("mood", "features", 0.4, 0.2, 0.6),
    score("mood", "features, shuffled", 0.33, 0.2, 0.45, control=True),
    score("mood", "constant answer", 1 / 6, control=True),
)
CELLS = (cell("dry", "dry", 0.9), cell("dry", "wet", 0.1), cell("wet", "dry", 0.0), cell("wet", "wet", 1.0))


def test_the_sentence_names_each_style_and_those_that_chance_reaches():
    (told,) = styles_told(SCORES)
    assert told.text.startswith("u, by features: tone 0.90 [0.80, 1.00], mood 0.40 [0.20, 0.60] (macro F1")
    assert "shuffled among each person's dialogues: mood." in told.beside
    assert "always writes in one way comes to tone 0.33, mood 0.17." in told.beside
    assert told.sure == "open"


def test_it_is_clear_where_every_style_is_beyond_chance():
    (told,) = styles_told(SCORES[:3])
    assert told.sure == "clear"
    assert "Every style is told apart" in told.beside
    assert styles_told(()) == []


def test_judges_and_features_have_a_sentence_each():
    more = (score("tone", "judge ear", None), score("tone", "judge ear, shuffled", 0.5, 0.3, 0.7, control=True))
    first, second = styles_told((*SCORES, *more))
    assert second.text.startswith("u, by judge ear: tone \u2013")
    assert second.sure == ""
    assert first.text.startswith("u, by features")


def test_the_table_of_what_was_found_has_counts_and_shares():
    plot, table = style_figures((*SCORES, *CELLS))
    assert (plot.kind, table.kind) == ("intervals", "heat")
    assert [row["told"] for row in table.rows] == ["9", "1", "·", "10"]
    assert table.order == ("tone: dry", "tone: wet")
    assert table.table[1] == ("tone", "dry", "dry", "9", "0.90")
    assert [row["tone"] for row in plot.rows] == ["system", "control", "control"] * 2


@pytest.mark.slow
def test_both_are_drawn_and_what_came_from_a_run_stays_text():
    wild = cell("<script>", "wet", 1.0)
    drawings = list(draw(list(style_figures((*SCORES, *CELLS, wild)))))
    assert len(drawings) == 2
    assert all("<script" not in drawing.svg.casefold() for drawing in drawings)


def test_who_found_a_style_stand_beside_each_other():
    table = side_by_side(SCORES, ())
    assert [column.name for column in table.columns] == ["features", "features, shuffled", "constant answer"]
    assert [column.control for column in table.columns] == [False, True, True]
    assert [row.rest for row in table.rows] == ["style tone", "style mood"]
    assert table.shared == "user u"


def test_the_terminal_tells_the_first_user_that_there_are_more_and_what_chance_comes_to():
    more = (score("tone", "judge ear", 0.5), score("tone", "judge ear, shuffled", 0.5, 0.3, 0.7, control=True))
    _, told, mind = verdict_lines(report(metrics=[*SCORES, *more]))
    assert told.startswith("u, by features: tone 0.90")
    assert told.endswith("1 more stands in the report.")
    assert mind.startswith("No better than requests shuffled among each person's dialogues: mood.")
