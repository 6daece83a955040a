"""How systems stand beside each other and beside the controls, and which numbers make the headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.curves import is_of_curve
from mysteryshopper.report.numbers import direction, shown
from mysteryshopper.report.text import one_line
from mysteryshopper.report.where_told import told_where

Cell = tuple[tuple[str, str], ...]
"""A group without its system: what must be equal for two numbers to stand side by side."""

_DIFFERENCE = "_difference"
_ENOUGH = 0.2
_COSTS = frozenset({"latency_p50", "latency_p95", "tokens"})
"""What a reply costs; that a control, which listens to nobody, is quick and cheap says nothing of a system."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One system against the controls on one metric.

    Attributes:
        metric: Name of the metric.
        system: Name of the system block.
        rest: The rest of the group.
        not_beaten: Controls whose value is as good or better.
        overlapping: Controls that are worse, but whose interval overlaps the system's.
        sentence: The same in words; empty where every control is clearly worse.
    """

    metric: str
    system: str
    rest: Cell
    not_beaten: tuple[str, ...]
    overlapping: tuple[str, ...]
    sentence: str


def rest_of(group: Mapping[str, str]) -> Cell:
    """Return a group without its system, sorted."""
    return tuple(sorted((key, value) for key, value in group.items() if key != "system"))


def is_of_system(metric: Metric) -> bool:
    """Whether a number says how one system did: no difference of two, and no judge's word."""
    group = metric.group
    return bool(group.get("system")) and "versus" not in group and "judge" not in group


def headline_names(metrics: Sequence[Metric], most: int = 4) -> list[str]:
    """Return the first few names of metrics, in their order.

    Where there are numbers of systems, only these, and only those that were taken of as many systems as any. Points of
    curves are no headline by themselves.
    """
    metrics = [metric for metric in metrics if not is_of_curve(metric)] or metrics
    systems: dict[str, set[str]] = {}
    for metric in metrics:
        if is_of_system(metric):
            systems.setdefault(metric.name, set()).add(metric.group["system"])
    if not systems:
        return list(dict.fromkeys(metric.name for metric in metrics))[:most]
    widest = max(len(names) for names in systems.values())
    return [name for name, names in systems.items() if len(names) == widest][:most]


def primary(metrics: Sequence[Metric]) -> str:
    """Return the name of the metric that systems are told apart by: the first with a direction, else an empty text."""
    return next((metric.name for metric in metrics if is_of_system(metric) and direction(metric)), "")


def standings(metrics: Sequence[Metric]) -> list[Standing]:
    """Return how every system that is no control stands, on every metric of its service with a direction.

    Undefined values are not compared, nor are controls with less than a fifth as many observations: of a number that
    is taken over successes alone, one that hardly ever succeeds says nothing. Overlapping intervals don't show that
    two systems are equal; they say that this run can't tell them apart by its intervals alone.
    """
    controls: dict[tuple[str, Cell], list[Metric]] = {}
    for metric in metrics:
        if metric.control and metric.estimate.value is not None:
            controls.setdefault((metric.name, rest_of(metric.group)), []).append(metric)
    found = []
    for metric in metrics:
        rivals = [
            rival
            for rival in controls.get((metric.name, rest_of(metric.group)), [])
            if rival.estimate.n >= _ENOUGH * metric.estimate.n
        ]
        served = metric.name not in _COSTS
        if not metric.control and rivals and served and is_of_system(metric) and direction(metric):
            found.append(_stand(metric, rivals))
    return [standing for standing in found if standing is not None]


def _stand(metric: Metric, rivals: Sequence[Metric]) -> Standing | None:
    value, sign = metric.estimate.value, direction(metric)
    if value is None:
        return None
    ahead = [rival for rival in rivals if sign * (rival.estimate.value or 0.0) >= sign * value]
    close = [rival for rival in rivals if rival not in ahead and _overlap(metric.estimate, rival.estimate)]
    rest = rest_of(metric.group)
    where = f", {told_where(rest)}" if rest else ""
    start = f"On {one_line(metric.name)}{where}, {one_line(metric.group['system'])} ({shown(metric.estimate)})"
    parts = []
    if ahead:
        parts.append(f"does not beat {_listed(ahead)}")
    if close:
        parts.append(f"is ahead of {_listed(close)} only within overlapping intervals")
    sentence = f"{start} {' and '.join(parts)}." if parts else ""
    return Standing(metric.name, metric.group["system"], rest, _names(ahead), _names(close), sentence)


