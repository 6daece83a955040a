"""Two runs against each other on one page: differences, what else differs, and dialogues beside each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from mysteryshopper import __version__
from mysteryshopper.experiment.comparing import Compared, Comparison, Moved
from mysteryshopper.report.numbers import count, interval, number, p_value
from mysteryshopper.report.templating import content_hash, environment, read_part
from mysteryshopper.report.text import one_line
from mysteryshopper.report.turns import Turn, turns_of

MOST_BYTES = 1_200_000
"""Characters of dialogues that the page shows beside each other, after which there are no further ones."""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One difference as it is shown; every field is text, `reading` one of better, worse and unclear."""

    metric: str
    who: str
    first: str
    second: str
    difference: str
    interval: str
    p: str
    detectable: str
    shared: str
    unpaired: str
    reading: str
    reason: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Two dialogues over one unit; `sides` holds the name of a run, how its dialogue ended, and its turns."""

    unit: str
    wish: str
    change: str
    values: str
    sides: tuple[tuple[str, str, tuple[Turn, ...]], ...]


def difference_rows(comparison: Comparison) -> list[DifferenceRow]:
    """Return the differences as they are shown; safe for a terminal."""
    return [_row(row) for row in comparison.rows]


def verdict(comparison: Comparison) -> str:
    """Return in one sentence what the first difference says."""
    if not comparison.shared or not comparison.rows:
        return "Nothing could be compared."
    row = comparison.rows[0]
    shown = _row(row)
    if comparison.first.resolve() == comparison.second.resolve():
        (one, other), between = side_names(comparison), "and"
        names = {"better": f"{other} did better", "worse": f"{other} did worse"}
        what = names.get(shown.reading, "this does not show which did better")
        one, other = f"{one} ", f"{other} "
    else:
        one, other, between = "", "", "and then"
        names = {"better": "the second run did better", "worse": "the second run did worse"}
        what = names.get(shown.reading, "this does not show which run did better")
    values = f"{one}{shown.first} {between} {other}{shown.second}"
    found = f"{shown.metric}: {values}, a difference of {shown.difference}"
    chance = f"{shown.interval}, {shown.p}" if shown.interval else shown.p
    return one_line(f"{found} ({chance}, {shown.shared} shared units): {what}.", 500)


def side_names(comparison: Comparison) -> tuple[str, str]:
    """Return what the two sides are called: the runs' folders, or the systems where both are of one run."""
    if comparison.first.resolve() == comparison.second.resolve() and len(comparison.pairs) == 1:
        first, second = comparison.pairs[0]
        return one_line(first), one_line(second)
    return one_line(comparison.first.resolve().name), one_line(comparison.second.resolve().name)


def write_comparison(path: str | Path, comparison: Comparison) -> Path:
    """Write a comparison as one HTML file that opens from disk; an older one is replaced in one step.

    Args:
        path: The file to write.
        comparison: What it shows.

    Returns:
        The path written.
    """
    target = Path(path)
    draft = target.with_name(target.name + ".part")
    draft.write_bytes(render_comparison(comparison).encode("utf-8", "replace"))
    os.replace(draft, target)
    return target


def render_comparison(comparison: Comparison) -> str:
    """Return a comparison as HTML text: no scripts, nothing fetched, everything from the runs shown as text."""
    style = read_part("report.css") + read_part("compare.css")
    names = side_names(comparison)
    beside = _beside(comparison, names)
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            style=Markup(style),  # noqa: S704 - our file
            style_hash=content_hash(style),
            version=__version__,
            names=names,
            verdict=verdict(comparison),
            comparison=comparison,
            rows=difference_rows(comparison),
            settings=[(setting, one_line(setting.key)) for setting in comparison.settings],
            short=lambda text: "–" if text is None else one_line(text, 200),
            warnings=[one_line(warning, 2_000) for warning in comparison.warnings],
            pairs=[" and ".join(dict.fromkeys(map(one_line, pair))) for pair in comparison.pairs],
            beside=beside,
            left_out=len(comparison.moved) - len(beside),
            count=count,
        )
    )


def _row(row: Compared) -> DifferenceRow:
    found = row.difference
    places = 2 if row.first is None or max(abs(row.first), abs(row.second or 0)) < 100 else 1
    who = [row.user, row.systems[0] if row.systems[0] == row.systems[1] else f"{row.systems[0]} / {row.systems[1]}"]
    first, second = row.unpaired
    return DifferenceRow(
        metric=one_line(row.metric),
        who=one_line(", ".join(filter(None, who))),
        first=number(row.first, places),
        second=number(row.second, places),
        difference=_signed(found.value, places),
        interval=interval(found),
        p="" if found.p is None else p_value(found.p),
        detectable=number(found.detectable, places),
        shared=count(found.n),
        unpaired=f"{count(first)} / {count(second)}",
        reading=_reading(row),
        reason=one_line(found.reason or ""),
    )


def _reading(row: Compared) -> str:
    low, high = row.difference.low, row.difference.high
    if low is None or high is None or row.better is None or low <= 0 <= high:
        return "unclear"
    return "better" if (low > 0) == (row.better == "higher") else "worse"


def _signed(value: float | None, places: int) -> str:
    text = number(value, places)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def _beside(comparison: Comparison, names: tuple[str, str]) -> list[Beside]:
    shown: list[Beside] = []
    used = 0
    for moved in comparison.moved:
        if not moved.dialogues:
            continue
        nodes = [node for stored in moved.dialogues for node in stored.dialogue.nodes]
        size = sum(len(message.text) for node in nodes for message in node.messages)
        if shown and used + size > MOST_BYTES:
            break
        used += size
        shown.append(_pair(moved, names))
    return shown


def _pair(moved: Moved, names: Sequence[str]) -> Beside:
    sides = []
    for name, stored in zip(names, moved.dialogues, strict=True):
        dialogue, unit = stored.dialogue, stored.unit
        fault = f", fault {dialogue.fault}: {dialogue.detail}" if dialogue.fault != "none" else ""
        ended = one_line(f"{unit.system}: {dialogue.ended}{fault}")
        sides.append((name, ended, turns_of(dialogue.nodes, unit.user, unit.system, ())))
    values = f"{number(moved.first)} → {number(moved.second)}"
    wish = one_line(str(moved.dialogues[0].dialogue.data.get("wish") or ""), 1_000)
    return Beside(one_line(" · ".join(moved.unit.split("|"))), wish, moved.change, values, tuple(sides))
