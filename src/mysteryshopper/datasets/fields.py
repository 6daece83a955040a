"""Values out of rows: ids that stay strings, numbers, lists, and errors that say what was expected."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from mysteryshopper.core import DataError, Json
from mysteryshopper.datasets.rows import Row


class Fields:
    """One row, read field by field; every error names the file, the line and what was expected."""

    def __init__(self, path: Path, row: Row) -> None:
        """Read from a row of a file."""
        self.path = path
        self.line = row.line
        self.values = dict(row.values)

    def error(self, message: str) -> DataError:
        """Return the error for this row."""
        return DataError(message, path=self.path, line=self.line)

    def take(self, names: Sequence[str]) -> Json:
        """Return the value of the first of these columns that the row has, or None; taken columns are gone."""
        for name in names:
            if name in self.values:
                return self.values.pop(name)
        return None

    def id(self, names: Sequence[str]) -> str:
        """Return an id as a string; an error if it is missing. See `as_id`."""
        value = self.take(names)
        name = as_id(value)
        if name is None:
            got = "it is missing" if value is None else f"got {value!r}"
            raise self.error(f"expected an id in {_either(names)}, but {got}")
        return name

    def text(self, names: Sequence[str]) -> str:
        """Return a text; empty where it is missing. Numbers are written out."""
        value = self.take(names)
        if value is None:
            return ""
        text = as_id(value)
        if text is None:
            raise self.error(f"expected text in {_either(names)}, got {value!r}")
        return text

    def number(self, names: Sequence[str]) -> float | None:
        """Return a number, or None where it is missing."""
        value = self.take(names)
        if value is None:
            return None
        try:
            number = float(value) if not isinstance(value, bool) else None
        except (TypeError, ValueError):
            number = None
        if number is None or number != number or number in (float("inf"), float("-inf")):
            raise self.error(f"expected a number in {_either(names)}, got {value!r}")
        return number

    def year(self, names: Sequence[str]) -> int | None:
        """Return a year from 1 to 9999, or None where it is missing."""
        number = self.number(names)
        if number is None:
            return None
        if not number.is_integer() or not 1 <= number <= 9999:
            raise self.error(f"expected a year such as 1999 in {_either(names)}, got {number:g}")
        return int(number)

    def words(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return a list of texts. See `as_words`."""
        value = self.take(names)
        words = as_words(value)
        if words is None:
            raise self.error(f"expected a list of texts in {_either(names)}, got {value!r}")
        return words


def as_id(value: Json) -> str | None:
    """Return an id as a string: text as it is (`007` stays), whole numbers without `.0`; None for anything else.

    A whole number that came as a float lost its form to a missing cell in its column; the id never had the `.0`.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return None


def as_words(value: Json) -> tuple[str, ...] | None:
    """Return texts from a list, or from one text set apart by `|`; repeats are dropped. None for anything else."""
    if value is None:
        return ()
    parts = value.split("|") if isinstance(value, str) else value if isinstance(value, (list, tuple)) else [value]
    texts = [as_id(part) for part in parts]
    if any(text is None for text in texts):
        return None
    return tuple(dict.fromkeys(text.strip() for text in texts if text is not None and text.strip()))


def _either(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)
