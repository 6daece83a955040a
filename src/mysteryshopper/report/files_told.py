"""The files that a run read, as the report lists them."""

from __future__ import annotations

from dataclasses import dataclass

from mysteryshopper.core import JsonObject
from mysteryshopper.report.numbers import count
from mysteryshopper.report.text import one_line


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file: its path, its size, the SHA-256 of its content, and what is to be known of it."""

    path: str
    size: str
    sha256: str
    note: str


def files_told(summary: JsonObject) -> list[FileRow] | None:
    """Return a row for each file that a run read; None where the run kept no record of them."""
    files = summary.get("files")
    if files is None:
        return None
    newest = {(file["path"], file.get("part")): file["sha256"] for file in files}
    return [
        FileRow(
            one_line(file["path"], 500),
            "–" if file["bytes"] is None else count(file["bytes"]),
            file["sha256"],
            _note(file, newest=newest[file["path"], file.get("part")] == file["sha256"]),
        )
        for file in files
    ]


def _note(file: JsonObject, *, newest: bool) -> str:
    told = []
    if not newest:
        told.append("as it was before it changed")
    if file["later"]:
        told.append("met when the run went on; what it held before is not known")
    if file["bytes"] is None:
        told.append("hash of what was read of it" + (f": {one_line(part, 500)}" if (part := file.get("part")) else ""))
    return "; ".join(told)
