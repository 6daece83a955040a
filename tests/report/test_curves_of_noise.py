"""Curves over rising noise: what is gathered, told in words, printed as a table, and drawn."""

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.curves import panels
from mysteryshopper.report.curves_told import INTENT, curve_lines, falls, table_of, trends_of
from mysteryshopper.report.index import Index
from mysteryshopper.report.plots import draw
from mysteryshopper.report.plots.charts import vega_lite
from mysteryshopper.report.plots.figures import figures
from mysteryshopper.report.standing import headline_names

JUDGE = {"judge": "j", "criterion": "overall"}


def point(name, value, low=None, high=None, n=40, p=None, control=False, **group):
    given = {"user": "u", "system": "shop", "noise": "delete", **group}
    return Metric(name, given, Estimate(value, low, high, n, 20, p=p), control=control)


def curve(*values, system="shop", trend=(-0.5, -0.7, -0.3, 0.001), **more):
    rates = ("0.1", "0.4")
    points = [
        point("noisy_win_rate", value, value - 0.1, value + 0.1, system=system, rate=rate, **JUDGE, **more)
        for rate, value in zip(rates, values, strict=True)
    ]
    value, low, high, p = trend
    return [*points, point("robustness_trend", value, low, high, p=p, system=system, **JUDGE, **more)]


def test_a_judged_curve_starts_at_one_half_and_its_headline_criterion_speaks():
    other = point("noisy_win_rate", 0.1, rate="0.1", judge="j", criterion="length")
    (panel,) = panels([other, *curve(0.4, 0.3)])
    assert (panel.metric, panel.judge, panel.noise, panel.user) == ("noisy_win_rate", "j on overall", "delete", "u")
    (shop,) = panel.curves
    assert [(rate, found.value) for rate, found in shop.points] == [(0.0, 0.5), (0.1, 0.4), (0.4, 0.3)]
    assert shop.falls is True


def test_a_curve_without_a_judge_starts_at_the_clean_value_and_a_measured_start_stands():
    clean = Metric("wanted_shown", {"user": "u", "system": "shop"}, Estimate(0.8, n=40))
    noisy = point("wanted_shown_noisy", 0.2, rate="0.4")
    (panel,) = panels([clean, noisy])
    assert [(rate, found.value) for rate, found in panel.curves[0].points] == [(0.0, 0.8), (0.4, 0.2)]
    (panel,) = panels([clean, noisy, point("wanted_shown_noisy", 0.7, rate="0")])
    assert [(rate, found.value) for rate, found in panel.curves[0].points] == [(0.0, 0.7), (0.4, 0.2)]


def test_what_could_still_be_read_is_one_number_of_all_systems_weighed_by_what_they_heard():
    read = [
        point("intent_findable", 0.5, n=10, rate="0.4"),
        point("intent_findable", 0.7, n=30, rate="0.4", system="other"),
        point("intent_findable", None, n=0, rate="0.1"),
    ]
    (panel,) = panels([*curve(0.4, 0.3), *read])
    assert panel.intent == ((0.0, 1.0), (0.4, pytest.approx(0.65)))
    assert table_of([panel])[-1] == ("delete", INTENT, "1.00", "–", "0.65", "", "")


def test_each_system_is_told_with_what_makes_it_fall_and_controls_are_not():
    metrics = [
        *curve(0.4, 0.3),
        *curve(0.5, 0.5, noise="casing", trend=(0.0, None, None, 1.0)),
        *curve(0.5, 0.45, system="other", trend=(-0.1, -0.3, 0.1, 0.4)),
        *curve(0.5, 0.5, system="chance", trend=(0.0, -0.1, 0.1, 0.9), control=True),
    ]
    shop, other = falls(metrics)
    assert shop.text == "shop falls under rising noise: delete; no fall is shown with casing."
    assert shop.sure == "clear"
    assert shop.beside.startswith("Steepest with delete: noisy_win_rate by j on overall 0.30 [0.20, 0.40] at rate 0.4")
    assert shop.beside.endswith("trend -0.50 [-0.70, -0.30], p = 0.001.")
    assert (other.text, other.sure) == ("This run shows no fall of other under rising noise (delete).", "open")


