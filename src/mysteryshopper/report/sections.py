"""The parts of a report's first page that are made of numbers."""

from __future__ import annotations

from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.book import Book
from mysteryshopper.report.curves import is_on_curve
from mysteryshopper.report.files_told import files_told
from mysteryshopper.report.labels import MOST_ROWS, agreement_rows, is_of_people, voted_rows
from mysteryshopper.report.leaks_told import leak_audit
from mysteryshopper.report.notes import judge_warnings
from mysteryshopper.report.numbers import p_value, shown
from mysteryshopper.report.optimization import chapter
from mysteryshopper.report.seekers import contest_tables, is_of_seekers, role_notes, role_table
from mysteryshopper.report.standing import headline_names, is_of_system, primary, races, standings
from mysteryshopper.report.styles_told import is_of_confusion
from mysteryshopper.report.tables import definitions, entry, side_by_side
from mysteryshopper.report.usage import usage, waits


def sections(book: Book) -> dict[str, Any]:
    """Return the values that the first page's template takes beside those of every page."""
    metrics = book.report.metrics
    found = standings(metrics)
    first = set(headline_names(metrics))
    of_systems = [metric for metric in metrics if is_of_system(metric)]
    of_people = [metric for metric in metrics if is_of_people(metric)]
    of_judges = [metric for metric in metrics if "judge" in metric.group and not is_of_people(metric)]
    of_each = [metric for metric in of_judges if "system" in metric.group and "versus" not in metric.group]
    scores = [metric for metric in of_each if not is_on_curve(metric)]
    aside = [metric for metric in of_judges if "system" not in metric.group or "versus" in metric.group]
    aside = [metric for metric in aside if not is_of_seekers(metric)]
    differences = [metric for metric in metrics if "versus" in metric.group and "judge" not in metric.group]
    apart = {id(metric) for metric in (*of_systems, *differences, *of_judges, *of_people)}
    over_all = [metric for metric in metrics if id(metric) not in apart and not is_of_seekers(metric)]
    order = _order(metrics)
    best = {
        (race.metric, race.winner, race.rest) for name in {m.name for m in of_systems} for race in races(metrics, name)
    }
    return {
        "notes": book.notes,
        "headline": book.headline,
        "audit": leak_audit(book.report),
        "ordered": "best system first, controls last" if order else "controls last",
        "first": side_by_side([one for one in of_systems or over_all if one.name in first], found, order, best),
        "table": side_by_side(of_systems, found, order, best),
        "found": side_by_side(
            [one for one in over_all if "by" in one.group and one.name not in first and not is_of_confusion(one)], found
        ),
        "others": side_by_side([one for one in over_all if "by" not in one.group], found, order),
        "differences": [(entry(metric), *_extra(metric)) for metric in differences],
        "scores": side_by_side(scores, found, order),
        "of_judges": [entry(metric) for metric in aside],
        "contests": contest_tables(metrics),
        "roles": role_table(metrics),
        "role_notes": role_notes(metrics),
        "agreement": agreement_rows(of_people),
        "voted": voted_rows(book.report.labelled),
        "most_voted": MOST_ROWS,
        "entries": [entry(metric, found) for metric in metrics],
        "definitions": definitions(metrics),
        "usage": usage(book.report.summary),
        "files": files_told(book.report.summary),
        "unanswered": f"{most:,.4g}" if (most := book.report.summary.get("unanswered")) else "",
        "waits": waits(book.report.store.calls()),
        "opinions": book.opinions,
        "judge_warnings": judge_warnings(metrics),
        "prompts": chapter(book.report.store),
    }


def _order(metrics: Any) -> list[str]:
    """Return the systems from best to worst by the first metric with a direction, summed over its groups' ranks."""
    name = primary(metrics)
    ranks: dict[str, list[int]] = {}
    for race in races(metrics, name) if name else ():
        for rank, metric in enumerate((*race.runners, *race.controls)):
            ranks.setdefault(metric.group["system"], []).append(rank)
    return sorted(ranks, key=lambda system: sum(ranks[system]) / len(ranks[system]))


def _extra(metric: Metric) -> tuple[str, str, str]:
    """Return p and the smallest difference that would be found, in words, and whether the interval leaves out 0."""
    estimate = metric.estimate
    p = "–" if estimate.p is None else p_value(estimate.p).removeprefix("p = ").removeprefix("p ")
    detectable = "–" if estimate.detectable is None else _like(metric, estimate.detectable)
    low, high = estimate.low, estimate.high
    told = "" if low is None or high is None else "yes" if low > 0 or high < 0 else "no"
    return p, detectable, told


def _like(metric: Metric, value: float) -> str:
    from dataclasses import replace

    return shown(replace(metric.estimate, value=value))
