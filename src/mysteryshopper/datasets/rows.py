r"""Rows out of tables: JSONL, CSV, TSV, Parquet and the `::` form of MovieLens, each row with its line."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import DataError, Json, note_read
from mysteryshopper.datasets.files import parse_json, read_lines, suffix

FORMATS = (".csv", ".jsonl", ".ndjson", ".parquet", ".tsv")
"""Endings of the tables that can be read; each also with `.gz` behind it, but for Parquet."""

Report = Callable[[DataError], None]
"""What is done with the error of one row: raise it, or note it and go on with the next row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        line: Its line in the file, from 1 (of a quoted field over several lines, the last); in Parquet its number.
        values: Values by column. Empty cells and nulls are left out; words such as `NA` or `null` are values.
    """

    line: int
    values: Mapping[str, Json]


def stop(error: DataError) -> None:
    """Report an error by raising it."""
    raise error


def read_rows(path: Path, encoding: str = "utf-8", report: Report = stop) -> Iterator[Row]:
    """Yield the rows of a table, by the ending of its name (see `FORMATS`).

    Args:
        path: The table; CSV and TSV start with a line of column names.
        encoding: Encoding of a text file.
        report: Gets the error of each row that can't be read; such a row is left out.

    Raises:
        DataError: The file as a whole can't be read, or `report` raised.
    """
    match suffix(path):
        case ".jsonl" | ".ndjson":
            return _jsonl(path, encoding, report)
        case ".csv":
            return _csv(path, encoding, ",", report)
        case ".tsv":
            return _csv(path, encoding, "\t", report)
        case ".parquet":
            note_read(path)
            return read_parquet(path)
        case other:
            raise DataError(f"the ending {other!r} is not known; expected one of {', '.join(FORMATS)}", path=path)


def read_separated(
    path: Path, columns: Sequence[str], wide: str | None = None, encoding: str = "utf-8", report: Report = stop
) -> Iterator[Row]:
    """Yield the rows of a file without a head whose fields are set apart by `::`.

    Args:
        path: The file.
        columns: Names of the fields.
        wide: The column that may itself hold `::` (a title).
        encoding: Its encoding.
        report: As in `read_rows`.
    """
    for number, line in read_lines(path, encoding):
        text = line.rstrip("\r\n")
        if not text:
            continue
        parts = text.split("::")
        if wide is not None and len(parts) > len(columns):
            at = columns.index(wide)
            end = len(parts) - (len(columns) - at - 1)
            parts = [*parts[:at], "::".join(parts[at:end]), *parts[end:]]
        if len(parts) != len(columns):
            report(
                DataError(
                    f"expected {len(columns)} fields ({', '.join(columns)}) set apart by `::`, got {len(parts)}",
                    path=path,
                    line=number,
                )
            )
            continue
        yield Row(number, {name: part for name, part in zip(columns, parts, strict=True) if part})


def _jsonl(path: Path, encoding: str, report: Report) -> Iterator[Row]:
    for number, line in read_lines(path, encoding):
        if not line.strip(" \t\r\n"):
            continue
        try:
            value = parse_json(line.rstrip("\r\n"))
        except ValueError as error:
            report(DataError(f"expected one JSON object, but {error}", path=path, line=number))
            continue
        if not isinstance(value, dict):
            report(DataError(f"expected a JSON object, got a {type(value).__name__}", path=path, line=number))
            continue
        yield Row(number, {key: part for key, part in value.items() if part is not None and part != ""})


def _csv(path: Path, encoding: str, delimiter: str, report: Report) -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)  # a review may be longer than the module's default of 131,072 characters
    reader = csv.reader((line for _, line in read_lines(path, encoding)), delimiter=delimiter, strict=True)
    columns: list[str] = []
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            hint = f"{error}; a quoted field that starts in line {start} may lack its closing quote"
            report(DataError(f"expected {delimiter!r}-separated fields, but {hint}", path=path, line=reader.line_num))
            return
        if cells is None:
            return
        if not cells:
            continue
        if not columns:
            columns = _columns(path, cells, reader.line_num)
        elif len(cells) != len(columns):
            report(
                DataError(
                    f"expected {len(columns)} fields ({', '.join(columns)}), got {len(cells)}; a field that holds"
                    f" {delimiter!r} or a newline must stand in double quotes",
                    path=path,
                    line=reader.line_num,
                )
            )
        else:
            yield Row(reader.line_num, {name: cell for name, cell in zip(columns, cells, strict=True) if cell})


def _columns(path: Path, cells: Sequence[str], line: int) -> list[str]:
    columns = [cell.strip() for cell in cells]
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise DataError(f"the column name {twice[0]!r} occurs twice; give each its own", path=path, line=line)
    return columns


def read_parquet(path: Path) -> Iterator[Row]:
    """Yield the rows of a Parquet file, as `read_rows` does; what is read is not noted.

    Raises:
        DataError: It can't be read.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            line = 0
            for batch in file.iter_batches():
                for values in batch.to_pylist():
                    line += 1
                    yield Row(line, {name: value for name, value in values.items() if _there(value)})
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"is no Parquet file that can be read: {error}", path=path) from error


def _there(value: Json) -> bool:
    return value is not None and value != "" and value == value
