"""How alike rankings under several users, judges or runs are: a heat map a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import number, with_interval
from mysteryshopper.report.plots.figure import Figure, short_labels
from mysteryshopper.report.rankings import CORRELATION
from mysteryshopper.report.text import one_line

_LONGEST = 24
_MOST_FIGURES = 3


def ranking_figures(metrics: Sequence[Metric]) -> list[Figure]:
    """Return a heat map of Spearman's correlations for each score that three or more rankings were made by."""
    found: dict[str, dict[tuple[str, str], Metric]] = {}
    for metric in metrics:
        if metric.name == CORRELATION and metric.estimate.value is not None:
            group = metric.group
            found.setdefault(group["score"], {})[group["first"], group["second"]] = metric
    made: list[Figure] = []
    for score, pairs in list(found.items())[:_MOST_FIGURES]:
        names = list(dict.fromkeys(name for pair in pairs for name in pair))
        if len(names) > 2:
            made.append(_heat(len(made) + 1, score, names, pairs))
    return made


def _heat(place: int, score: str, names: Sequence[str], pairs: Mapping[tuple[str, str], Metric]) -> Figure:
    labels = short_labels(names, _LONGEST)
    rows: list[Mapping[str, Any]] = []
    table: list[tuple[str, ...]] = [("ranking", "ranking", "Spearman", "systems")]
    for one in names:
        for other in names:
            metric = pairs.get((one, other)) or pairs.get((other, one))
            value = 1.0 if one == other else None if metric is None else metric.estimate.value
            if value is not None:
                told = number(value)
                shade = max(value, 0.0)
                rows.append({"row": labels[one], "column": labels[other], "value": shade, "told": told})
    for (one, other), metric in pairs.items():
        told = with_interval(metric.estimate)
        table.append((one_line(one), one_line(other), told, str(metric.estimate.n)))
    return Figure(
        f"rankings-{place}",
        "heat",
        f"How alike the rankings by {one_line(score)} are",
        "Spearman's rank correlation of every two rankings of the same systems, the fuller the colour, the more alike;"
        " the table has the intervals.",
        tuple(rows),
        tuple(labels[name] for name in names),
        table=tuple(table),
    )
