"""Two against each other, in plain sentences: systems on the same histories, simulated users on the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import count, p_value, with_interval
from mysteryshopper.report.text import one_line

_RATE, _SHOWN = "root_win_rate", "wanted_shown_difference"
_OVERALL = "overall"
_USERS, _USERS_RATE, _ALL = "users", "win_rate", "all"
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Duel:
    """One pair by one judge: who is ahead, what the controls say, and whether it is clear."""

    text: str
    beside: str
    sure: str


@dataclass(frozen=True, slots=True)
class _Words:
    """How a sort of duel is spoken of.

    Attributes:
        better: What the one who is ahead does better than the other.
        where: On what they were compared.
        over: What the rate is taken over.
    """

    better: str
    where: str
    over: str


_OF_SYSTEMS = _Words("gives better replies than {behind} to the same histories", "on the same histories", "roots")
_OF_USERS = _Words("plays the same people better than {behind}", "as simulators of the same people", "people")


def duels(metrics: Sequence[Metric]) -> list[Duel]:
    """Return a sentence for each judge and pair: of systems in trees, or of simulated users; none where none met."""
    return [*_of_systems(metrics), *_of_users(metrics)]


def _of_systems(metrics: Sequence[Metric]) -> list[Duel]:
    """Return a sentence for each judge, user and pair of systems that are no controls.

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
        controls = "; ".join(_pair(one) for one in asked if one.control)
        controls = f"With controls: {controls}." if controls else ""
        told += [
            _duel(
                one,
                who,
                " ".join(filter(None, (_looked_up(one, metrics), controls if not place else ""))),
                _OF_SYSTEMS,
            )
            for place, one in enumerate([one for one in asked if not one.control])
        ]
    return told


def _of_users(metrics: Sequence[Metric]) -> list[Duel]:
    """Return the order by each judge, where more than two met, and a sentence for each pair of simulated users.

    Both are by all criteria of the judge together, or by the only one.
    """
    about = [one for one in metrics if one.group.get("about") == _USERS and one.estimate.value is not None]
    told: list[Duel] = []
    for judge in dict.fromkeys(one.group["judge"] for one in about):
        own = [one for one in about if one.group["judge"] == judge and "system" not in one.group]
        criteria = {one.group["criterion"] for one in own}
        if _ALL not in criteria and len(criteria) > 1:
            continue  # no protocol of its own: simulators that happened to be compared
        asked = [one for one in own if one.group["criterion"] == _ALL or len(criteria) == 1]
        who = one_line(f"{judge} on {_ALL if _ALL in criteria else criteria.pop()}" + " criteria" * (_ALL in criteria))
        ranks = sorted((one for one in asked if one.name == "rank"), key=lambda one: one.estimate.value or 0.0)
        if ranks and ranks[0].estimate.value == ranks[-1].estimate.value:
            told.append(Duel(f"The simulated users are level {_OF_USERS.where} (rank, by {who}).", "", "open"))
        elif ranks:
            order = one_line(", ".join(f"{one.group['user']} {with_interval(one.estimate)}" for one in ranks))
            beside, sure = _apart(ranks)
            told.append(Duel(f"The order of the simulated users is {order} (rank, by {who}).", beside, sure))
        told += [_duel(one, who, "", _OF_USERS) for one in asked if one.name == _USERS_RATE]
    return told


def _apart(ranks: Sequence[Metric]) -> tuple[str, str]:
    """Return which places of an order are open, and whether any is; neighbours are apart if their intervals are."""
    if any(one.estimate.low is None or one.estimate.high is None for one in ranks):
        return "How sure the places are is not known.", "open"
    open_: dict[str, None] = {}
    for first, second in pairwise(ranks):
        if (first.estimate.high or 0.0) >= (second.estimate.low or 0.0):
            open_ |= dict.fromkeys((one_line(first.group["user"]), one_line(second.group["user"])))
    if not open_:
        return "", "clear"
    return f"In which order {', '.join(open_)} come is open: the intervals of their places overlap.", "open"


def _duel(metric: Metric, who: str, beside: str, words: _Words) -> Duel:
    found, group = metric.estimate, metric.group
    first, second = (
        one_line(group.get("user", "") if words is _OF_USERS else group["system"]),
        one_line(group["versus"]),
    )
    value = found.value or 0.0
    ahead, behind = (first, second) if value >= _EVEN else (second, first)
    clusters = count(found.clusters or 0)
    roots = f"{metric.name} of {first} {with_interval(found)}, over {clusters} {words.over}, by {who}"
    if found.low is None or found.high is None:
        if value == _EVEN:
            return Duel(f"{first} and {second} are level {words.where} ({roots}).", beside, "open")
        return Duel(f"{ahead} is ahead of {behind}, how surely is not known ({roots}).", beside, "open")
    if found.low <= _EVEN <= found.high:
        return Duel(f"This run can't tell {first} from {second} {words.where} ({roots}).", beside, "open")
    return Duel(f"{ahead} {words.better.format(behind=behind)} ({roots}).", beside, "clear")


def _looked_up(pair: Metric, metrics: Sequence[Metric]) -> str:
    """Return what is known of a pair without any judge: whose replies show what meets the wish more often."""
    place = {key: value for key, value in pair.group.items() if key in ("user", "system", "versus")}
    found = next((one.estimate for one in metrics if one.name == _SHOWN and dict(one.group) == place), None)
    if found is None or found.value is None:
        return ""
    first, second = one_line(pair.group["system"]), one_line(pair.group["versus"])
    test = f", {p_value(found.p)}" if found.p is not None else ""
    told = f"({_SHOWN} of {first} {with_interval(found)}{test})"
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return f"Looked up without a judge, neither is shown to find what is wanted more often {told}."
    ahead, behind = (first, second) if found.value > 0 else (second, first)
    return f"Looked up without a judge, {ahead} shows what is wanted more often than {behind} {told}."


def _pair(metric: Metric) -> str:
    names = one_line(f"{metric.group['system']} against {metric.group['versus']}")
    return f"{names} {with_interval(metric.estimate)}"
