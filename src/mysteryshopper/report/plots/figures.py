"""What a report plots, as plain rows: which numbers, of whom, in which order. Drawing knows nothing of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mysteryshopper.core import Metric
from mysteryshopper.report.curves import is_of_curve
from mysteryshopper.report.index import OUTCOMES, Index
from mysteryshopper.report.numbers import direction, number, shown, with_interval
from mysteryshopper.report.plots.by_turn import turn_figures
from mysteryshopper.report.plots.confusions import style_figures
from mysteryshopper.report.plots.figure import Figure, short_labels
from mysteryshopper.report.plots.noise import noise_figures
from mysteryshopper.report.plots.rankings import ranking_figures
from mysteryshopper.report.plots.trees import tree_figures
from mysteryshopper.report.standing import headline_names, is_of_system
from mysteryshopper.report.text import one_line

MOST_ROWS = 24
"""Rows of one plot."""

_MOST_LINES = 8
_LONGEST = 30  # characters of a label
_PAIRS = {"wins": "win", "ties": "tie", "inconsistent": "inconsistent", "losses": "loss"}
_TONES: Mapping[str, str] = {
    "success": "good",
    "done_without": "fair",
    "gave_up": "poor",
    "max_turns": "mild",
    "other": "control",
    "answered": "good",
    "fault_user": "worse",
    "fault_judge": "worse",
    "fault_infra": "worse",
    "fault_system": "bad",
    "win": "good",
    "tie": "fair",
    "inconsistent": "mild",
    "loss": "poor",
}


def figures(metrics: Sequence[Metric], index: Index, controls: Iterable[str]) -> list[Figure]:
    """Return the plots of a run; those that would show nothing are left out."""
    aside = set(controls)
    tones = _system_tones(metrics)
    found = [
        *noise_figures(metrics, tones),
        *tree_figures(metrics),
        *style_figures(metrics),
        *ranking_figures(metrics),
        *_intervals(metrics),
    ]
    found.extend(one for one in (_outcomes(index, aside), _turns(index, aside, tones)) if one is not None)
    found.extend(turn_figures(metrics, tones))
    pairs = _pairs(metrics)
    # what simulated users are compared for comes first, as where systems are
    of_users = any(one.group.get("about") == "users" and one.group.get("criterion") == "all" for one in metrics)
    found = [*pairs, *found] if of_users else [*found, *pairs]
    found.extend(_criteria(metrics, tones))
    return found


def _system_tones(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the colour name of every system, the same in all plots; after eight they come again."""
    systems = dict.fromkeys(metric.group["system"] for metric in metrics if "system" in metric.group)
    return {system: f"series{place % _MOST_LINES + 1}" for place, system in enumerate(systems)}


def _intervals(metrics: Sequence[Metric]) -> list[Figure]:
    made = []
    names = [name for name in headline_names(metrics) if any(_drawable(one) for one in metrics if one.name == name)]
    for place, name in enumerate(names, 1):
        of_name = [metric for metric in metrics if metric.name == name and _drawable(metric)]
        wide = len({_arm_rest(metric) for metric in of_name}) > 1
        sign = direction(of_name[0]) or 1
        places = {rest: place for place, rest in enumerate(dict.fromkeys(_arm_rest(one) for one in of_name))}
        ranked = sorted(of_name, key=_by(places, sign))[:MOST_ROWS]
        labels = short_labels((_words(metric, wide) for metric in ranked), _LONGEST)
        rows = tuple(
            {
                "label": labels[_words(metric, wide)] + (" (control)" if metric.control else ""),
                "value": metric.estimate.value,
                "low": metric.estimate.low,
                "high": metric.estimate.high,
                "told": shown(metric.estimate),
                "tone": "control" if metric.control else "system",
            }
            for metric in ranked
        )
        better = {1: "more is better", -1: "less is better", 0: ""}[direction(of_name[0])]
        about = "" if wide else _about(of_name[0])
        title = one_line(name + (f", {about}" if about else "")) + (f" – {better}" if better else "")
        text = "; ".join(f"{row['label']} {with_interval(one.estimate)}" for row, one in zip(rows, ranked, strict=True))
        order = tuple(dict.fromkeys(str(row["label"]) for row in rows))
        made.append(Figure(f"metric-{place}", "intervals", title, f"Value and interval. {text}.", rows, order))
    return made


