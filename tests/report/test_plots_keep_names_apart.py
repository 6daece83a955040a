"""Names that begin alike are cut to different labels, so that no two are drawn as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.index import make_index
from mysteryshopper.report.plots.figure import short_labels
from mysteryshopper.report.plots.figures import figures

LONG = "our-recommender-with-a-memory-of-wishes"
ONE, OTHER = f"{LONG}-one", f"{LONG}-two"


def number(name, value, **group):
    return Metric(name, group, Estimate(value, value - 0.1, value + 0.1, n=20), better="higher")


def drawn(metrics):
    return {figure.kind: figure for figure in figures(metrics, make_index([]), ())}


def test_two_systems_of_one_beginning_have_a_row_each():
    plot = drawn([number("success", 0.2, system=ONE), number("success", 0.6, system=OTHER)])["intervals"]
    assert len(plot.order) == 2
    assert {row["label"]: row["value"] for row in plot.rows} == dict(zip(plot.order, (0.6, 0.2), strict=True))


def test_two_pairs_of_one_beginning_have_a_bar_each():
    base = {"judge": "rules", "criterion": "overall", "system": LONG}
    shares = {"one": (0.5, 0.2, 0.2, 0.1), "two": (0.1, 0.2, 0.2, 0.5)}
    metrics = [
        number(name, share, versus=versus, **base)
        for versus, parts in shares.items()
        for name, share in zip(("wins", "ties", "inconsistent", "losses"), parts, strict=True)
    ]
    plot = drawn(metrics)["shares"]
    assert len(plot.order) == 2
    assert [row["share"] for row in plot.rows if row["series"] == "win"] == pytest.approx([0.5, 0.1])


def test_histories_that_hold_one_or_the_others_replies_have_a_row_each():
    base = {"judge": "rules", "criterion": "overall", "user": "u", "system": ONE, "versus": OTHER}
    metrics = [number("root_win_rate", 0.5, **base)]
    metrics += [number("win_rate_by_words", value, holds=holds, **base) for holds, value in ((ONE, 0.2), (OTHER, 0.7))]
    plot = next(one for one in figures(metrics, make_index([]), ()) if one.name == "tree-1")
    assert [row["value"] for row in plot.rows] == [0.5, 0.2, 0.7]
    assert len(plot.order) == 3
    assert len({row[0] for row in plot.table}) == 4


def test_two_curves_of_one_beginning_have_a_line_each():
    base = {"judge": "rules", "criterion": "overall", "user": "u", "noise": "mixed", "rate": "0.5"}
    metrics = [number("noisy_win_rate", value, system=system, **base) for system, value in ((ONE, 0.2), (OTHER, 0.4))]
    plot = drawn(metrics)["curves"]
    assert {row["label"]: row["value"] for row in plot.rows if row["line"] == "system" and row["rate"] > 0.1} == dict(
        zip(plot.order, (0.2, 0.4), strict=True)
    )


def test_two_systems_of_one_beginning_have_a_colour_each_beside_a_judges_criteria():
    metrics = [
        number("score", value, judge="rules", criterion="overall", system=system)
        for system, value in ((ONE, 0.2), (OTHER, 0.4))
    ]
    plot = drawn(metrics)["criteria"]
    assert len(set(plot.tones.values())) == 2
    assert [row["series"] for row in plot.rows] == list(plot.tones)


@given(st.lists(st.text(max_size=12), max_size=12, unique=True), st.integers(1, 8))
def test_no_two_labels_are_equal(names, longest):
    labels = short_labels(names, longest)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)
