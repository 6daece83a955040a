"""The verdict in three lines, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.core import Metric
from mysteryshopper.report.curves_told import curve_lines
from mysteryshopper.report.duels import duels
from mysteryshopper.report.headline import headline
from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.losses import losses
from mysteryshopper.report.notes import notes
from mysteryshopper.report.numbers import count, interval, shown
from mysteryshopper.report.rankings import rankings_told
from mysteryshopper.report.standing import headline_names, primary
from mysteryshopper.report.text import one_line
from mysteryshopper.report.where_told import told_where

_MOST = 12  # numbers of the second line


def verdict_lines(report: ReportInput) -> list[str]:
    """Return three lines: what was done and lost, the first metric of every system, and what to mind first.

    Controls come last, and what all groups share is left out. Where no note warns, what stands beside the first answer
    is what to mind. Where noise rose, a table of the curves follows.

    Safe to print: control characters from anywhere are made visible.
    """
    protocol = one_line(str(report.summary.get("protocol", "run")))
    count_line = f"{protocol}: {losses(report.summary, ()).sentence}"
    first = next(iter(headline_names(report.metrics)), None)
    curves = curve_lines(report.metrics)
    plain = primary(report.metrics) and not duels(report.metrics) and not rankings_told(report.metrics) and not curves
    head = headline(report)
    answers = () if plain else head.answers
    if answers:
        told = answers if curves else answers[:1]
        left = len(answers) - len(told) + head.more
        more = f" {left} more {'stands' if left == 1 else 'stand'} in the report." if left else ""
        result = one_line(" ".join(answer.text for answer in told) + more, 2_000)
    else:
        result = _result(first, report.metrics) if first is not None else "No number could be measured."
    warnings = notes(report)
    beside = answers[0].beside if answers else ""
    mind = warnings[0].text if warnings else beside or "Nothing to mind beyond the intervals."
    return [count_line, result, one_line(mind, 500), *curves]


def _result(name: str, metrics: Sequence[Metric]) -> str:
    found = sorted((metric for metric in metrics if metric.name == name), key=lambda metric: metric.control)
    shared = set.intersection(*(set(metric.group.items()) for metric in found)) if len(found) > 1 else set()
    parts = []
    for metric in found:
        estimate = metric.estimate
        rest = [(key, value) for key, value in metric.group.items() if (key, value) not in shared]
        system = one_line(dict(rest).get("system", ""))
        where = told_where(part for part in rest if part[0] != "system")
        who = f"{system} ({where})" if system and where else system or where
        why = f" ({one_line(estimate.reason)})" if estimate.value is None and estimate.reason else ""
        words = [who or "all", shown(estimate) + why, interval(estimate), f"n={count(estimate.n)}"]
        parts.append(" ".join(word for word in words if word) + (" (control)" if metric.control else ""))
    if (more := len(parts) - _MOST) > 0:
        parts = [*parts[:_MOST], f"and {more} more in the report"]
    return one_line(f"{name}: {'; '.join(parts)}", 2_000)
