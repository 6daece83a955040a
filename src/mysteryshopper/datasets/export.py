"""Tables out to CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mysteryshopper.core import Json

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Json]]) -> None:
    """Write rows as CSV (UTF-8, CRLF), with texts that a spreadsheet would run as formulas made harmless.

    A text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front. Numbers stay
    numbers, and None becomes an empty cell. Where texts must stay as they are, write JSON.

    Args:
        path: The file; an existing one is replaced.
        columns: Columns in order; a row's other keys are left out, and missing ones are empty cells.
        rows: The rows.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([neutral(name) for name in columns])
        writer.writerows([neutral(row.get(name)) for name in columns] for row in rows)


def neutral(value: Json) -> Json:
    """Return a cell's value, with an apostrophe before a text that a spreadsheet would run."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
