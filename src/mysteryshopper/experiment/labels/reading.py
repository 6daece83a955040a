"""Filled-in sheets back into votes: whatever does not fit is named by file and line, and then nothing is kept."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import DataError, Json, ShopperError
from mysteryshopper.datasets.files import read_text
from mysteryshopper.experiment.labels.keeping import Key, Keyed, keep_votes, kept_votes, keys
from mysteryshopper.experiment.labels.records import FOLDER, Asked, Vote
from mysteryshopper.experiment.labels.sampling import judged_cases
from mysteryshopper.experiment.labels.writing import ANNOTATOR, ITEM, NOTE, SHEET
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.verdict_shelf import case_key

_MOST = 20  # mistakes that one error names
_TIE = "tie"
_SIDES: Mapping[str, float] = {"a": 0.0, "b": 1.0, _TIE: 0.5}


@dataclass(frozen=True, slots=True)
class Taken:
    """What was read of one annotator.

    Attributes:
        annotator: Their name.
        file: The file.
        votes: How many answers.
        blank: How many questions are left open.
        replaced: How many votes of theirs, read before, these replace.
    """

    annotator: str
    file: Path
    votes: int
    blank: int
    replaced: int


@dataclass(frozen=True, slots=True)
class _Read:
    """One file as read."""

    file: Path
    votes: tuple[Vote, ...]
    blank: int
    sheets: frozenset[tuple[str, str]]  # sheet and annotator


def take_votes(run: Path, store: RunStore, files: Sequence[Path], encoding: str = "utf-8") -> list[Taken]:
    """Read filled-in sheets and keep their votes in the run; an annotator's earlier votes on a sheet are replaced.

    Args:
        run: The run's folder.
        store: Its store.
        files: The sheets.
        encoding: Their encoding.

    Raises:
        ShopperError: A file is none of this run's sheets, a vote can't be read, a pair has changed since the sheet was
            written, or two files are by the same annotator. Nothing is kept then.
    """
    known = keys(run)
    if not known:
        raise ShopperError(
            f"{run} has written no sheet (nothing in {run / FOLDER}): make one with `mysteryshopper label {run}`."
        )
    read, mistakes = [], []
    for file in files:
        found, wrong = _read(file, known, encoding)
        read.append(found)
        mistakes += wrong
    mistakes += _twice(read)
    if mistakes:
        more = f"; and {len(mistakes) - _MOST} more" if len(mistakes) > _MOST else ""
        raise ShopperError(f"nothing was kept, as these votes can't be read: {'; '.join(mistakes[:_MOST])}{more}.")
    _check_unchanged(store, known, {vote.sheet for one in read for vote in one.votes})
    old = kept_votes(run)
    new = {pair for one in read for pair in one.sheets}
    stay = [vote for vote in old if (vote.sheet, vote.annotator) not in new]
    keep_votes(run, [*stay, *(vote for one in read for vote in one.votes)])
    return [
        Taken(
            ", ".join(sorted(name for _, name in one.sheets)),
            one.file,
            len(one.votes),
            one.blank,
            sum((vote.sheet, vote.annotator) in one.sheets for vote in old),
        )
        for one in read
    ]


def _read(file: Path, known: Mapping[str, Key], encoding: str) -> tuple[_Read, list[str]]:
    votes: list[Vote] = []
    mistakes: list[str] = []
    sheets: set[tuple[str, str]] = set()
    seen: dict[tuple[str, str], int] = {}
    blank = 0
    for line, row in _rows(file, encoding):
        where = f"{file}:{line}"
        key = known.get(row.get(SHEET, ""))
        if key is None:
            mistakes.append(
                f"{where}: the sheet {row.get(SHEET, '')!r} is none of this run's ({', '.join(sorted(known))})"
            )
            continue
        keyed = key.items.get(row.get(ITEM, ""))
        annotator = row.get(ANNOTATOR, "")
        if keyed is None or not annotator:
            what = f"there is no item {row.get(ITEM, '')!r} on the sheet" if keyed is None else "no annotator is named"
            mistakes.append(f"{where}: {what}")
            continue
        first = seen.setdefault((annotator, keyed.case), line)
        if first != line:
            mistakes.append(f"{where}: item {row[ITEM]} stands in line {first} already")
            continue
        sheets.add((key.sheet, annotator))
        for asked in key.asked:
            given = next((cell for head, cell in row.items() if _names(head, asked)), "")
            if not given:
                blank += 1
                continue
            value = vote_of(given, asked)
            if value is None:
                mistakes.append(
                    f"{where}: {asked.criterion} of item {row[ITEM]} takes {asked.answers}, got {given[:40]!r}"
                )
                continue
            votes.append(_vote(key, keyed, asked, annotator, value, row.get(NOTE, "")))
    if not sheets and not mistakes:
        mistakes.append(f"{file} holds no row")
    return _Read(file, tuple(votes), blank, frozenset(sheets)), mistakes


def _names(head: str, asked: Asked) -> bool:
    return head == asked.criterion or head.startswith(f"{asked.criterion} (")


def _vote(key: Key, keyed: Keyed, asked: Asked, annotator: str, value: Json, note: str) -> Vote:
    turned = 1 - value if asked.sort == "pair" and keyed.swapped else value
    return Vote(
        key.sheet,
        annotator,
        keyed.case,
        asked.criterion,
        asked.sort,
        turned,
        keyed.cluster,
        keyed.user,
        keyed.systems,
        asked.low,
        asked.high,
        asked.labels,
        keyed.about,
        note,
    )


def vote_of(given: str, asked: Asked) -> Json:
    """Return the value of a cell as it stands on the sheet, or None where it is no answer to the question.

    Letter case and spaces around do not count; a number may have a decimal comma.
    """
    text = given.strip().casefold()
    if asked.sort == "pair":
        return _SIDES.get(text)
    if asked.sort == "label":
        return next((label for label in asked.labels if label.casefold() == text), None)
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if asked.low <= number <= asked.high else None


def _rows(file: Path, encoding: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a sheet with the line each begins in, whichever sign the spreadsheet set cells apart by."""
    try:
        text = read_text(file, encoding)
    except DataError as error:
        raise ShopperError(
            str(error).replace("`encoding:`", "--encoding").replace("`encoding: latin-1`", "latin-1")
        ) from error
    head = text.partition("\n")[0]
    sign = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    columns: list[str] = []
    while True:
        line = reader.line_num + 1
        cells = next(reader, None)
        if cells is None:
            return
        if not columns:
            columns = [cell.strip() for cell in cells]
            if missing := [name for name in (SHEET, ANNOTATOR, ITEM) if name not in columns]:
                raise ShopperError(
                    f"{file}:1: this is no sheet of `mysteryshopper label`: it has no column {missing[0]!r}."
                )
        elif any(cell.strip() for cell in cells):
            yield line, {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}


def _twice(read: Sequence[_Read]) -> Iterator[str]:
    owners: dict[tuple[str, str], Path] = {}
    for one in read:
        for pair in sorted(one.sheets):
            if pair in owners:
                yield (
                    f"{owners[pair]} and {one.file} are both by annotator {pair[1]!r}: give each person a name of"
                    " their own in the column `annotator`"
                )
            owners.setdefault(pair, one.file)


def _check_unchanged(store: RunStore, known: Mapping[str, Key], sheets: set[str]) -> None:
    wanted = {keyed.case: keyed.said for sheet in sheets for keyed in known[sheet].items.values()}
    for kind in ("pair", "one"):
        for case in judged_cases(store, kind):
            if case.id in wanted and wanted.pop(case.id) != case_key(case):
                raise ShopperError(
                    f"what is said in {case.id!r} has changed since the sheet was written (the run went on): make a"
                    " new sheet."
                )
    if wanted:
        raise ShopperError(f"the run has no judged case {next(iter(wanted))!r} any more: make a new sheet.")
