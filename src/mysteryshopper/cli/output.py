"""How results reach the screen: tables on a terminal, plain lines elsewhere, nothing that could steer the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from mysteryshopper.experiment.sheets import Sheet

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """Return a text with its control characters written out as escapes; tabs and line breaks stay."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def say(text: str, file: IO[str] | None = None) -> None:
    """Print a text on a line of its own."""
    print(plain(text), file=file or sys.stdout)


def show(sheets: Iterable[Sheet], file: IO[str] | None = None) -> None:
    """Print tables: drawn on a terminal, else as aligned columns without a line's end of spaces."""
    out = file or sys.stdout
    for place, sheet in enumerate(sheets):
        if place:
            print(file=out)
        if out.isatty():
            _draw(sheet, out)
        else:
            _write(sheet, out)


def _write(sheet: Sheet, out: IO[str]) -> None:
    say(sheet.title, out)
    if sheet.rows:
        table = [[plain(cell).replace("\n", " ") for cell in row] for row in (sheet.columns, *sheet.rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(sheet.columns))]
        for row in table:
            print(
                "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), file=out
            )
    for note in sheet.notes:
        say(f"  {note}", out)


def _draw(sheet: Sheet, out: IO[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=out, highlight=False)
    console.print(Text(plain(sheet.title), style="bold"))
    if sheet.rows:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in sheet.columns:
            table.add_column(column, overflow="fold")
        for row in sheet.rows:
            table.add_row(*(Text(plain(cell)) for cell in row))
        console.print(table)
    for note in sheet.notes:
        console.print(Text(plain(note)))
