"""The hash of a file's records: the same however the file is packed, spaced or ordered inside its objects."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from mysteryshopper.core import Json, canonical
from mysteryshopper.datasets.files import read_json, read_lines, suffix
from mysteryshopper.datasets.rows import read_rows

_TABLES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


def record_hash(path: Path) -> tuple[str, int]:
    r"""Hash the records of a file.

    Each record is written as canonical JSON (sorted keys, no spaces, ASCII) and a `\n`; the hash is the SHA-256 of
    that text. Records are the rows of a table (empty cells left out), the whole value of a `.json` file, or else the
    lines without their ends.

    Returns:
        The hash in hexadecimal, and how many records there are (of a JSON file: members of its list or object).

    Raises:
        DataError: The file can't be read.
    """
    if suffix(path) == ".json":
        value = read_json(path)
        return _digest(iter([value]))[0], len(value) if isinstance(value, (list, dict)) else 1
    return _digest(_records(path))


def _records(path: Path) -> Iterator[Json]:
    if suffix(path) in _TABLES:
        return (dict(row.values) for row in read_rows(path))
    return (line.rstrip("\r\n") for _, line in read_lines(path))


def _digest(records: Iterator[Json]) -> tuple[str, int]:
    hashed = hashlib.sha256()
    count = 0
    for record in records:
        hashed.update(canonical(record).encode() + b"\n")
        count += 1
    return hashed.hexdigest(), count
