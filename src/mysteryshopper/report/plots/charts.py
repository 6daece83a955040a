"""Figures as Vega-Lite charts. Field names are ours; what came from a run are values, never expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from mysteryshopper.report.plots.figures import Figure
from mysteryshopper.report.plots.theme import COLOURS, CONFIG

_WIDTH = 360
_STEP = 30
_FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
"""All plots are equally wide, labels and all, so that their type is equally large."""


def vega_lite(figure: Figure) -> dict[str, Any]:
    """Return the chart of a figure, with our theme, as Vega-Lite JSON."""
    makers = {"intervals": _intervals, "shares": _shares, "lines": _lines, "criteria": _criteria}
    chart: dict[str, Any] = makers[figure.kind](figure).properties(autosize=_FIT).configure(**CONFIG).to_dict()
    return chart


def _values(figure: Figure) -> alt.InlineData:
    return alt.InlineData(values=[dict(row) for row in figure.rows])


def _rows(figure: Figure) -> alt.Y:
    return alt.Y("label:N", sort=list(figure.order), title=None, axis=alt.Axis(domain=False))


def _scale(figure: Figure, *, zero: bool = True) -> alt.Scale:
    ends = [row[key] for row in figure.rows for key in ("low", "value", "high") if row.get(key) is not None]
    if min(ends) >= 0 and 0.5 < max(ends) <= 1:
        return alt.Scale(domain=[0, 1])
    return alt.Scale(zero=zero, nice=True)


def _palette(figure: Figure) -> alt.Scale:
    return alt.Scale(domain=list(figure.tones), range=[COLOURS[tone] for tone in figure.tones.values()])


def _intervals(figure: Figure) -> Any:
    tone = alt.Color(
        "tone:N",
        scale=alt.Scale(domain=["system", "control"], range=[COLOURS["accent"], COLOURS["control"]]),
        legend=None,
    )
    scale = _scale(figure)
    base = alt.Chart(_values(figure), width=_WIDTH, height=alt.Step(_STEP))
    span = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title=None, axis=alt.Axis(tickCount=5)), x2="high:Q", y=_rows(figure), color=tone
    )
    dot = base.mark_point(filled=True, size=80, opacity=1).encode(x="value:Q", y=_rows(figure), color=tone)
    told = base.mark_text(dy=-11, fontSize=11).encode(x="value:Q", y=_rows(figure), text="told:N")
    return alt.layer(span, dot, told)


def _shares(figure: Figure) -> Any:
    return (
        alt.Chart(_values(figure), width=_WIDTH, height=alt.Step(_STEP))
        .mark_bar(height={"band": 0.62})
        .encode(
            x=alt.X(
                "share:Q",
                stack=True,
                title=None,
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=_rows(figure),
            color=alt.Color("series:N", scale=_palette(figure), legend=alt.Legend(columns=2)),
            order=alt.Order("place:Q"),
        )
    )


def _lines(figure: Figure) -> Any:
    last = max(int(row["turn"]) for row in figure.rows)
    base = alt.Chart(_values(figure), width=_WIDTH, height=190).encode(
        x=alt.X(
            "turn:Q",
            title="system turn",
            scale=alt.Scale(domain=[0, last]),
            axis=alt.Axis(values=list(range(0, last + 1, max(1, last // 8))), format="d", grid=False),
        ),
        y=alt.Y(
            "share:Q",
            title=None,
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", grid=True, tickCount=5, domain=False),
        ),
        color=alt.Color("label:N", scale=_palette(figure), legend=alt.Legend(columns=2)),
    )
    return alt.layer(base.mark_line(interpolate="step-after", strokeWidth=2.5), base.mark_point(filled=True, size=26))


def _criteria(figure: Figure) -> Any:
    series: Mapping[str, Any] = {
        "y": _rows(figure),
        "yOffset": alt.YOffset("series:N", sort=list(figure.tones)),
        "color": alt.Color("series:N", scale=_palette(figure), legend=alt.Legend(columns=2)),
    }
    base = alt.Chart(_values(figure), width=_WIDTH, height=alt.Step(max(14, _STEP // max(len(figure.tones), 1) + 6)))
    scale = _scale(figure, zero=False)
    span = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title=None, axis=alt.Axis(tickCount=5)), x2="high:Q", **series
    )
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x="value:Q", **series)
    return alt.layer(span, dot)
