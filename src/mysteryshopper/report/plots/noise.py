"""Plots of curves over rising noise, one a kind: every system's, and what could still be read of the wish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.curves import EVEN, JUDGED, Panel, panels
from mysteryshopper.report.curves_told import INTENT, meaning_of, table_of, trends_of
from mysteryshopper.report.plots.figure import Figure, short_labels
from mysteryshopper.report.text import one_line

_MOST_PANELS = 24
_MOST_LINES = 8
_LONGEST = 30  # characters of a label
_APART = 0.011  # of the axis: intervals of several systems stand beside each other


def noise_figures(metrics: Sequence[Metric], tones: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the plots; those of further panels are left out, their numbers stand in the tables.

    Args:
        metrics: All metrics of a run.
        tones: Colour name by system.
    """
    found = panels(metrics)
    users = {panel.user for panel in found}
    for place, panel in enumerate(found[:_MOST_PANELS], 1):
        yield _figure(panel, tones, f"noise-{place}", wide=len(users) > 1)


def _figure(panel: Panel, tones: Mapping[str, str], name: str, *, wide: bool) -> Figure:
    curves = panel.curves[:_MOST_LINES]
    widest = max((rate for curve in curves for rate, _ in curve.points), default=1.0) or 1.0
    rows: list[Mapping[str, Any]] = []
    colours: dict[str, str] = {}
    names = short_labels((curve.system for curve in curves), _LONGEST)
    for place, curve in enumerate(curves):
        label = names[curve.system] + (" (control)" if curve.control else "")
        colours[label] = tones.get(curve.system, "accent")
        shift = (place - (len(curves) - 1) / 2) * _APART * widest
        for rate, estimate in curve.points:
            if estimate.value is not None:
                low, high = estimate.low, estimate.high
                ends = {"low": estimate.value, "high": estimate.value} if low is None else {"low": low, "high": high}
                rows.append({"label": label, "rate": rate + shift, "value": estimate.value, "line": "system", **ends})
    rows += [{"label": INTENT, "rate": rate, "value": value, "line": "intent"} for rate, value in panel.intent]
    if panel.intent:
        colours[INTENT] = "control"
    ticks = sorted({rate for curve in curves for rate, _ in curve.points})
    rows += [{"line": "tick", "rate": rate} for rate in ticks]
    if panel.metric == JUDGED:
        rows.append({"line": "even", "value": EVEN})
    who = f", {panel.user}" if wide else ""
    return Figure(
        name,
        "curves",
        one_line(f"{panel.noise}{who}: {panel.measure}"),
        f"Value at each rate of noise with its interval ({meaning_of(panel)}); the table has the values.",
        tuple(rows),
        tuple(colours),
        colours,
        tuple(table_of([panel])),
        trends_of(panel),
    )
