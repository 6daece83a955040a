"""Figures as Vega-Lite charts. Field names are ours; what came from a run are values, never expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from mysteryshopper.report.plots.figure import Figure
from mysteryshopper.report.plots.theme import COLOURS, CONFIG, PAPER

_WIDTH = 360
_STEP = 30
_APART: Mapping[str, Any] = {"labelOverlap": "parity", "labelSeparation": 4}
"""Of numbers along an axis that would touch each other, beside long names, every other one is left out."""

_FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
"""All plots are equally wide, labels and all, so that their type is equally large."""


def vega_lite(figure: Figure) -> dict[str, Any]:
    """Return the chart of a figure, with our theme, as Vega-Lite JSON."""
    makers = {
        "intervals": _intervals,
        "shares": _shares,
        "lines": _lines,
        "criteria": _criteria,
        "curves": _curves,
        "heat": _heat,
        "rounds": _rounds,
    }
    drawn = makers[figure.kind](figure).properties(autosize=_FIT).configure(**CONFIG)
    chart: dict[str, Any] = drawn.to_dict(validate=False)  # our own charts, valid by test; checking takes half the time
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
        x=alt.X("low:Q", scale=scale, title=None, axis=alt.Axis(tickCount=5, **_APART)),
        x2="high:Q",
        y=_rows(figure),
        color=tone,
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
                axis=alt.Axis(format="%", tickCount=5, **_APART),
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
        x=alt.X("low:Q", scale=scale, title=None, axis=alt.Axis(tickCount=5, **_APART)), x2="high:Q", **series
    )
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x="value:Q", **series)
    return alt.layer(span, dot)


def _curves(figure: Figure) -> Any:
    def part(line: str) -> Any:
        return alt.Chart(alt.InlineData(values=[dict(row) for row in figure.rows if row["line"] == line]))

    ticks = [row["rate"] for row in figure.rows if row["line"] == "tick"]
    room = 0.04 * (max(ticks) or 1.0)
    where = alt.X(
        "rate:Q",
        title="rate of noise",
        scale=alt.Scale(domain=[min(ticks) - room, max(ticks) + room], nice=False),
        axis=alt.Axis(values=ticks, format=".4~g", grid=False, **_APART),
    )
    height = alt.Scale(domain=[0, 1])
    value = alt.Y("value:Q", title=None, scale=height, axis=alt.Axis(grid=True, tickCount=5, domain=False))
    tone = alt.Color("label:N", scale=_palette(figure), legend=alt.Legend(columns=2, symbolOpacity=1))
    system = part("system").encode(x=where, color=tone)
    span = system.mark_rule(strokeWidth=2, strokeCap="round", opacity=0.5).encode(
        y=alt.Y("low:Q", title=None, scale=height), y2="high:Q"
    )
    line = system.mark_line(strokeWidth=2.5).encode(y=value)
    dot = system.mark_point(filled=True, size=46, opacity=1).encode(y=value)
    intent = part("intent").encode(x=where, y=value, color=tone).mark_line(strokeWidth=2, strokeDash=[5, 4])
    even = part("even").encode(y=value).mark_rule(strokeWidth=1, color=COLOURS["soft"])
    return alt.layer(even, intent, span, line, dot).properties(width=_WIDTH, height=190)


def _heat(figure: Figure) -> Any:
    columns = list(dict.fromkeys(str(row["column"]) for row in figure.rows))
    base = alt.Chart(_values(figure), width=_WIDTH, height=alt.Step(_STEP)).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(labelAngle=-50, domain=False, ticks=False)),
        y=alt.Y("row:N", sort=list(figure.order), title=None, axis=alt.Axis(domain=False)),
    )
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.6]), legend=None)
    cell = base.mark_rect(color=COLOURS["accent"], stroke=PAPER, strokeWidth=2).encode(opacity=shade)
    return alt.layer(cell, base.mark_text(fontSize=12).encode(text="told:N"))


def _rounds(figure: Figure) -> Any:
    last = max(int(row["round"]) for row in figure.rows)
    base = alt.Chart(_values(figure), width=_WIDTH, height=190).encode(
        x=alt.X(
            "round:Q",
            title="round",
            scale=alt.Scale(domain=[0.7, last + 0.3], nice=False),
            axis=alt.Axis(values=list(range(1, last + 1, max(1, last // 12))), format="d", grid=False),
        ),
        y=alt.Y("pairs:Q", title=None, axis=alt.Axis(format="d", grid=True, tickMinStep=1, domain=False)),
        color=alt.Color("label:N", scale=_palette(figure), legend=alt.Legend(columns=2)),
    )
    return alt.layer(base.mark_line(strokeWidth=2.5), base.mark_point(filled=True, size=46, opacity=1))
