"""How systems bear rising noise: curves over rates of each kind, their trends, and what was left of the wish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.text import one_line

JUDGED, SERVED = "noisy_win_rate", "wanted_shown_noisy"
EVEN = 0.5
"""Where judged curves start: a reply against itself."""

_TRENDS = {JUDGED: "robustness_trend", SERVED: "wanted_shown_trend"}
_INTENT, _CLEAN = "intent_findable", "wanted_shown"
_OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Curve:
    """One system under one kind of noise.

    Attributes:
        system: Name of the system block.
        points: Rate and estimate, rates rising.
        trend: Change for one whole unit of rate; None where there is none.
        control: The system is a control.
    """

    system: str
    points: tuple[tuple[float, Estimate], ...]
    trend: Estimate | None
    control: bool

    @property
    def falls(self) -> bool | None:
        """Whether it falls more surely than by chance, by interval and by test; None where it has no interval."""
        if self.trend is None or self.trend.high is None:
            return None
        by_test = self.trend.p is None or self.trend.p < 1 - self.trend.level
        return self.trend.high < 0 and by_test


@dataclass(frozen=True, slots=True)
class Panel:
    """All systems under one kind of noise, by one measure.

    Attributes:
        metric: Name of the measure.
        judge: By whom and on what, in words; empty where no judge is asked.
        user: Name of the user block.
        noise: Kind of noise.
        curves: One a system.
        intent: Share of the wish's values that could still be read, by rate, over all systems together.
    """

    metric: str
    judge: str
    user: str
    noise: str
    curves: tuple[Curve, ...]
    intent: tuple[tuple[float, float], ...]

    @property
    def measure(self) -> str:
        """What is measured, by whom."""
        return one_line(f"{self.metric} by {self.judge}" if self.judge else self.metric)


def is_on_curve(metric: Metric) -> bool:
    """Whether a number is one point of a curve: of one kind of noise at one rate."""
    return {"noise", "rate"} <= metric.group.keys()


def is_of_curve(metric: Metric) -> bool:
    """Whether a number is a point of a curve, or its trend."""
    return is_on_curve(metric) or metric.name in _TRENDS.values()


def panels(metrics: Sequence[Metric]) -> list[Panel]:
    """Return the curves of a run: those of each judge's headline first, kind by kind, then those that need no judge.

    Of a judge's criteria it is the one named `overall`, else the first. Kinds without a rate have no curve. A curve
    starts at rate 0 with what is known there: one half for a judged one, else the value of clean queries.
    """
    found: dict[tuple[str, str, str, str, str], list[Metric]] = {}
    criteria: dict[str, list[str]] = {}
    for metric in metrics:
        if metric.name in _TRENDS and is_on_curve(metric):
            group = metric.group
            judge, criterion = group.get("judge", ""), group.get("criterion", "")
            if criterion not in criteria.setdefault(judge, []):
                criteria[judge].append(criterion)
            found.setdefault((metric.name, judge, criterion, group["user"], group["noise"]), []).append(metric)
    first = {judge: _OVERALL if _OVERALL in names else names[0] for judge, names in criteria.items()}
    made = []
    for (name, judge, criterion, user, noise), points in found.items():
        if criterion == first[judge]:
            who = f"{judge} on {criterion}" if judge else ""
            place = {"user": user, "noise": noise} | ({"judge": judge, "criterion": criterion} if judge else {})
            starts = [] if judge else [one for one in metrics if one.name == _CLEAN and one.group["user"] == user]
            curves = _curves(points, [one for one in metrics if one.name == _TRENDS[name]], place, starts)
            made.append(Panel(name, who, user, noise, curves, _intent(metrics, user, noise)))
    return made


def headline_panels(found: Sequence[Panel]) -> list[Panel]:
    """Return the curves that the result is told by: the first judge's, else those that need none."""
    if not found:
        return []
    lead = found[0]
    return [one for one in found if (one.metric, one.judge) == (lead.metric, lead.judge)]


def _curves(
    points: Sequence[Metric], trends: Sequence[Metric], place: Mapping[str, str], starts: Sequence[Metric]
) -> tuple[Curve, ...]:
    made = []
    for system in dict.fromkeys(metric.group["system"] for metric in points):
        own = [metric for metric in points if metric.group["system"] == system]
        clean = Estimate(EVEN) if "judge" in place else _value_of(system, starts)
        held = ({} if clean is None else {0.0: clean}) | {float(one.group["rate"]): one.estimate for one in own}
        line = tuple(sorted(held.items(), key=lambda point: point[0]))
        group = {**place, "system": system}
        trend = next((one.estimate for one in trends if dict(one.group) == group), None)
        made.append(Curve(system, line, trend, own[0].control))
    return tuple(made)


def _value_of(system: str, starts: Sequence[Metric]) -> Estimate | None:
    return next((one.estimate for one in starts if one.group["system"] == system), None)


def _intent(metrics: Sequence[Metric], user: str, noise: str) -> tuple[tuple[float, float], ...]:
    """Return by rate the mean over systems of the share that could still be read, weighed by its observations.

    At rate 0 all of it can be read, by definition.
    """
    held: dict[float, list[tuple[float, int]]] = {}
    for metric in metrics:
        group, value = metric.group, metric.estimate.value
        here = metric.name == _INTENT and is_on_curve(metric) and (group["user"], group["noise"]) == (user, noise)
        if here and value is not None:
            held.setdefault(float(group["rate"]), []).append((value, metric.estimate.n))
    if any(n for parts in held.values() for _, n in parts):
        held.setdefault(0.0, [(1.0, 1)])
    return tuple(
        (rate, fsum(value * n for value, n in parts) / fsum(n for _, n in parts))
        for rate, parts in sorted(held.items())
        if any(n for _, n in parts)
    )
