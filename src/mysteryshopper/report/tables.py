"""Metrics as tables: systems side by side, and every number with all it rests on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.numbers import count, decimals, interval, number, shown
from mysteryshopper.report.standing import Cell, Standing, rest_of
from mysteryshopper.report.text import one_line


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval on a scale from 0 to 100, for a small drawing."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Entry:
    """One number as shown.

    Attributes:
        name: The metric.
        group: The group in words.
        value: The value in digits.
        interval: `[low, high]`, or empty.
        n: Observations, in digits.
        clusters: Clusters, in digits.
        method: How the interval was made, with its level.
        bounds: Value if all that was left out had failed or succeeded, or empty.
        reason: Why something is undefined.
        control: It belongs to a control.
        behind: Names of controls it does not beat.
        best: It is told apart from all others as the best.
        whisker: Its drawing; None where the scale is not 0 to 1 or there is no interval.
    """

    name: str
    group: str
    value: str
    interval: str
    n: str
    clusters: str
    method: str
    bounds: str
    reason: str
    control: bool
    behind: str
    best: bool
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Column:
    """One system of the side-by-side table."""

    name: str
    control: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of the side-by-side table; a system without it has None."""

    name: str
    rest: str
    entries: tuple[Entry | None, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Metrics down, systems (or who found it) across, controls last. `shared` is in words what all rows share."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    shared: str


def side_by_side(
    metrics: Sequence[Metric],
    standings: Sequence[Standing],
    order: Sequence[str] = (),
    best: Collection[tuple[str, str, Cell]] = (),
) -> SideBySide:
    """Return the metrics with their systems beside each other; where none is of a system, those who found it (`by`).

    Args:
        metrics: What is shown.
        standings: How systems stand beside controls.
        order: Systems from best to worst; others follow as they come, controls last of all.
        best: Metric, system and rest of the group where a system is told apart as the best.
    """
    ranks = {name: rank for rank, name in enumerate(order)}
    across = "by" if metrics and all("by" in one.group and "system" not in one.group for one in metrics) else "system"
    names: dict[str, bool] = {}
    for metric in metrics:
        name = metric.group.get(across, "")
        names[name] = names.get(name, False) or metric.control
    columns = sorted(names, key=lambda name: (names[name], ranks.get(name, len(ranks))))
    cells: dict[tuple[str, Cell], dict[str, Metric]] = {}
    for metric in metrics:
        rest = rest_of({key: value for key, value in metric.group.items() if key != across})
        cells.setdefault((metric.name, rest), {})[metric.group.get(across, "")] = metric
    rests = [set(rest) for _, rest in cells]
    shared = set.intersection(*rests) if rests else set()
    rows = tuple(
        Row(
            one_line(name),
            _words(tuple(pair for pair in rest if pair not in shared)),
            _even([_optional(row.get(column), standings, best) for column in columns]),
        )
        for (name, rest), row in cells.items()
    )
    return SideBySide(
        tuple(Column(one_line(name) or "all", names[name]) for name in columns), rows, _words(tuple(sorted(shared)))
    )


def entry(metric: Metric, standings: Sequence[Standing] = (), best: Collection[tuple[str, str, Cell]] = ()) -> Entry:
    """Return one metric as it is shown."""
    estimate = metric.estimate
    key = (metric.name, metric.group.get("system", ""), rest_of(metric.group))
    behind = [name for one in standings if (one.metric, one.system, one.rest) == key for name in one.not_beaten]
    bounds, places = estimate.bounds, decimals(estimate)
    return Entry(
        name=one_line(metric.name),
        group=_words(tuple(sorted(metric.group.items()))),
        value=shown(estimate),
        interval=interval(estimate),
        n=count(estimate.n),
        clusters=count(estimate.clusters),
        method=f"{one_line(estimate.method)}, {estimate.level:.0%}" if estimate.method else "",
        bounds=f"{number(bounds[0], places)} to {number(bounds[1], places)}" if bounds else "",
        reason=one_line(estimate.reason or ""),
        control=metric.control,
        behind=one_line(", ".join(behind)),
        best=key in best,
        whisker=_whisker(estimate),
    )


def definitions(metrics: Sequence[Metric]) -> list[tuple[str, str]]:
    """Return each metric's name with its definition, once; a name with several definitions has several rows."""
    pairs = dict.fromkeys((metric.name, metric.definition) for metric in metrics if metric.definition)
    return [(one_line(name), one_line(definition, 2_000)) for name, definition in pairs]


def _optional(
    metric: Metric | None, standings: Sequence[Standing], best: Collection[tuple[str, str, Cell]]
) -> Entry | None:
    return None if metric is None else entry(metric, standings, best)


def _even(row: Sequence[Entry | None]) -> tuple[Entry | None, ...]:
    """Return a row with the drawings of all its intervals, or, where one reaches out of 0 to 1, of none."""
    if all(one is None or one.whisker or not one.interval for one in row):
        return tuple(row)
    return tuple(one and replace(one, whisker=None) for one in row)


def _words(pairs: Cell) -> str:
    return one_line(", ".join(f"{key} {value}" for key, value in pairs))


def _whisker(estimate: Estimate) -> Whisker | None:
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or low < 0 or high > 1:
        return None
    return Whisker(round(value * 100, 2), round(low * 100, 2), round(high * 100, 2))