@pytest.mark.parametrize(
    ("trend", "falls"),
    [
        ((-0.2, -0.4, -0.01, 0.04), True),
        ((-0.2, -0.4, -0.01, 0.06), False),  # interval and test must agree
        ((-0.2, -0.4, 0.01, 0.04), False),
        ((0.2, 0.1, 0.4, 0.001), False),
        ((-0.2, None, None, 0.001), None),
    ],
)
def test_a_fall_is_told_only_where_interval_and_test_agree(trend, falls):
    (panel,) = panels(curve(0.4, 0.3, trend=trend))
    assert panel.curves[0].falls is falls


def test_the_table_and_the_terminal_hold_every_value():
    metrics = [*curve(0.4, 0.3), *curve(0.45, 0.35, system="chance", control=True)]
    (panel,) = panels(metrics)
    head, shop, chance = table_of([panel])
    assert head == ("noise", "system", "rate 0", "rate 0.1", "rate 0.4", "trend", "p")
    assert shop[2:5] == ("0.50", "0.40 [0.30, 0.50]", "0.30 [0.20, 0.40]")
    assert shop[5:] == ("-0.50 [-0.70, -0.30]", "0.001")
    assert chance[1] == "chance (control)"
    title, _, first, second = curve_lines(metrics)
    assert title.startswith("noisy_win_rate by j on overall (1: ")
    assert first.split() == ["delete", "shop", "0.50", "0.40", "0.30", "-0.50", "0.001"]
    assert second.split() == ["chance", "(control)", "0.50", "0.45", "0.35", "-0.50", "0.001"]
    assert curve_lines([Metric("success", {"system": "a"}, Estimate(0.5))]) == []


def test_points_of_curves_are_drawn_as_curves_and_crowd_nothing_else_out():
    plain = Metric("wanted_shown", {"user": "u", "system": "shop"}, Estimate(0.8, 0.7, 0.9, 40), better="higher")
    noisy = [point("wanted_shown_noisy", 0.2, 0.1, 0.3, rate="0.4"), point("wanted_shown_trend", -1.0, -2.0, -0.5)]
    metrics = [*curve(0.4, 0.3), plain, *noisy, point("intent_findable", 0.6, rate="0.4")]
    assert headline_names(metrics) == ["wanted_shown"]
    drawn = figures(metrics, Index((), (), {}, {}, ()), ())
    assert [(one.name, one.kind) for one in drawn][:2] == [("noise-1", "curves"), ("noise-2", "curves")]
    assert [one.title for one in drawn if one.kind == "intervals"] == ["wanted_shown – more is better"]
    judged = drawn[0]
    assert judged.title == "delete: noisy_win_rate by j on overall"
    assert judged.note == trends_of(panels(metrics)[0])
    assert judged.note == "Trend for a whole unit of rate: shop -0.50 [-0.70, -0.30], p = 0.001."
    shown = [(row["rate"], row["value"]) for row in judged.rows if row["line"] == "system"]
    assert shown == [(0.0, 0.5), (0.1, 0.4), (0.4, 0.3)]
    assert [(row["rate"], row["value"]) for row in judged.rows if row["line"] == "intent"] == [(0.0, 1.0), (0.4, 0.6)]
    import altair

    altair.Chart.from_dict(vega_lite(judged), validate=True)


def test_the_axis_names_each_rate_as_it_is():
    rates = ("0.05", "0.125", "0.25", "1")
    metrics = [point("noisy_win_rate", 0.4, 0.3, 0.5, rate=rate, **JUDGE) for rate in rates]
    (drawing,) = draw(figures(metrics, Index((), (), {}, {}, ()), ())[:1])
    assert [rate for rate in ("0", *rates) if f">{rate}</text>" not in drawing.inline] == []


def test_a_plot_of_one_kind_of_noise_names_it():
    group = {"user": "u", "system": "shop", "noise": "model"}
    metrics = [Metric("wanted_shown_noisy", group, Estimate(0.5, 0.4, 0.6, 40), better="higher")]
    (drawn,) = figures(metrics, Index((), (), {}, {}, ()), ())
    assert drawn.title == "wanted_shown_noisy, noise model \u2013 more is better"
