"""The tables of a leak audit: leaky units by kind, and every system with and without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import count, with_interval
from mysteryshopper.report.seekers import Table
from mysteryshopper.report.text import one_line

SHARE, RECALL, UNITS = "hits_from_leaks@", "label_recall@", "leaky_units"
"""Names of the metrics that an audit is told from."""

_KINDS = {
    "history": "linked in the history",
    "named": "named in the history",
    "reply": "named by the user",
    "attribute": "in an answer's value",
    "any": "counted as leaky",
}

Arm = tuple[str, str]
"""Setting and user."""


def by_system(own: Sequence[Metric], name: str, leaks: str, list_: str) -> dict[str, Metric]:
    """Return one metric of an arm by system: on `all` units or those `free` of leaks, of one list (else empty)."""
    return {
        one.group["system"]: one
        for one in own
        if one.name == name and one.group.get("leaks") == leaks and one.group.get("list", "") == list_
    }


def units_table(arms: Mapping[Arm, Sequence[Metric]]) -> Table:
    """Return how many units of each arm leak, by kind."""
    rows: list[tuple[str, ...]] = [("setting", "units", *_KINDS.values())]
    for arm, own in arms.items():
        found = [one for one in own if one.name == UNITS]
        sizes = [float(one.estimate.n) for one in found]
        cells = [[one.estimate.value or 0.0 for one in found if one.group["leak"] == kind] for kind in _KINDS]
        rows.append((where(arm), *map(_range, (sizes, *cells))))
    return Table("Units in which a target was given away, by how; a range where systems differ", tuple(rows))


def _range(values: Sequence[float]) -> str:
    if not values:
        return "–"
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def recall_table(arms: Mapping[Arm, Sequence[Metric]], depths: Sequence[int]) -> Table:
    """Return every system's recall on all units and on those without a leak, and what of it is from leaks."""
    parts = ("all", "without a leak", "from leaks")
    rows: list[tuple[str, ...]] = [("system", *(f"@{k}, {part}" for k in depths for part in parts))]
    for arm, own in arms.items():
        for list_ in dict.fromkeys(one.group.get("list", "") for one in own if one.name.startswith(SHARE)):
            place = f"{where(arm)}, {list_}" if list_ else where(arm)
            columns = [column for k in depths for column in _columns(own, k, list_)]
            for system, one in by_system(own, f"{RECALL}{depths[0]}", "all", list_).items():
                name = f"{one_line(system)}{' (control)' if one.control else ''}, {place}"
                rows.append((name, *(column.get(system, "–") for column in columns)))
    caption = f"{RECALL}k on all units and on those without a leak, and the share of finds that leaky ones hold"
    return Table(caption, tuple(rows))


def share_of(own: Sequence[Metric], k: int, list_: str) -> dict[str, float | None]:
    """Return by system the share of what it found within k that lies in leaky units."""
    return {
        one.group["system"]: one.estimate.value
        for one in own
        if one.name == f"{SHARE}{k}" and one.group.get("list", "") == list_
    }


def _columns(own: Sequence[Metric], k: int, list_: str) -> list[dict[str, str]]:
    """Return three columns by system: recall on all units, without leaks, and the share from leaks."""
    found = [by_system(own, f"{RECALL}{k}", leaks, list_) for leaks in ("all", "free")]
    shares = {name: "–" if value is None else f"{value:.0%}" for name, value in share_of(own, k, list_).items()}
    return [*({name: with_interval(one.estimate) for name, one in column.items()} for column in found), shares]


def where(arm: Arm) -> str:
    """Return an arm in words."""
    setting, user = arm
    return one_line(f"{setting} with {user}" if user else setting)
