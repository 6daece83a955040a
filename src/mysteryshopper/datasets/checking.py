"""`data check`: everything that is wrong with a file of one's own, with line numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import DataError
from mysteryshopper.datasets.own import Kind, guess_kind
from mysteryshopper.datasets.own_dialogues import read_dialogues
from mysteryshopper.datasets.own_items import read_items
from mysteryshopper.datasets.ratings import read_ratings, settle
from mysteryshopper.datasets.records import Rating
from mysteryshopper.datasets.rows import read_rows


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found.

    Attributes:
        path: The file.
        kind: What it was read as.
        good: How many items, dialogues or ratings could be read.
        problems: Each as `file:line: what was expected`; nothing is wrong if there are none.
        notes: What is allowed but worth knowing: repeats dropped, ratings that differ.
    """

    path: Path
    kind: Kind
    good: int
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check(path: Path, kind: Kind | None = None, encoding: str = "utf-8") -> Checked:
    """Read a file of one's own to its end and list its problems.

    Args:
        path: A table of items, dialogues or ratings.
        kind: Which; None finds out from its columns.
        encoding: Its encoding.

    Raises:
        DataError: There is no such file, or its ending is not known.
    """
    problems: list[str] = []
    notes: list[str] = []

    def report(error: DataError) -> None:
        problems.append(str(error))

    rows = read_rows(path, encoding, report)
    try:
        known = kind or guess_kind(read_rows(path, encoding, lambda _: None))
    except DataError as error:
        return Checked(path, kind or "items", 0, (str(error),))
    good = 0
    if known == "items":
        good = _count(read_items(path, rows, report), report)
    elif known == "dialogues":
        good = _count(read_dialogues(path, rows, report=report), report)
    else:
        ratings: list[Rating] = []
        _count(read_ratings(path, rows, report), report, ratings.append)
        settled = settle(ratings)
        good = len(settled.rows)
        if settled.repeated:
            notes.append(f"{settled.repeated} exact repeats are dropped")
        notes += [
            f"{path}:{pair.dropped.line}: {pair.dropped.user!r} rated {pair.dropped.item!r} twice and differently;"
            f" line {pair.kept.line} is newer and is kept"
            for pair in settled.conflicts
        ]
    if not good and not problems:
        problems.append(f"{path}: expected at least one row of {known}, found none")
    return Checked(path, known, good, tuple(problems), tuple(notes))


def _count(
    records: Iterable[object],
    report: Callable[[DataError], None],
    keep: Callable[..., None] = lambda _: None,
) -> int:
    """Read records to the end, or to an error of the file as a whole."""
    count = 0
    try:
        for record in records:
            keep(record)
            count += 1
    except DataError as error:
        report(error)
    return count
