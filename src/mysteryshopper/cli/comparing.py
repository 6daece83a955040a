"""`compare`: two runs against each other, as a table and as a page."""

from __future__ import annotations

import sys
from pathlib import Path

from mysteryshopper.cli.output import say, show
from mysteryshopper.core import ShopperError
from mysteryshopper.experiment.comparing import Comparison, compare
from mysteryshopper.experiment.sheets import Sheet
from mysteryshopper.report.compare import difference_rows, side_names, verdict, write_comparison

DONE, FAILED = 0, 1

_COLUMNS = (
    "metric",
    "user, system",
    "first",
    "second",
    "difference",
    "interval",
    "p",
    "detectable",
    "shared",
    "unpaired",
)
_MOST_SETTINGS = 20


def compare_folders(first: Path, second: Path, systems: tuple[str, str] | None, out: Path | None) -> int:
    """Compare two runs and print what came out; return the exit code: 1 where they share nothing.

    Raises:
        ShopperError: They can't be compared, or the page can't be written.
    """
    found = compare(first, second, systems)
    show(_sheets(found))
    say("")
    say(verdict(found))
    for warning in found.warnings:
        say(f"mind: {warning}", sys.stderr)
    if out is not None:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            say(f"page: {write_comparison(out, found)}")
        except OSError as error:
            raise ShopperError(f"{out} can't be written: {error.strerror or error}.") from error
    return DONE if found.shared else FAILED


def _sheets(found: Comparison) -> list[Sheet]:
    rows = tuple(
        (
            row.metric,
            row.who,
            row.first,
            row.second,
            row.difference,
            row.interval or "–",
            row.p or "–",
            row.detectable,
            row.shared,
            row.unpaired,
        )
        for row in difference_rows(found)
    )
    one_run = found.first.resolve() == found.second.resolve()
    first, second = side_names(found) if one_run else (found.first, found.second)
    reasons = tuple(dict.fromkeys(f"{row.metric}: {row.reason}" for row in difference_rows(found) if row.reason))
    sheets = [
        Sheet(
            f"{second} minus {first}, over {found.shared:,} shared units",
            _COLUMNS,
            rows,
            (*reasons, f"by {found.outcome}: {found.count('won'):,} won, {found.count('lost'):,} lost")
            if rows
            else reasons,
        )
    ]
    if found.settings:
        settings = [(one.key, one.first or "–", one.second or "–") for one in found.settings[:_MOST_SETTINGS]]
        more = len(found.settings) - len(settings)
        notes = (f"and {more:,} more",) if more else ()
        sheets.append(Sheet("What differs in the experiments", ("key", "first", "second"), tuple(settings), notes))
    return sheets
