"""More than two systems on the same histories, in a sentence: their order, how far apart they are, or why not."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.core import Metric
from mysteryshopper.report.duels import Duel
from mysteryshopper.report.numbers import with_interval
from mysteryshopper.report.text import one_line

_STRENGTH, _RANK, _OVERALL = "strength", "rank", "overall"
_MOST_NAMES = 8


def strengths_told(metrics: Sequence[Metric]) -> list[Duel]:
    """Return a sentence for each judge and user, on the criterion `overall`, else the first; none without ranks."""
    found: dict[tuple[str, str, str], dict[str, dict[str, Metric]]] = {}
    for metric in metrics:
        group = metric.group
        if metric.name in (_STRENGTH, _RANK) and {"judge", "criterion", "system"} <= group.keys():
            key = (group["judge"], group["criterion"], group.get("user", ""))
            found.setdefault(key, {}).setdefault(group["system"], {})[metric.name] = metric
    told = []
    users = {user for _, _, user in found}
    for judge, user in dict.fromkeys((judge, user) for judge, _, user in found):
        criteria = [criterion for one, criterion, who in found if (one, who) == (judge, user)]
        criterion = _OVERALL if _OVERALL in criteria else criteria[0]
        by = one_line(f"by {judge} on {criterion}" + (f", users {user}" if len(users) > 1 else ""))
        told.append(_told(found[judge, criterion, user], by))
    return told


def _told(systems: dict[str, dict[str, Metric]], by: str) -> Duel:
    ranked = sorted(
        (one for one in systems.values() if _RANK in one and one[_RANK].estimate.value is not None),
        key=lambda one: one[_RANK].estimate.value or 0.0,
    )
    strengths = [one[_STRENGTH] for one in ranked if _STRENGTH in one]
    reasons = [
        one.estimate.reason for parts in systems.values() for one in parts.values() if one.estimate.value is None
    ]
    why = one_line(next((reason for reason in reasons if reason), ""))
    if not ranked:
        return Duel(f"The systems are not ranked ({by}): {why}.", "", "open")
    if any(one.estimate.value is None for one in strengths):
        names = [_name(one[_RANK]) for one in ranked]
        return Duel(f"In order: {_listed(names)} ({by}). How far apart they are can't be told: {why}.", "", "open")
    names = [f"{_name(one)} {with_interval(one.estimate)}" for one in strengths]
    ends = [(one.estimate.low, one.estimate.high) for one in strengths[:2]]
    apart = len(ends) > 1 and ends[0][0] is not None and ends[1][1] is not None and ends[0][0] > ends[1][1]
    return Duel(f"In order of strength: {_listed(names)} (Bradley-Terry, {by}).", "", "clear" if apart else "open")


def _name(metric: Metric) -> str:
    return one_line(metric.group["system"]) + (" (control)" if metric.control else "")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