def _by(places: Mapping[str, int], sign: int) -> Callable[[Metric], tuple[int, bool, float]]:
    """Return the key that sorts by group as they came, controls last, best first."""
    return lambda one: (places[_arm_rest(one)], one.control, -sign * (one.estimate.value or 0.0))


def _drawable(metric: Metric) -> bool:
    estimate = metric.estimate
    plain = is_of_system(metric) and not is_of_curve(metric)
    return plain and estimate.value is not None and estimate.method != "count"


def _arm_rest(metric: Metric) -> str:
    return ", ".join(f"{value}" for key, value in sorted(metric.group.items()) if key != "system")


def _about(metric: Metric) -> str:
    """Return what all rows of a plot share besides the user, such as the kind of noise."""
    return ", ".join(f"{key} {value}" for key, value in metric.group.items() if key not in ("system", "user"))


def _words(metric: Metric, wide: bool) -> str:
    return " · ".join([metric.group["system"], *([_arm_rest(metric)] if wide else [])])


def _outcomes(index: Index, controls: set[str]) -> Figure | None:
    present = index.outcomes
    if len(present) < 2:
        return None
    wide = len({user for user, _ in index.counts}) > 1
    users = list(dict.fromkeys(user for user, _ in index.counts))
    arms = sorted(
        index.counts,
        key=lambda arm: (users.index(arm[0]), arm[1] in controls, -_share(index.counts[arm], "success")),
    )
    rows: list[Mapping[str, Any]] = []
    table: list[tuple[str, ...]] = [("system", *(OUTCOMES[key] for key in present), "dialogues")]
    for arm in arms[:MOST_ROWS]:
        counts = index.counts[arm]
        total = sum(counts.values())
        label = _arm(arm, wide, controls)
        for place, key in enumerate(present):
            rows.append({"label": label, "series": OUTCOMES[key], "share": counts.get(key, 0) / total, "place": place})
        table.append((label, *(f"{counts.get(key, 0):,}" for key in present), f"{total:,}"))
    tones = {OUTCOMES[key]: _TONES[key] for key in present}
    return Figure(
        "outcomes",
        "shares",
        "How dialogues came out",
        "Shares of all dialogues by outcome, one bar a system; the table has the counts.",
        tuple(rows),
        tuple(dict.fromkeys(str(row["label"]) for row in rows)),
        tones,
        tuple(table),
    )


def _share(counts: Mapping[str, int], key: str) -> float:
    return counts.get(key, 0) / max(sum(counts.values()), 1)


def _arm(arm: tuple[str, str], wide: bool, controls: set[str]) -> str:
    user, system = arm
    words = one_line(" · ".join(part for part in (system, user if wide else "") if part), _LONGEST) or "all"
    return words + (" (control)" if system in controls else "")


def _turns(index: Index, controls: set[str], tones_of: Mapping[str, str]) -> Figure | None:
    if not index.served:
        return None
    wide = len({one.user for one in index.served}) > 1
    users = list(dict.fromkeys(one.user for one in index.served))
    arms = sorted(
        index.served,
        key=lambda one: (users.index(one.user), one.system in controls, -sum(one.by_turn) / one.n),
    )
    arms = arms[:_MOST_LINES]
    last = max(len(one.by_turn) for one in arms)
    if last < 2:
        return None
    rows: list[Mapping[str, Any]] = []
    order: list[str] = []
    tones: dict[str, str] = {}
    table: list[tuple[str, ...]] = [("system", *(f"turn {turn}" for turn in range(1, last + 1)), "dialogues")]
    for place, one in enumerate(arms, 1):
        label = _arm((one.user, one.system), wide, controls)
        done = [sum(one.by_turn[:turn]) / one.n for turn in range(last + 1)]
        rows.extend({"label": label, "turn": turn, "share": share} for turn, share in enumerate(done))
        order.append(label)
        tones[label] = f"series{place}" if wide else tones_of.get(one.system, f"series{place}")
        table.append((label, *(number(share) for share in done[1:]), f"{one.n:,}"))
    return Figure(
        "turns",
        "lines",
        "Served by turn",
        "Share of dialogues that had ended well and had been shown the wanted item by each system turn; the table has"
        " the values.",
        tuple(rows),
        tuple(order),
        tones,
        tuple(table),
    )


