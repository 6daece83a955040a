"""How far rankings under several users, judges or runs agree, in a sentence a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import number, with_interval
from mysteryshopper.report.text import one_line

CORRELATION = "rank_spearman"
_STEP, _SMALLEST_P = "spearman_step", "smallest_p"
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class RankingTold:
    """How far rankings by one score agree, in a sentence; what stands beside it; whether that is sure."""

    text: str
    beside: str
    sure: str


def rankings_told(metrics: Sequence[Metric]) -> list[RankingTold]:
    """Return a sentence for each score that systems were ranked by; none where no rankings were compared.

    It is `clear` where every two rankings' interval lies above 0, and `open` otherwise. Where no two rankings by a
    score could be compared, the sentence says why.
    """
    found: dict[str, list[Metric]] = {}
    reasons: dict[str, str] = {}
    for metric in metrics:
        if metric.name == CORRELATION:
            rows = found.setdefault(metric.group["score"], [])
            if metric.estimate.value is not None:
                rows.append(metric)
            elif metric.estimate.reason:
                reasons.setdefault(metric.group["score"], metric.estimate.reason)
    return [
        _told(score, rows, metrics) if rows else RankingTold(_undefined(score, reasons.get(score, "")), "", "open")
        for score, rows in found.items()
    ]


def _undefined(score: str, reason: str) -> str:
    return f"No rankings by {one_line(score)} could be compared{f': {one_line(reason)}' if reason else ''}."


def _told(score: str, rows: Sequence[Metric], metrics: Sequence[Metric]) -> RankingTold:
    least = min(rows, key=lambda one: one.estimate.value or 0.0)
    most = max(rows, key=lambda one: one.estimate.value or 0.0)
    sizes = sorted({one.estimate.n for one in rows})
    systems = f"{sizes[0]} systems" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} systems"
    pair = one_line(f"{least.group['first']} and {least.group['second']}")
    if len(rows) == 1:
        text = f"Ranked by {one_line(score)}, {pair} order {systems} with Spearman {with_interval(least.estimate)}."
    else:
        text = (
            f"Ranked by {one_line(score)}, {len(rows)} pairs of rankings of {systems} agree with Spearman"
            f" {number(least.estimate.value)} to {number(most.estimate.value)}; least alike are {pair},"
            f" {with_interval(least.estimate)}."
        )
    lows = [one.estimate.low for one in rows]
    sure = "clear" if all(low is not None and low > 0 for low in lows) else "open"
    return RankingTold(text, _limits(score, metrics), sure)


def _limits(score: str, metrics: Sequence[Metric]) -> str:
    parts = []
    for metric in metrics:
        value = metric.estimate.value
        if metric.group.get("score") != score or value is None:
            continue
        if metric.name == _STEP:
            parts.append(f"With {metric.group['systems']} systems Spearman moves in steps of {value:.3g}")
        elif metric.name == _SMALLEST_P:
            beyond = ", so no agreement can be significant at .05" if value > _ALPHA else ""
            parts[-1] += f", and p can't fall below {value:.2g}{beyond}"
    tied = sum(
        int(one.estimate.value or 0) for one in metrics if one.name == "tied_systems" and one.group["score"] == score
    )
    ties = f" Places that systems share, over all rankings: {tied}." if tied else ""
    return ". ".join(parts) + "." + ties if parts else ties.strip()