def _overlap(one: Estimate, other: Estimate) -> bool:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low <= other.high and other.low <= one.high


Certainty = Literal["clear", "open", "unknown"]
"""Whether a run tells two systems apart; `unknown` where neither a difference nor two intervals are at hand."""


@dataclass(frozen=True, slots=True)
class Race:
    """All systems on one metric, for one rest of the group.

    Attributes:
        metric: Name of the metric.
        rest: The rest of the group (the user, the setting).
        sign: 1 where higher is better, -1 where lower is.
        runners: Systems that are no controls, best first; undefined values are left out.
        controls: Controls, best first.
        differences: Paired differences by (system, versus); each in both directions.
    """

    metric: str
    rest: Cell
    sign: int
    runners: tuple[Metric, ...]
    controls: tuple[Metric, ...]
    differences: Mapping[tuple[str, str], Estimate]

    def certainty(self, better: Metric, worse: Metric) -> Certainty:
        """Say whether the run tells two of them apart: by their paired difference, else by their intervals."""
        paired = self.differences.get((better.group["system"], worse.group["system"]))
        if paired is not None and paired.low is not None and paired.high is not None:
            return "clear" if (paired.low > 0 if self.sign > 0 else paired.high < 0) else "open"
        one, other = better.estimate, worse.estimate
        if one.low is None or other.low is None:
            return "unknown"
        return "open" if _overlap(one, other) else "clear"

    @property
    def winner(self) -> str:
        """The system that is told apart from all others, controls included, as the best; empty where none is."""
        if not self.runners or len(self.runners) + len(self.controls) < 2:
            return ""
        best = self.runners[0]
        others = [*self.runners[1:], *self.controls]
        value = self.sign * (best.estimate.value or 0.0)
        if any(self.sign * (other.estimate.value or 0.0) >= value for other in others):
            return ""
        return best.group["system"] if all(self.certainty(best, one) == "clear" for one in others) else ""


def races(metrics: Sequence[Metric], name: str) -> list[Race]:
    """Return the races of one metric, in the order they came; none where the metric has no direction."""
    found: dict[Cell, list[Metric]] = {}
    for metric in metrics:
        if metric.name == name and is_of_system(metric) and direction(metric) and metric.estimate.value is not None:
            found.setdefault(rest_of(metric.group), []).append(metric)
    differences = _differences(metrics, name)
    made = []
    for rest, runners in found.items():
        sign = direction(runners[0])
        ranked = sorted(runners, key=lambda metric: -sign * (metric.estimate.value or 0.0))
        made.append(
            Race(
                name,
                rest,
                sign,
                tuple(metric for metric in ranked if not metric.control),
                tuple(metric for metric in ranked if metric.control),
                differences.get(rest, {}),
            )
        )
    return made


def _differences(metrics: Sequence[Metric], name: str) -> dict[Cell, dict[tuple[str, str], Estimate]]:
    found: dict[Cell, dict[tuple[str, str], Estimate]] = {}
    for metric in metrics:
        group = metric.group
        if metric.name != name + _DIFFERENCE or "system" not in group or "versus" not in group:
            continue
        rest = tuple(pair for pair in rest_of(group) if pair[0] != "versus")
        pairs = found.setdefault(rest, {})
        pairs[group["system"], group["versus"]] = metric.estimate
        pairs.setdefault((group["versus"], group["system"]), _turned(metric.estimate))
    return found


def _turned(estimate: Estimate) -> Estimate:
    from dataclasses import replace

    def minus(value: float | None) -> float | None:
        return None if value is None else -value

    return replace(estimate, value=minus(estimate.value), low=minus(estimate.high), high=minus(estimate.low))


def _names(metrics: Sequence[Metric]) -> tuple[str, ...]:
    return tuple(metric.group.get("system", "") for metric in metrics)


def _listed(metrics: Sequence[Metric]) -> str:
    return ", ".join(f"{one_line(metric.group.get('system', ''))} ({shown(metric.estimate)})" for metric in metrics)
