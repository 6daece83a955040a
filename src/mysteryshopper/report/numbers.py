"""Numbers as a report prints them: as many digits as their uncertainty leaves, and no more."""

from __future__ import annotations

from math import floor, log10, sqrt

from mysteryshopper.core import Estimate, Metric

_MOST_DECIMALS = 4

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


def decimals(estimate: Estimate) -> int:
    """Return how many decimals a number and its interval are printed with.

    Two digits of the interval's width; where there is no interval, of a share's width at 95 % by its binomial standard
    error, else two decimals. Never more than four. Counts have none.
    """
    if estimate.method == "count":
        return 0
    width = _width(estimate)
    if width is None or width <= 0:
        return 2
    return min(max(1 - floor(log10(width)), 0), _MOST_DECIMALS)


def _width(estimate: Estimate) -> float | None:
    value, low, high = estimate.value, estimate.low, estimate.high
    if low is not None and high is not None:
        return high - low
    if value is not None and 0 < value < 1 and estimate.n:
        return 3.92 * sqrt(value * (1 - value) / estimate.n)
    return None


def number(value: float | None, places: int = 2) -> str:
    """Return a value with so many decimals and thousands separated; an undefined one is a dash, zero has no sign."""
    if value is None:
        return "–"
    text = f"{value:,.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def shown(estimate: Estimate) -> str:
    """Return the value of an estimate with its digits."""
    return number(estimate.value, decimals(estimate))


def interval(estimate: Estimate) -> str:
    """Return `[low, high]`, or an empty text where there is no interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    places = decimals(estimate)
    return f"[{number(estimate.low, places)}, {number(estimate.high, places)}]"


def with_interval(estimate: Estimate) -> str:
    """Return `value [low, high]`, without brackets where there is no interval."""
    return f"{shown(estimate)} {interval(estimate)}".rstrip()


def p_value(value: float) -> str:
    """Return a p-value with three decimals; a smaller one says so."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def count(value: float | None) -> str:
    """Return a count with thousands separated; an unknown one is a dash."""
    return "–" if value is None else f"{value:,.0f}"


def money(value: float | None) -> str:
    """Return a cost in the price's currency; unknown is said, never shown as zero."""
    return "unknown" if value is None else f"{value:,.4f}"


def direction(metric: Metric) -> int:
    """Return 1 where more of a metric serves people better, -1 where less does, 0 where neither is so.

    Metrics of older runs carry no direction; those whose names are known are taken as higher is better.
    """
    if metric.better is not None:
        return 1 if metric.better == "higher" else -1
    stem = metric.name.split("@", 1)[0]
    return 1 if stem in _BEST_IS_HIGH or stem.startswith("pass^") else 0
