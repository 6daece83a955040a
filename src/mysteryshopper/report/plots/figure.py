"""One plot, before it is drawn: plain rows and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mysteryshopper.report.text import one_line

Kind = Literal["intervals", "shares", "lines", "criteria", "curves", "heat", "rounds"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One plot.

    Attributes:
        name: Name of its files, from our own words alone.
        kind: How it is drawn.
        title: What it shows, in a few words.
        description: The same in a sentence.
        rows: What is drawn; the keys depend on the kind.
        order: Labels of rows, first on top.
        tones: Colour name by series, in order.
        table: The same numbers to read: a head, then rows; empty where a table near by has them.
        note: A sentence beneath it.
    """

    name: str
    kind: Kind
    title: str
    description: str
    rows: tuple[Mapping[str, Any], ...]
    order: tuple[str, ...]
    tones: Mapping[str, str] = field(default_factory=dict)
    table: tuple[tuple[str, ...], ...] = ()
    note: str = ""


def short_labels(names: Iterable[str], longest: int) -> dict[str, str]:
    """Return a label on one line for every name, no two of them equal, so that no two are drawn as one.

    Args:
        names: Names from anywhere.
        longest: Most characters of a label, but for the mark that tells it from an equal one.
    """
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        label = one_line(name, longest)
        while label in taken:
            label += "\u2032"
        taken.add(label)
        labels[name] = label
    return labels
