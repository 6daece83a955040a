"""Curves over rising noise in words and tables: for the headline, the terminal, Markdown and beneath their plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.curves import JUDGED, Panel, headline_panels, panels
from mysteryshopper.report.numbers import number, p_value, with_interval
from mysteryshopper.report.text import one_line

INTENT = "(wish still readable)"
"""Label of the row, and of the line, that shows what the noise left of the wish."""

_MEANING = {
    JUDGED: "1: the reply to the careless query is preferred, 0.5: no harm, 0: the reply to the clean one is",
}
_SERVED = "share of careless queries answered with a wanted item"


@dataclass(frozen=True, slots=True)
class Fall:
    """How one system bears noise, in a sentence; what stands beside it, and whether it is clear."""

    text: str
    beside: str
    sure: str


def falls(metrics: Sequence[Metric]) -> list[Fall]:
    """Return a sentence for each user and system that is no control; none where no noise rose."""
    found = headline_panels(panels(metrics))
    several = len({panel.user for panel in found}) > 1
    arms = dict.fromkeys((panel.user, curve.system) for panel in found for curve in panel.curves if not curve.control)
    return [_fall(found, user, system, several) for user, system in arms]


def trends_of(panel: Panel) -> str:
    """Return every system's trend with its interval and p, in a line."""
    told = [f"{one_line(curve.system)} {_trend(curve.trend)}" for curve in panel.curves if curve.trend is not None]
    return f"Trend for a whole unit of rate: {'; '.join(told)}." if told else ""


def table_of(found: Sequence[Panel], *, intervals: bool = True) -> list[tuple[str, ...]]:
    """Return curves as a table: a head, then for each kind a row a system, and one of what could still be read.

    Args:
        found: Curves of one measure.
        intervals: Show them, and the trend's.
    """
    rates = sorted({rate for panel in found for curve in panel.curves for rate, _ in curve.points})
    users = {panel.user for panel in found}
    rows = [("noise", "system", *(f"rate {rate:g}" for rate in rates), "trend", "p")]
    for panel in found:
        kind = panel.noise if len(users) < 2 else f"{panel.noise}, {panel.user}"
        for curve in panel.curves:
            held = dict(curve.points)
            values = [_value(held.get(rate), intervals) for rate in rates]
            trend, p = curve.trend, None if curve.trend is None else curve.trend.p
            chance = "–" if p is None else p_value(p).removeprefix("p = ").removeprefix("p ")
            name = curve.system + (" (control)" if curve.control else "")
            rows.append((one_line(kind), one_line(name), *values, _value(trend, intervals), chance))
        left = dict(panel.intent)
        if left:
            rows.append((one_line(kind), INTENT, *(number(left.get(rate)) for rate in rates), "", ""))
    return rows


def meaning_of(panel: Panel) -> str:
    """Return what a curve's values mean, in a few words."""
    return _MEANING.get(panel.metric, _SERVED)


def curve_lines(metrics: Sequence[Metric]) -> list[str]:
    """Return the headline's curves as lines of equal columns, for the terminal; none where no noise rose."""
    found = headline_panels(panels(metrics))
    if not found:
        return []
    rows = table_of(found, intervals=False)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    last = ""
    lines = [f"{found[0].measure} ({meaning_of(found[0])}):"]
    for row in rows:
        kind = "" if row[0] == last else row[0]
        last = row[0]
        cells = [kind.ljust(widths[0]), row[1].ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _fall(found: Sequence[Panel], user: str, system: str, several: bool) -> Fall:
    own = [
        (panel, curve, curve.trend.value)
        for panel in found
        for curve in panel.curves
        if (panel.user, curve.system) == (user, system) and curve.trend is not None and curve.trend.value is not None
    ]
    name = one_line(system) + (f" with {one_line(user)}" if several else "")
    if not own:
        return Fall(f"How {name} bears rising noise can't be told.", "", "open")
    sure = [panel.noise for panel, curve, _ in own if curve.falls]
    open_ = [panel.noise for panel, curve, _ in own if not curve.falls]
    worst, curve, _ = min(own, key=lambda one: one[2])
    rate, estimate = curve.points[-1]
    beside = (
        f"Steepest with {one_line(worst.noise)}: {worst.measure} {with_interval(estimate)} at rate {rate:g};"
        f" trend {_trend(curve.trend)}."
    )
    if not sure:
        return Fall(f"This run shows no fall of {name} under rising noise ({_listed(open_)}).", beside, "open")
    rest = f"; no fall is shown with {_listed(open_)}" if open_ else ""
    return Fall(f"{name} falls under rising noise: {_listed(sure)}{rest}.", beside, "clear")


def _trend(trend: Estimate | None) -> str:
    if trend is None or trend.value is None:
        return "not known"
    return with_interval(trend) + (f", {p_value(trend.p)}" if trend.p is not None else "")


def _value(estimate: Estimate | None, intervals: bool) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    return with_interval(estimate) if intervals else number(estimate.value)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(one_line, names))
