"""Colours and type of plots. In a page every colour is a class, so that it follows light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PAPER = "#ffffff"

COLOURS: Mapping[str, str] = {
    "ink": "#1b2126",
    "soft": "#5b656e",
    "line": "#d8dcda",
    "accent": "#0b6170",
    "control": "#8a939a",
    "good": "#0072b2",
    "fair": "#76b7e0",
    "mild": "#c9d3d9",
    "poor": "#eda63a",
    "bad": "#c8501e",
    "worse": "#7c2f5b",
    "series1": "#0b6171",
    "series2": "#d0711c",
    "series3": "#6a4fa0",
    "series4": "#2b8a4b",
    "series5": "#b8326b",
    "series6": "#3a6fc4",
    "series7": "#7d6a12",
    "series8": "#59646d",
}
"""Colour by name, as drawn on white; told apart under the common colour-vision deficiencies by hue and lightness."""

SERIES = tuple(COLOURS[f"series{number}"] for number in range(1, 9))

CONFIG: Mapping[str, Any] = {
    "background": PAPER,
    "font": "sans-serif",
    "view": {"stroke": None},
    "padding": {"left": 18, "right": 8, "top": 4, "bottom": 4},
    "axis": {
        "labelColor": COLOURS["ink"],
        "titleColor": COLOURS["soft"],
        "gridColor": COLOURS["line"],
        "domainColor": COLOURS["line"],
        "tickColor": COLOURS["line"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 0,  # labels come short: cutting them here could cut a character in two
    },
    "axisY": {"grid": False, "ticks": False, "labelPadding": 8},
    "legend": {
        "labelColor": COLOURS["ink"],
        "labelFontSize": 12,
        "labelLimit": 0,
        "orient": "bottom",
        "symbolStrokeWidth": 0,
        "symbolType": "square",
        "title": None,
    },
    "text": {"color": COLOURS["ink"], "fontSize": 12},
}
