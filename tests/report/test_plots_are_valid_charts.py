"""Our charts are written by hand in the JSON of Vega-Lite; its schema, as altair holds it, says that each is one."""

import altair
import pytest
from jsonschema import ValidationError

from mysteryshopper.report.plots.charts import vega_lite
from mysteryshopper.report.plots.figure import Figure

_ENDS = {"value": 0.5, "low": 0.4, "high": 0.6}
_TONES = {"shop": "series1", "other": "series2"}
_CURVE = [{"line": "tick", "rate": rate} for rate in (0.0, 0.4)] + [{"line": "even", "value": 0.5}]

FIGURES = {
    "intervals": [{"label": "shop", "told": "0.50", "tone": "system", **_ENDS}],
    "shares": [{"label": "shop", "series": "other", "share": 1.0, "place": 0}],
    "lines": [{"label": "shop", "turn": turn, "share": turn / 9} for turn in range(10)],
    "criteria": [{"label": "good", "series": "shop", "value": 3.1, "low": None, "high": None}],
    "curves": [*_CURVE, {"line": "system", "label": "shop", "rate": 0.4, **_ENDS}],
    "heat": [{"row": "a", "column": "b", "value": 0.2, "told": "2"}],
    "rounds": [{"label": "shop", "round": 1, "pairs": 3}],
}


@pytest.mark.parametrize("kind", FIGURES)
def test_it_is_valid_and_holds_every_row(kind):
    rows = tuple(FIGURES[kind])
    chart = vega_lite(Figure(f"{kind}-1", kind, "A title", "A sentence.", rows, ("shop",), _TONES))
    altair.Chart.from_dict(chart, validate=True)
    parts = [chart, *chart.get("layer", ())]
    drawn = [row for part in parts for row in part.get("data", {}).get("values", ())]
    assert [row for row in rows if row not in drawn] == [row for row in rows if row.get("line") == "tick"]


def test_an_unknown_key_is_found():
    chart = vega_lite(Figure("x", "heat", "A title", "A sentence.", tuple(FIGURES["heat"]), ("a",)))
    chart["layer"][0]["encoding"]["opacity"]["shade"] = 1
    with pytest.raises(ValidationError):
        altair.Chart.from_dict(chart, validate=True)
