"""What a leak audit found, and what a setting measured: repeating, looking attributes up, or more than that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.inputs import ReportInput, system_kinds
from mysteryshopper.report.leak_tables import (
    RECALL,
    SHARE,
    UNITS,
    Arm,
    by_system,
    recall_table,
    share_of,
    units_table,
)
from mysteryshopper.report.numbers import count, with_interval
from mysteryshopper.report.seekers import Table
from mysteryshopper.report.standing import races, rest_of
from mysteryshopper.report.text import one_line
from mysteryshopper.report.where_told import told_first

_REPEATS, _LOOKS_UP = "copy-history", "attribute-overlap"  # kinds of the controls that show what is measured
_CONTROLS = {
    _REPEATS: "what repeating the history reaches",
    _LOOKS_UP: "what looking up the told attributes reaches",
    "popularity": "what recommending the same to everybody reaches",
}
_MUCH, _NEARLY = 0.5, 0.8
_NONE = "No system under test is clearly ahead of it"
_LOOKED_UP = " So this setting measures the look-up of attributes before anything else."


@dataclass(frozen=True, slots=True)
class Audit:
    """What the audit found.

    Attributes:
        sentences: What each setting measured, in plain words.
        units: A table of leaky units by kind.
        recall: A table of every system with and without leaks.
    """

    sentences: tuple[str, ...]
    units: Table
    recall: Table


def leak_audit(report: ReportInput) -> Audit | None:
    """Return what the leak audit of a run found; None for a run without one."""
    metrics = [one for one in report.metrics if {"setting", "system"} <= one.group.keys() and "judge" not in one.group]
    depths = sorted({int(one.name.removeprefix(SHARE)) for one in metrics if one.name.startswith(SHARE)})
    if not depths:
        return None
    kinds = system_kinds(report.experiment)
    arms: dict[Arm, list[Metric]] = {}
    for one in metrics:
        if "versus" not in one.group:
            arms.setdefault((one.group["setting"], one.group.get("user", "")), []).append(one)
    told: list[str] = []
    for arm, own in arms.items():
        given = " ".join(_given_away(arm, own, kinds, depths[0]))
        told.extend([given] if given else [])
        told.extend(_looked_up(arm, metrics, kinds, depths))
    told.extend(_missed(kinds))
    return Audit(tuple(told), units_table(arms), recall_table(arms, depths))


def _given_away(arm: Arm, own: Sequence[Metric], kinds: Mapping[str, str], k: int) -> Iterator[str]:
    """Yield how much of what the best system found at a depth lies in leaky units, and what repeating reaches."""
    leaky = [one.estimate for one in own if one.name == UNITS and one.group["leak"] == "any"]
    most = max(leaky, key=lambda one: one.value or 0.0, default=Estimate(0.0))
    if not most.value:
        return
    yield (
        f"{_first(arm)}, a target was given away before it was recommended in {count(most.value)} of"
        f" {count(most.n)} units ({most.value / most.n:.0%})."
    )
    found = {list_: by_system(own, f"{RECALL}{k}", "all", list_) for list_ in ("", "shown")}
    name, values = next(((list_, one) for list_, one in found.items() if one), ("", {}))
    listeners = [one for one in values.values() if not one.control and one.estimate.value is not None]
    best = max(listeners, key=lambda one: one.estimate.value or 0.0, default=None)
    share, fewer = 0.0, False
    if best is not None and best.estimate.value:
        system = best.group["system"]
        clean = by_system(own, f"{RECALL}{k}", "free", name)[system].estimate
        share, labels = share_of(own, k, name)[system] or 0.0, 1 - clean.n / best.estimate.n
        low, high = best.estimate.low, clean.high
        fewer = low is not None and high is not None and high < low
        yield (
            f"Of what {one_line(system)} found at {k} there, {share:.0%} lies in those units, which have"
            f" {labels:.0%} of the labels: its {RECALL}{k} is {with_interval(best.estimate)} on all units"
            f"{f' and {with_interval(clean)} without a leak' if clean.n else '; none is without a leak'}."
        )
    copies = [one for one in values.values() if kinds.get(one.group["system"]) == _REPEATS]
    copy = max(copies, key=lambda one: one.estimate.value or 0.0, default=None)
    reached = 0.0 if copy is None else copy.estimate.value or 0.0
    if copy is not None and reached and best is not None and reached >= (best.estimate.value or 0.0):
        yield (
            f"{one_line(copy.group['system'])}, which only repeats what was mentioned, reaches"
            f" {with_interval(copy.estimate)}: no system under test does better."
        )
    if fewer and share > _MUCH:
        yield f"Leaks decide {RECALL}{k} here; read it without them."


def _looked_up(arm: Arm, metrics: Sequence[Metric], kinds: Mapping[str, str], depths: Sequence[int]) -> Iterator[str]:
    """Yield what the look-up control reaches where users or templates tell attributes, and who is ahead of it."""
    setting, user = arm
    if setting not in ("attribute", "free"):
        return
    names = ["success"] if setting == "free" else [f"{RECALL}{k}" for k in depths]
    rest = {"setting": setting, "leaks": "all"} | ({"user": user} if user else {})
    held = [race for name in names for race in races(metrics, name) if dict(race.rest) == rest]
    lookers = [one for race in held[:1] for one in race.controls if kinds.get(one.group["system"]) == _LOOKS_UP]
    if not lookers:
        return
    who = lookers[0].group["system"]
    reached: list[str] = []
    ahead: list[str] = []
    alone = False
    for race in held:
        looker = next((one for one in race.controls if one.group["system"] == who), None)
        if looker is None:
            continue
        before = _in_original(metrics, race.metric, who) if setting == "attribute" else None
        beside = f" ({with_interval(before)} in original)" if before is not None else ""
        reached.append(f"{race.metric} {with_interval(looker.estimate)}{beside}")
        value, low = looker.estimate.value or 0.0, looker.estimate.low or 0.0
        best = max((one.estimate.value or 0.0 for one in race.runners), default=0.0)
        alone = alone or (low >= _MUCH and value >= _NEARLY * best)
        ahead += [
            f"{one_line(one.group['system'])} ({race.metric} {with_interval(one.estimate)})"
            for one in race.runners
            if (one.estimate.value or 0.0) > value and race.certainty(one, looker) == "clear"
        ]
    yield (
        f"{_first(arm)}, {one_line(who)}, which only counts the values that items share with what was"
        f" told, reaches {' and '.join(reached)}. {'Clearly ahead of it: ' + ', '.join(ahead) if ahead else _NONE}."
        f"{_LOOKED_UP if alone else ''}"
    )


def _first(arm: Arm) -> str:
    setting, user = arm
    return told_first((("setting", setting), *((("user", user),) if user else ())))


def _missed(kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield which of the controls did not take part, and what is not known without them."""
    missed = {kind: what for kind, what in _CONTROLS.items() if kind not in kinds.values()}
    if missed:
        named = "; ".join(f"{what} ({kind})" for kind, what in missed.items())
        yield f"What is not known here, for want of a control: {named}."


def _in_original(metrics: Sequence[Metric], name: str, system: str) -> Estimate | None:
    rest = rest_of({"setting": "original", "leaks": "all"})
    found = (one for one in metrics if one.name == name and one.group["system"] == system)
    return next((one.estimate for one in found if rest_of(one.group) == rest), None)
