"""Sheets as CSV files that open in any spreadsheet; what is behind their codes stays in the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mysteryshopper.core import Json, Message, ShopperError
from mysteryshopper.datasets import write_csv
from mysteryshopper.dialogue import shorten
from mysteryshopper.experiment.labels.keeping import key_of, key_path, write_key
from mysteryshopper.experiment.labels.records import FOLDER, Asked, Copy, Entry
from mysteryshopper.experiment.summary import unwritable
from mysteryshopper.judges.showing import Line, lines

SHEET, ANNOTATOR, ITEM, NOTE = "sheet", "annotator", "item", "note"

_FACTS = "what the catalogue says"

_LONGEST = 4_000  # characters of a cell; the page beside the sheet holds all
_SPEAKERS: Mapping[str, str] = {
    "person": "Person",
    "recommender": "Recommender",
    "note": "About the person",
    "tool": "Tool",
}


def write_copies(run: Path, copies: Sequence[Copy]) -> list[Path]:
    """Write a sheet's copies into `labels/SHEET/` of a run, and its key beside that folder.

    Raises:
        ShopperError: The sheet was written before, and may have been filled in since; or it can't be written.
    """
    folder = run / FOLDER / copies[0].sheet
    if key_path(run, copies[0].sheet).exists() or folder.exists():
        raise ShopperError(
            f"{folder} is there already and may hold votes: read them with `mysteryshopper label {run} --read FILE`,"
            " or draw another sheet with another --seed."
        )
    paths = []
    try:
        folder.mkdir(parents=True)
        write_key(run, key_of(copies))
        for copy in copies:
            path = folder / f"annotator-{copy.annotator}.csv"
            write_csv(path, columns_of(copy), (_row(copy, entry) for entry in copy.entries))
            paths.append(path)
    except OSError as error:
        raise unwritable(folder, error) from error
    return paths


def columns_of(copy: Copy) -> list[str]:
    """Return the columns of a copy: what names it, a column to fill in for each question, a note, and the words.

    Where anything is known of the items that are shown, one column says it.
    """
    words = ["A", "B"] if len(copy.entries[0].shown) == 2 else ["dialogue"]
    facts = [_FACTS] if any(entry.facts for entry in copy.entries) else []
    return [ITEM, *map(head_of, copy.asked), NOTE, "question", "before", *words, *facts, SHEET, ANNOTATOR]


def head_of(asked: Asked) -> str:
    """Return the head of the column that a question is answered in."""
    return f"{asked.criterion} ({asked.answers})"


def _row(copy: Copy, entry: Entry) -> dict[str, Json]:
    words = ["A", "B"] if len(entry.shown) == 2 else ["dialogue"]
    shown = [_cell(entry.case.exhibits[place].messages) for place in entry.shown]
    return {
        SHEET: copy.sheet,
        ANNOTATOR: copy.annotator,
        ITEM: entry.item,
        "question": "\n".join(f"{asked.criterion}: {asked.question}" for asked in copy.asked),
        "before": _cell(entry.case.context),
        **dict(zip(words, shown, strict=True)),
        **(
            {_FACTS: shorten("\n".join(f"{name}: {told}" for name, told in entry.facts), _LONGEST)}
            if entry.facts
            else {}
        ),
    }


def _cell(messages: Sequence[Message]) -> str:
    return shorten("\n".join(map(spoken, lines(messages))), _LONGEST)


def spoken(line: Line) -> str:
    """Return a line with its speaker, as people read it."""
    if line.who == "gap":
        return f"[{line.text} messages left out]"
    told = f"{_SPEAKERS[line.who]}: {line.text}".rstrip()
    return f"{told} [shown: {'; '.join(line.items)}]" if line.items else told
