"""Finished runs as data: the scores that each left, by the name of its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import RUN_SCHEMA, ConfigError, DataError, Json, canonical, note_read, unknown
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.rows import read_parquet

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_TABLE = Path("tables") / "scores.parquet"


class FinishedRuns(Dataset):
    """Finished runs in a folder (`path`), whose scores protocols can compare."""

    folder_name: ClassVar[str] = "runs"
    of_ones_own: ClassVar[bool] = True

    def __init__(self, folder: Path, block: DataBlock) -> None:
        """Make it over a folder of runs; nothing is read yet."""
        super().__init__("runs", domain=block.domain or "", language=block.language or "en", split=block.split)
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block.

        Raises:
            ConfigError: The block names no folder.
        """
        if block.path is None:
            raise ConfigError("name the folder that holds the runs, as in {name: runs, path: runs}.", key="data.path")
        return cls(folder, block)

    def check(self, names: Sequence[str]) -> None:
        """See that these runs are there, with scores.

        Raises:
            ConfigError: One is not.
        """
        known = sorted(path.parent.parent.name for path in self.folder.glob(f"*/{_TABLE}"))
        for name in names:
            if not (self.folder / name / _TABLE).is_file():
                run = self.folder / name
                raise ConfigError(
                    f"{unknown('run with scores', name, known)} Looked for {run / _TABLE}; of an older run,"
                    f" `mysteryshopper report {run}` writes it.",
                    key="options.runs",
                )

    def protocol(self, name: str) -> str:
        """Return the protocol of a run, as its `summary.json` says; empty where it can't be told."""
        try:
            summary = json.loads((self.folder / name / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        return str(summary.get("protocol", "")) if isinstance(summary, dict) else ""

    def scores(self, name: str) -> Iterator[Mapping[str, Json]]:
        """Yield the rows of a run's table of scores: name, unit, user, system, cluster, value, better, control.

        Raises:
            DataError: It can't be read, is no such table, or a newer version wrote it.
        """
        path = self.folder / name / _TABLE
        if (version := _version(path)) > RUN_SCHEMA:
            raise DataError(
                f"was written by a newer version (schema {version}, this one reads up to {RUN_SCHEMA}); update"
                " mysteryshopper",
                path=path,
            )
        hashed = sha256()
        for row in read_parquet(path):
            if not {"name", "unit", "system"} <= row.values.keys():
                raise DataError("expected columns name, unit and system", path=path, line=row.line)
            hashed.update(canonical(row.values).encode() + b"\n")
            yield row.values
        note_read(path, hashed.hexdigest())  # of its rows: a report writes the file anew


def _version(path: Path) -> int:
    """Return the schema version of a table; 0 where it names none."""
    import pyarrow
    import pyarrow.parquet

    try:
        named = (pyarrow.parquet.read_schema(path).metadata or {}).get(b"mysteryshopper_schema", b"")
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"is no Parquet file that can be read: {error}", path=path) from error
    return int(named) if named.isdigit() else 0
