"""One writer's way into `run.sqlite`: what happens in one turn of the event loop is committed together.

Nobody is told before the commit; after the first failure nothing is written any more.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from mysteryshopper.core import StopRun
from mysteryshopper.experiment.rows import checkpoint

_COMMITS_A_CHECKPOINT = 1000


class Commits:
    """Writes to a database, many waiters to a commit."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        """Write over an open connection (in autocommit mode) to the database at `path`."""
        self._db = db
        self._path = path
        self._queue: list[tuple[asyncio.Future[int], str, Sequence[object]]] = []
        self._waiting: list[tuple[asyncio.Future[int], int]] = []
        self._flush_planned = False
        self._failure: StopRun | None = None
        self._count = 0
        self._checkpoint: asyncio.Future[None] | None = None

    def durable(self) -> asyncio.Future[int]:
        """Return what is done (its result says nothing) once everything written so far is committed.

        It fails with `StopRun` if that can't be written.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, 0))
        self.commit_soon()
        return future

    def add(self, sql: str, values: Sequence[object]) -> asyncio.Future[int]:
        """Write a new row with the next commit; return what is done, with the row's place, once it is committed.

        Rows written one right after the other cost a fraction of rows written when they come. It fails with `StopRun`
        if nothing can be written, and with what is wrong with the values, which keeps no other row from being written.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._queue.append((future, sql, values))
        self.commit_soon()
        return future

    def commit_soon(self) -> None:
        """Commit at the end of this turn of the event loop."""
        if not self._flush_planned:
            self._flush_planned = True
            asyncio.get_running_loop().call_soon(self._flush)

    def write(self, sql: str, values: Sequence[object], *, read: bool = False) -> int:
        """Write in the open transaction; returns the place of a new row, or with `read` the number it returns.

        Raises:
            StopRun: It can't be written.
        """
        try:
            self._begin()
            cursor = self._db.execute(sql, values)
            return int(cursor.fetchone()[0]) if read else cursor.lastrowid or 0
        except sqlite3.Error as error:
            raise self.failed(error) from error

    def write_rows(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Write rows in the open transaction.

        Raises:
            StopRun: They can't be written.
        """
        try:
            self._begin()
            self._db.executemany(sql, rows)
        except sqlite3.Error as error:
            raise self.failed(error) from error

    def _begin(self) -> None:
        if self._failure is not None:
            raise StopRun(str(self._failure))
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def write_all(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Write rows in a transaction of their own, begun here and left open.

        Raises:
            StopRun: They can't be written.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(sql, rows)
        except sqlite3.Error as error:
            raise self.failed(error) from error

    def _write_queue(self) -> None:
        for future, sql, values in self._queue:
            try:
                self._waiting.append((future, self.write(sql, values)))
            except StopRun:
                raise  # told to all who wait, those still in the queue too
            except Exception as error:  # values that no database takes, which is nobody else's fault
                if not future.done():
                    future.set_exception(error)
        self._queue.clear()

    def commit(self) -> None:
        """Commit now, if anything is open.

        Raises:
            StopRun: It can't be written.
        """
        self._write_queue()
        try:
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self.failed(error) from error

    def roll_back(self) -> None:
        """Undo what is not committed."""
        if self._db.in_transaction:
            with suppress(sqlite3.Error):  # the engine may have rolled back already
                self._db.execute("ROLLBACK")

    def failed(self, error: sqlite3.Error) -> StopRun:
        """Undo what is not committed, which others may wait for too, and write nothing from now on."""
        self.roll_back()
        self._failure = StopRun(
            f"{self._path} can't be written ({error}). What was committed is safe: "
            f"free some space, then `mysteryshopper resume {self._path.parent}`."
        )
        return self._failure

    def _flush(self) -> None:
        self._flush_planned = False
        with suppress(StopRun):  # told to everybody who waits
            self.commit()
        waiting, self._waiting = self._waiting, []
        unwritten, self._queue = self._queue, []
        for future, place in (*waiting, *((future, 0) for future, *_ in unwritten)):
            if future.done():
                continue
            if self._failure is None:
                future.set_result(place)
            else:
                future.set_exception(StopRun(str(self._failure)))
        self._count += 1
        if self._count % _COMMITS_A_CHECKPOINT == 0 and self._checkpoint is None:
            self._checkpoint = asyncio.get_running_loop().run_in_executor(None, checkpoint, self._path)
            self._checkpoint.add_done_callback(self._checkpointed)

    def _checkpointed(self, done: asyncio.Future[None]) -> None:
        self._checkpoint = None
