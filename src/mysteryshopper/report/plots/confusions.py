"""Plots of style control: each style's score beside chance, and what was asked for against what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import shown, with_interval
from mysteryshopper.report.plots.figure import Figure
from mysteryshopper.report.styles_told import SCORE
from mysteryshopper.report.text import one_line

_ROWS = "found_as"
_MOST = 12
_LONGEST = 30


def style_figures(metrics: Sequence[Metric]) -> Iterator[Figure]:
    """Yield, user by user, the scores of all styles; then for everybody who found labels the table of all styles."""
    scores = [metric for metric in metrics if metric.name == SCORE and metric.estimate.value is not None]
    rows = [metric for metric in metrics if metric.name == _ROWS]
    for place, user in enumerate(list(dict.fromkeys(one.group["user"] for one in scores))[:_MOST], 1):
        yield _scores([one for one in scores if one.group["user"] == user], user, f"style-{place}")
    pairs = list(dict.fromkeys((one.group["user"], one.group["by"]) for one in rows))[:_MOST]
    for place, (user, by) in enumerate(pairs, 1):
        own = [one for one in rows if (one.group["user"], one.group["by"]) == (user, by)]
        yield _table(own, f"{user}, by {by}", f"confusion-{place}")


def _scores(scores: Sequence[Metric], user: str, name: str) -> Figure:
    styles = list(dict.fromkeys(one.group["style"] for one in scores))
    ranked = sorted(scores, key=lambda one: (styles.index(one.group["style"]), one.control))
    rows = tuple(
        {
            "label": _label(one),
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
            "told": shown(one.estimate),
            "tone": "control" if one.control else "system",
        }
        for one in ranked
    )
    told = "; ".join(f"{row['label']} {with_interval(one.estimate)}" for row, one in zip(rows, ranked, strict=True))
    return Figure(
        name,
        "intervals",
        one_line(f"{SCORE}, {user} – more is better"),
        f"Value and interval, chance in grey. {told}.",
        rows,
        tuple(str(row["label"]) for row in rows),
    )


def _label(metric: Metric) -> str:
    return one_line(f"{metric.group['style']} · {metric.group['by']}", 2 * _LONGEST)


def _table(shares: Sequence[Metric], who: str, name: str) -> Figure:
    rows: list[Mapping[str, Any]] = []
    table: list[tuple[str, ...]] = [("style", "asked for", "found", "dialogues", "share")]
    for one in shares:
        group, estimate = one.group, one.estimate
        if estimate.value is None:
            continue
        count = round(estimate.value * estimate.n)
        asked = one_line(f"{group['style']}: {group['asked']}", _LONGEST)
        found = one_line(group["found"], _LONGEST)
        place = one_line(f"{group['style']}: {group['found']}", _LONGEST)
        rows.append({"row": asked, "column": place, "value": estimate.value, "told": f"{count}" if count else "·"})
        table.append((one_line(group["style"]), one_line(group["asked"]), found, f"{count:,}", with_interval(estimate)))
    return Figure(
        name,
        "heat",
        one_line(f"Asked for (rows) and found (columns): {who}"),
        "Dialogues by what was asked for and what was found; the fuller the colour, the larger the share of its row.",
        tuple(rows),
        tuple(dict.fromkeys(str(row["row"]) for row in rows)),
        table=tuple(table),
    )
