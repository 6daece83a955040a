"""Systems compared on the same histories, in plain sentences: who gives the better replies, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import count, with_interval
from mysteryshopper.report.text import one_line

_RATE = "root_win_rate"
_OVERALL = "overall"
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Duel:
    """One pair of systems by one judge: who is ahead, what the controls say, and whether it is clear."""

    text: str
    beside: str
    sure: str


def duels(metrics: Sequence[Metric]) -> list[Duel]:
    """Return a sentence for each judge, user and pair of systems that are no controls; none where there was no tree.

    Of each judge's criteria it is the one named `overall`, else the first.
    """
    found = [metric for metric in metrics if metric.name == _RATE and metric.estimate.value is not None]
    told: list[Duel] = []
    for judge, user in dict.fromkeys((one.group["judge"], one.group.get("user", "")) for one in found):
        own = [one for one in found if (one.group["judge"], one.group.get("user", "")) == (judge, user)]
        criteria = [one.group["criterion"] for one in own]
        criterion = _OVERALL if _OVERALL in criteria else criteria[0]
        asked = [one for one in own if one.group["criterion"] == criterion]
        users = {one.group.get("user", "") for one in found}
        who = one_line(f"{judge} on {criterion}" + (f", users {user}" if len(users) > 1 else ""))
        beside = "; ".join(_pair(one) for one in asked if one.control)
        told += [
            _duel(one, who, f"With controls: {beside}." if beside and not place else "")
            for place, one in enumerate([one for one in asked if not one.control])
        ]
    return told


def _duel(metric: Metric, who: str, beside: str) -> Duel:
    found = metric.estimate
    first, second = one_line(metric.group["system"]), one_line(metric.group["versus"])
    value = found.value or 0.0
    ahead, behind = (first, second) if value >= _EVEN else (second, first)
    roots = f"{_RATE} of {first} {with_interval(found)}, over {count(found.clusters or 0)} roots, by {who}"
    if found.low is None or found.high is None:
        if value == _EVEN:
            return Duel(f"{first} and {second} are level on the same histories ({roots}).", beside, "open")
        return Duel(f"{ahead} is ahead of {behind}, how surely is not known ({roots}).", beside, "open")
    if found.low <= _EVEN <= found.high:
        return Duel(f"This run can't tell {first} from {second} on the same histories ({roots}).", beside, "open")
    return Duel(f"{ahead} gives better replies than {behind} to the same histories ({roots}).", beside, "clear")


def _pair(metric: Metric) -> str:
    names = one_line(f"{metric.group['system']} against {metric.group['versus']}")
    return f"{names} {with_interval(metric.estimate)}"