def _pairs(metrics: Sequence[Metric]) -> list[Figure]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for metric in metrics:
        group, value = metric.group, metric.estimate.value
        if metric.name not in _PAIRS or value is None:
            continue
        if (where := _pair_place(group)) is not None:
            found.setdefault(where[0], {}).setdefault(where[1], {})[_PAIRS[metric.name]] = value
    made = []
    for place, (judge, pairs) in enumerate(found.items(), 1):
        rows: list[Mapping[str, Any]] = []
        table: list[tuple[str, ...]] = [("pair", *_PAIRS.values())]
        labels = short_labels(list(pairs)[:MOST_ROWS], _LONGEST)
        for pair, label in labels.items():
            shares = pairs[pair]
            total = sum(shares.values()) or 1.0
            for order, name in enumerate(_PAIRS.values()):
                row = {"label": label, "series": name, "share": shares.get(name, 0.0) / total, "place": order}
                rows.append(row)
            table.append((label, *(number(shares.get(name, 0.0)) for name in _PAIRS.values())))
        made.append(
            Figure(
                f"pairs-{place}",
                "shares",
                f"Pair by pair: {judge}",
                "Shares of pairs that the first won, tied or lost, or on which the two orders disagree.",
                tuple(rows),
                tuple(labels.values()),
                {name: _TONES[name] for name in _PAIRS.values()},
                tuple(table),
            )
        )
    return made


def _pair_place(group: Mapping[str, str]) -> tuple[str, str] | None:
    """Return which plot a pair's number belongs to, and its row; None where it is drawn nowhere.

    Of two systems there is a plot for each criterion; of two simulated users one for each pair, with all criteria and
    all systems together.
    """
    if not {"versus", "judge", "criterion"} <= group.keys():
        return None
    if group.get("about") == "users":
        pair = f"{group['judge']}: {group.get('user', '')} against {group['versus']}"
        return None if "system" in group else (one_line(pair), group["criterion"])
    if "system" not in group:
        return None
    rest = [value for key, value in sorted(group.items()) if key in ("criterion", "user")]
    return one_line(", ".join([group["judge"], *rest])), f"{group['system']} against {group['versus']}"


def _scales(metrics: Sequence[Metric]) -> dict[tuple[str, str], str]:
    """Return by judge and criterion on which scale its values lie, so that one plot holds like with like."""
    highest: dict[tuple[str, str], float] = {}
    for metric in metrics:
        key = (metric.group.get("judge", ""), metric.group.get("criterion", ""))
        ends = (metric.estimate.value, metric.estimate.high)
        highest[key] = max(highest.get(key, 0.0), *(abs(end) for end in ends if end is not None), 0.0)
    return {
        key: "shares" if most <= 1 else "up to 5" if most <= 5 else "up to 10" if most <= 10 else "larger"
        for key, most in highest.items()
    }


def _criteria(metrics: Sequence[Metric], tones: Mapping[str, str]) -> list[Figure]:
    found: dict[str, list[Metric]] = {}
    scales = _scales(metrics)
    for metric in metrics:
        group = metric.group
        told = {"judge", "criterion", "system"} <= group.keys() and not {"label", "versus", "noise"} & group.keys()
        if told and metric.estimate.value is not None and metric.estimate.low is not None:
            rest = [value for key, value in sorted(group.items()) if key == "user"]
            scale = scales[group["judge"], group["criterion"]]
            found.setdefault(", ".join([f"{metric.name} of {group['judge']}", *rest, scale]), []).append(metric)
    made = []
    for place, (title, scores) in enumerate(found.items(), 1):
        scored = list(dict.fromkeys(metric.group["system"] for metric in scores))
        systems = scored[:_MOST_LINES]
        part = f" ({len(systems)} of {len(scored)} systems)" if len(systems) < len(scored) else ""
        asked = short_labels((metric.group["criterion"] for metric in scores), _LONGEST)
        names = short_labels(systems, _LONGEST)
        rows = tuple(
            {
                "label": asked[metric.group["criterion"]],
                "series": names[metric.group["system"]],
                "value": metric.estimate.value,
                "low": metric.estimate.low,
                "high": metric.estimate.high,
            }
            for metric in scores
            if metric.group["system"] in systems
        )
        table: list[tuple[str, ...]] = [("criterion", "system", "value")]
        table.extend(
            (one_line(one.group["criterion"]), one_line(one.group["system"]), with_interval(one.estimate))
            for one in scores
        )
        made.append(
            Figure(
                f"criteria-{place}",
                "criteria",
                one_line(title) + part,
                "What a judge gave each system on each criterion, with intervals; the table has the values.",
                rows,
                tuple(dict.fromkeys(str(row["label"]) for row in rows)),
                {names[name]: tones[name] for name in systems},
                tuple(table),
            )
        )
    return made
