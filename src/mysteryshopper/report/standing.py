"""How systems stand beside the controls, and which numbers make the headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import higher_is_better, number
from mysteryshopper.report.text import one_line

Cell = tuple[tuple[str, str], ...]
"""A group without its system: what must be equal for two numbers to stand side by side."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One system against the controls on one metric.

    Attributes:
        metric: Name of the metric.
        system: Name of the system block.
        rest: The rest of the group.
        not_beaten: Controls whose value is as high or higher.
        overlapping: Controls that are lower, but whose interval overlaps the system's.
        sentence: The same in words; empty where every control is clearly lower.
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


def headline_names(metrics: Sequence[Metric], most: int = 4) -> list[str]:
    """Return the first few names of metrics, in their order."""
    return list(dict.fromkeys(metric.name for metric in metrics))[:most]


def standings(metrics: Sequence[Metric]) -> list[Standing]:
    """Return how every system that is no control stands, on every metric where more is better.

    Undefined values are not compared. Overlapping intervals don't show that two systems are equal; they say that this
    run can't tell them apart by its intervals alone.
    """
    controls: dict[tuple[str, Cell], list[Metric]] = {}
    for metric in metrics:
        if metric.control and metric.estimate.value is not None:
            controls.setdefault((metric.name, rest_of(metric.group)), []).append(metric)
    found = []
    for metric in metrics:
        rivals = controls.get((metric.name, rest_of(metric.group)), [])
        if not metric.control and rivals and "system" in metric.group and higher_is_better(metric.name):
            found.append(_stand(metric, rivals))
    return [standing for standing in found if standing is not None]


def _stand(metric: Metric, rivals: Sequence[Metric]) -> Standing | None:
    value, low = metric.estimate.value, metric.estimate.low
    if value is None:
        return None
    ahead = [rival for rival in rivals if (rival.estimate.value or 0.0) >= value]
    close = [
        rival
        for rival in rivals
        if rival not in ahead and low is not None and rival.estimate.high is not None and low <= rival.estimate.high
    ]
    rest = rest_of(metric.group)
    where = f" ({', '.join(f'{key} {one_line(word)}' for key, word in rest)})" if rest else ""
    start = f"On {one_line(metric.name)}{where}, {one_line(metric.group['system'])} ({number(value)})"
    parts = []
    if ahead:
        parts.append(f"does not beat {_listed(ahead)}")
    if close:
        parts.append(f"is ahead of {_listed(close)} only within overlapping intervals")
    sentence = f"{start} {' and '.join(parts)}." if parts else ""
    return Standing(metric.name, metric.group["system"], rest, _names(ahead), _names(close), sentence)


def _names(metrics: Sequence[Metric]) -> tuple[str, ...]:
    return tuple(metric.group.get("system", "") for metric in metrics)


def _listed(metrics: Sequence[Metric]) -> str:
    return ", ".join(
        f"{one_line(metric.group.get('system', ''))} ({number(metric.estimate.value)})" for metric in metrics
    )
