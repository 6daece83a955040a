"""Figures as Vega-Lite charts, written in its own JSON. Fields are named by us; what came from a run are values alone.

They are written down as they are: a library that makes them takes longer to import than all plots to draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mysteryshopper.report.plots.figure import Figure
from mysteryshopper.report.plots.theme import COLOURS, CONFIG, PAPER

_Part = dict[str, Any]

_WIDTH = 360
_HEIGHT = 190
_STEP = 30
_APART: Mapping[str, Any] = {"labelOverlap": "parity", "labelSeparation": 4}
"""Of numbers along an axis that would touch each other, beside long names, every other one is left out."""

_FIT: Mapping[str, Any] = {"type": "fit-x", "contains": "padding"}
"""All plots are equally wide, labels and all, so that their type is equally large."""

_SPAN: Mapping[str, Any] = {"type": "rule", "strokeWidth": 3, "strokeCap": "round", "opacity": 0.55}
_LINE: Mapping[str, Any] = {"type": "line", "strokeWidth": 2.5}
_SHARE: Mapping[str, Any] = {"domain": [0, 1]}


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
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": _WIDTH,
        "autosize": _FIT,
        "config": CONFIG,
        **makers[figure.kind](figure),
    }


def _values(rows: Iterable[Mapping[str, Any]]) -> _Part:
    return {"values": [dict(row) for row in rows]}


def _number(field: str, **more: Any) -> _Part:
    return {"field": field, "type": "quantitative", **more}


def _name(field: str, **more: Any) -> _Part:
    return {"field": field, "type": "nominal", **more}


def _dot(size: int) -> _Part:
    return {"type": "point", "filled": True, "size": size}


def _layer(mark: Mapping[str, Any], **encoding: Mapping[str, Any]) -> _Part:
    return {"mark": mark, "encoding": encoding}


def _steps(size: int = _STEP) -> _Part:
    return {"step": size}


def _rows(figure: Figure, field: str = "label") -> _Part:
    return _name(field, sort=list(figure.order), title=None, axis={"domain": False})


def _scale(figure: Figure, *, zero: bool = True) -> Mapping[str, Any]:
    ends = [row[key] for row in figure.rows for key in ("low", "value", "high") if row.get(key) is not None]
    if min(ends) >= 0 and 0.5 < max(ends) <= 1:
        return _SHARE
    return {"zero": zero, "nice": True}


def _tones(field: str, figure: Figure, **legend: Any) -> _Part:
    palette = {"domain": list(figure.tones), "range": [COLOURS[tone] for tone in figure.tones.values()]}
    return _name(field, scale=palette, legend={"columns": 2, **legend})


def _intervals(figure: Figure) -> _Part:
    palette = {"domain": ["system", "control"], "range": [COLOURS["accent"], COLOURS["control"]]}
    tone = _name("tone", scale=palette, legend=None)
    low = _number("low", scale=_scale(figure), title=None, axis={"tickCount": 5, **_APART})
    value, row = _number("value"), _rows(figure)
    return {
        "data": _values(figure.rows),
        "height": _steps(),
        "layer": [
            _layer(_SPAN, x=low, x2={"field": "high"}, y=row, color=tone),
            _layer({**_dot(80), "opacity": 1}, x=value, y=row, color=tone),
            _layer({"type": "text", "dy": -11, "fontSize": 11}, x=value, y=row, text=_name("told")),
        ],
    }


def _shares(figure: Figure) -> _Part:
    axis = {"format": "%", "tickCount": 5, **_APART}
    return {
        "data": _values(figure.rows),
        "height": _steps(),
        **_layer(
            {"type": "bar", "height": {"band": 0.62}},
            x=_number("share", stack=True, title=None, scale=_SHARE, axis=axis),
            y=_rows(figure),
            color=_tones("series", figure),
            order=_number("place"),
        ),
    }


def _lines(figure: Figure) -> _Part:
    last = max(int(row["turn"]) for row in figure.rows)
    ticks = {"values": list(range(0, last + 1, max(1, last // 8))), "format": "d", "grid": False}
    where = {
        "x": _number("turn", title="system turn", scale={"domain": [0, last]}, axis=ticks),
        "y": _number(
            "share", title=None, scale=_SHARE, axis={"format": "%", "grid": True, "tickCount": 5, "domain": False}
        ),
        "color": _tones("label", figure),
    }
    return {
        "data": _values(figure.rows),
        "height": _HEIGHT,
        "layer": [_layer({**_LINE, "interpolate": "step-after"}, **where), _layer(_dot(26), **where)],
    }


def _criteria(figure: Figure) -> _Part:
    series = {
        "y": _rows(figure),
        "yOffset": _name("series", sort=list(figure.tones)),
        "color": _tones("series", figure),
    }
    low = _number("low", scale=_scale(figure, zero=False), title=None, axis={"tickCount": 5, **_APART})
    return {
        "data": _values(figure.rows),
        "height": _steps(max(14, _STEP // max(len(figure.tones), 1) + 6)),
        "layer": [
            _layer(_SPAN, x=low, x2={"field": "high"}, **series),
            _layer({**_dot(60), "opacity": 1}, x=_number("value"), **series),
        ],
    }


def _curves(figure: Figure) -> _Part:
    def part(line: str) -> _Part:
        return {"data": _values(row for row in figure.rows if row["line"] == line)}

    ticks = [row["rate"] for row in figure.rows if row["line"] == "tick"]
    room = 0.04 * (max(ticks) or 1.0)
    where = {
        "x": _number(
            "rate",
            title="rate of noise",
            scale={"domain": [min(ticks) - room, max(ticks) + room], "nice": False},
            axis={"values": ticks, "format": ".4~g", "grid": False, **_APART},
        ),
        "color": _tones("label", figure, symbolOpacity=1),
    }
    value = _number("value", title=None, scale=_SHARE, axis={"grid": True, "tickCount": 5, "domain": False})
    ends = {"y": _number("low", title=None, scale=_SHARE), "y2": {"field": "high"}}
    system, intent = part("system"), part("intent")
    return {
        "height": _HEIGHT,
        "layer": [
            part("even") | _layer({"type": "rule", "strokeWidth": 1, "color": COLOURS["soft"]}, y=value),
            intent | _layer({"type": "line", "strokeWidth": 2, "strokeDash": [5, 4]}, y=value, **where),
            system | _layer({**_SPAN, "strokeWidth": 2, "opacity": 0.5}, **ends, **where),
            system | _layer(_LINE, y=value, **where),
            system | _layer({**_dot(46), "opacity": 1}, y=value, **where),
        ],
    }


def _heat(figure: Figure) -> _Part:
    columns = list(dict.fromkeys(str(row["column"]) for row in figure.rows))
    axis = {"labelAngle": -50, "domain": False, "ticks": False}
    where = {"x": _name("column", sort=columns, title=None, axis=axis), "y": _rows(figure, "row")}
    shade = _number("value", scale={"domain": [0, 1], "range": [0.04, 0.6]}, legend=None)
    cell = {"type": "rect", "color": COLOURS["accent"], "stroke": PAPER, "strokeWidth": 2}
    return {
        "data": _values(figure.rows),
        "height": _steps(),
        "layer": [
            _layer(cell, opacity=shade, **where),
            _layer({"type": "text", "fontSize": 12}, text=_name("told"), **where),
        ],
    }


def _rounds(figure: Figure) -> _Part:
    last = max(int(row["round"]) for row in figure.rows)
    ticks = {"values": list(range(1, last + 1, max(1, last // 12))), "format": "d", "grid": False}
    where = {
        "x": _number("round", title="round", scale={"domain": [0.7, last + 0.3], "nice": False}, axis=ticks),
        "y": _number("pairs", title=None, axis={"format": "d", "grid": True, "tickMinStep": 1, "domain": False}),
        "color": _tones("label", figure),
    }
    return {
        "data": _values(figure.rows),
        "height": _HEIGHT,
        "layer": [_layer(_LINE, **where), _layer({**_dot(46), "opacity": 1}, **where)],
    }
