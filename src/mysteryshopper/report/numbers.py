"""Numbers as a report prints them."""

from __future__ import annotations

from mysteryshopper.core import Estimate

_BEST_IS_HIGH = (
    "success",
    "wanted_shown",
    "hit",
    "recall",
    "label_recall",
    "label_recall_expected",
    "mrr",
    "label_mrr",
    "ndcg",
    "label_ndcg",
    "reward",
)


def number(value: float | None) -> str:
    """Return a value with four decimals (four digits from 10 up); an undefined one is a dash."""
    if value is None:
        return "–"
    if abs(value) >= 10:
        return f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:.4g}"
    return f"{value + 0.0:.4f}"


def interval(estimate: Estimate) -> str:
    """Return `[low, high]`, or an empty text where there is no interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"[{number(estimate.low)}, {number(estimate.high)}]"


def count(value: float | None) -> str:
    """Return a count with thousands separated; an unknown one is a dash."""
    return "–" if value is None else f"{value:,.0f}"


def money(value: float | None) -> str:
    """Return a cost in the price's currency; unknown is said, never shown as zero."""
    return "unknown" if value is None else f"{value:,.4f}"


def higher_is_better(metric: str) -> bool:
    """Whether a metric is one where more is better, so that it can be held against controls."""
    stem = metric.split("@", 1)[0]
    return stem in _BEST_IS_HIGH or stem.startswith("pass^")
