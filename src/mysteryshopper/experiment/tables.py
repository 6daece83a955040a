"""`tables/*.parquet`: a run's dialogues, turns, verdicts, cases not judged, calls, scores and metrics."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from mysteryshopper.core import Call, Metric, Node, Score, Store, StoredDialogue, StoredVerdict, UnitRecord, Unjudged
from mysteryshopper.experiment.last_few import LastFew
from mysteryshopper.experiment.summary import unwritable
from mysteryshopper.experiment.table_rows import (
    SCHEMAS,
    Row,
    call_row,
    dialogue_row,
    metric_row,
    ruling_rows,
    score_row,
    turn_rows,
    unjudged_row,
)

_ROWS = 2000  # in memory at a time
_TALK = frozenset({"dialogues", "turns"})
_OF_THE_STORE = _TALK | {"verdicts", "unjudged", "calls"}
"""Tables of what a run left, which measuring it again in another way doesn't change."""


class Tables:
    """Writes the tables of a run, each when it is whole, and with the schema version.

    Reading dialogues and verdicts is what takes time, so that those which somebody else reads are written on the way:
    hand `over` in the place of the store, then `finish`. Tables of what was said, asked and ruled that were written of
    the store as it still is are left as they are.
    """

    def __init__(self, folder: Path, store: Store, schema: int, state: str) -> None:
        """Make it for the tables of a store in a folder; `state` changes with whatever is written to the store."""
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = store
        self._head = {
            "mysteryshopper_schema": str(schema),
            "mysteryshopper_state": f"{version('mysteryshopper')} {state}",
        }
        self._reading: dict[str, Generator[Any]] = {}
        self._whole = {name for name in _OF_THE_STORE if self._is_fresh(name)}

    @property
    def over(self) -> Store:
        """The store; what is first read of it to the end is written."""
        return _Read(self._store, self)

    def finish(self, metrics: Iterable[Metric], scores: Iterable[Score] = ()) -> None:
        """Write the numbers, and whatever was not read to the end.

        Args:
            metrics: The run's numbers.
            scores: The values by unit that numbers are means of, where the protocol has any.
        """
        is_control = self._store.plan.is_control
        for abandoned in self._reading.values():
            abandoned.close()
        if not self._whole >= _TALK:
            deque(self._dialogues(), maxlen=0)
        if "verdicts" not in self._whole:
            deque(self._verdicts(), maxlen=0)
        others: Mapping[str, Iterator[Row]] = {
            "unjudged": map(unjudged_row, self._store.unjudged()),
            "calls": map(call_row, self._store.calls()),
            "scores": (score_row(score, is_control(score.system)) for score in scores),
            "metrics": map(metric_row, metrics),
        }
        for name, rows in others.items():
            if name not in self._whole:
                with self._table(name) as table:
                    table.extend(rows)

    def dialogues(self) -> Iterator[StoredDialogue] | None:
        """Read all dialogues, whose tables are written when all are read; None if they are, or somebody began to."""
        if "turns" in self._reading or self._whole >= _TALK:
            return None
        self._reading["turns"] = reading = self._dialogues()
        return reading

    def verdicts(self) -> Iterator[StoredVerdict] | None:
        """Read all verdicts without what was said, in the same way."""
        if "verdicts" in self._reading or "verdicts" in self._whole:
            return None
        self._reading["verdicts"] = reading = self._verdicts()
        return reading

    def _dialogues(self) -> Generator[StoredDialogue]:
        rows: LastFew[Node, list[Row]] = LastFew(turn_rows)
        with self._table("dialogues") as dialogues, self._table("turns") as turns:
            for stored in self._store.dialogues():
                name = stored.dialogue.id
                dialogues.extend((dialogue_row(stored),))
                turns.extend([(name, *row) for node in stored.dialogue.nodes for row in rows.of(node)])
                yield stored
        self._whole |= _TALK

    def _verdicts(self) -> Generator[StoredVerdict]:
        with self._table("verdicts") as table:
            for stored in self._store.verdicts(messages=False):
                table.extend(ruling_rows(stored))
                yield stored
        self._whole.add("verdicts")

    def _table(self, name: str) -> _Table:
        return _Table(self._folder, name, self._head)

    def _is_fresh(self, name: str) -> bool:
        try:
            shape = pq.read_schema(self._folder / f"{name}.parquet")
        except (OSError, pa.ArrowException):
            return False
        return bool(shape.equals(_shape(name, self._head), check_metadata=True))


class _Read:
    """A store of which tables are written while it is read."""

    def __init__(self, store: Store, tables: Tables) -> None:
        self.plan = store.plan
        self._store = store
        self._tables = tables

    def units(self) -> Iterator[UnitRecord]:
        """All planned units."""
        return self._store.units()

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        """All finished dialogues."""
        written = self._tables.dialogues() if nodes and among is None else None
        return written or self._store.dialogues(nodes=nodes, among=among)

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """The newest verdicts."""
        written = None if messages else self._tables.verdicts()
        return written or self._store.verdicts(messages=messages)

    def unjudged(self) -> Iterator[Unjudged]:
        """Cases without a verdict."""
        return self._store.unjudged()

    def calls(self) -> Iterator[Call]:
        """All calls."""
        return self._store.calls()

    def noted(self, key: str) -> str | None:
        """A text that was kept by name."""
        return self._store.noted(key)


class _Table:
    """One Parquet file, written in row groups; it appears under its name when it is whole."""

    def __init__(self, folder: Path, name: str, head: Mapping[str, str]) -> None:
        self._path = folder / f"{name}.parquet"
        self._partial = folder / f"{name}.partial"
        self._shape = _shape(name, head)
        self._rows: list[Row] = []

    def __enter__(self) -> Self:
        with _writing(self._path):
            self._writer = pq.ParquetWriter(self._partial, self._shape)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with _writing(self._path):
            if kind is None:
                self._write(self._rows)
            self._writer.close()
            if kind is None:
                self._partial.replace(self._path)
            else:
                self._partial.unlink(missing_ok=True)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows; they are written some at a time."""
        self._rows.extend(rows)
        while len(self._rows) >= _ROWS:
            with _writing(self._path):
                self._write(self._rows[:_ROWS])
            del self._rows[:_ROWS]

    def _write(self, rows: Sequence[Row]) -> None:
        columns = zip(*rows, strict=True) if rows else [()] * len(self._shape)
        arrays = [pa.array(values, kind) for values, kind in zip(columns, self._shape.types, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._shape))


def _shape(name: str, head: Mapping[str, str]) -> pa.Schema:
    return pa.schema(list(SCHEMAS[name].items()), metadata=head)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file can't be written."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error
