"""Curves of what grows turn by turn, one line a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import with_interval
from mysteryshopper.report.plots.figure import Figure, short_labels
from mysteryshopper.report.text import one_line

_GROWING = ("label_recall_by_turn", "preference_coverage")
_MOST_LINES, _MOST_FIGURES = 8, 6
_LONGEST = 30


def turn_figures(metrics: Sequence[Metric], tones: Mapping[str, str]) -> list[Figure]:
    """Return a plot for each measure of a share by system turn, user and list, over all units; one turn is no curve.

    Args:
        metrics: The numbers of a run.
        tones: Colour name of every system.
    """
    found: dict[tuple[str, str, str], dict[str, dict[int, Metric]]] = {}
    for one in metrics:
        group = one.group
        told = one.name.split("@", 1)[0] in _GROWING and {"turn", "system"} <= group.keys()
        if told and group.get("leaks") == "all" and one.estimate.value is not None:
            key = one.name, group.get("user", ""), group.get("list", "")
            found.setdefault(key, {}).setdefault(group["system"], {})[int(group["turn"])] = one
    wide = len({user for _, user, _ in found}) > 1
    made: list[Figure] = []
    for (name, user, list_), systems in found.items():
        last = max(max(turns) for turns in systems.values())
        if last > 1:
            title = one_line(", ".join(part for part in (name, list_, user if wide else "") if part))
            made.append(_figure(len(made) + 1, title, systems, last, tones))
    return made[:_MOST_FIGURES]


def _figure(
    place: int, title: str, systems: Mapping[str, Mapping[int, Metric]], last: int, tones: Mapping[str, str]
) -> Figure:
    ranked = sorted(systems.items(), key=lambda one: (_final(one[1]).control, -(_final(one[1]).estimate.value or 0.0)))
    names = short_labels([system for system, _ in ranked[:_MOST_LINES]], _LONGEST)
    labels = {
        system: label + (" (control)" if _final(systems[system]).control else "") for system, label in names.items()
    }
    rows: list[Mapping[str, Any]] = [
        {"label": labels[system], "turn": turn, "share": one.estimate.value}
        for system in labels
        for turn, one in sorted(systems[system].items())
    ]
    table: list[tuple[str, ...]] = [("system", *(f"turn {turn}" for turn in range(1, last + 1)))]
    for system, label in labels.items():
        cells = (systems[system].get(turn) for turn in range(1, last + 1))
        table.append((label, *("–" if one is None else with_interval(one.estimate) for one in cells)))
    left = len(systems) - len(labels)
    return Figure(
        f"by-turn-{place}",
        "lines",
        f"{title}, by turn" + (f" ({len(labels)} of {len(systems)} systems)" if left else ""),
        "Value after each system turn, over all units; the table has the values with their intervals.",
        tuple(rows),
        tuple(labels.values()),
        {label: tones.get(system, "series1") for system, label in labels.items()},
        tuple(table),
    )


def _final(turns: Mapping[int, Metric]) -> Metric:
    return turns[max(turns)]
