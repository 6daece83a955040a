"""The cache that runs share: good calls by key, in one SQLite file. It may fail; then it is as if it were empty."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from pydantic_core import to_json

from mysteryshopper.core import Address, Call, Usage
from mysteryshopper.models.record import ONE_RUN

_NAME = "calls-2.sqlite"
"""The number is the version of the format; another version is another file."""

_SOON = 0.25
_MOST_WAITING = 20_000
_BUSY_MS = 100
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = OFF",  # losing the last moments in a power cut costs only calls made again
    f"PRAGMA busy_timeout = {_BUSY_MS}",
    # with row ids: keys are random, and an index of keys alone has a tenth of the pages to look through and to write
    "CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, body TEXT NOT NULL, mark TEXT NOT NULL)",
)


def cache_folder() -> Path:
    """Return the folder of caches: `MYSTERYSHOPPER_CACHE`, else the user's cache folder."""
    if chosen := os.environ.get("MYSTERYSHOPPER_CACHE"):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mysteryshopper"))


class SharedCache:
    """Good calls of all runs on this machine; several processes may use it at once.

    Whatever is wrong with the file, an entry or the disk is a miss, never an error: a damaged file is set aside, a
    damaged entry is written anew, a locked file is left alone for the moment. Entries are written in batches.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Open or make the cache in a folder, by default `cache_folder()`."""
        self.path = (folder or cache_folder()) / _NAME
        self._waiting: dict[str, str] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._db = self._open()

    def find(self, key: str) -> Call | None:
        """Return the good call with this key, or None.

        The call belongs to no run: its `id` is empty, and `cached` is set.
        """
        if key.startswith(ONE_RUN):
            return None
        body = self._waiting.get(key)
        if body is not None:
            return _call(key, body)
        if self._db is None:
            return None
        try:
            row = self._db.execute("SELECT body, mark FROM calls WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._trouble(error)
            return None
        return None if row is None or row[1] != _mark(key, row[0]) else _call(key, row[0])

    def put(self, call: Call) -> None:
        """Keep a good call, soon; calls to systems under test, and those that are not good, are left out."""
        if call.status != "ok" or call.key.startswith(ONE_RUN) or self._db is None:
            return
        usage = call.usage
        try:
            body = to_json([call.reply, call.finish, usage.input_tokens, usage.output_tokens, call.model]).decode()
        except ValueError:  # half a character: a call that can't be kept here is only made again
            return
        self._waiting[call.key] = body
        if self._timer is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                self.flush()
            else:
                self._timer = loop.call_later(_SOON, self.flush)

    def flush(self) -> None:
        """Write what waits; if the file is locked it waits on, up to a bound."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._db is None or not self._waiting:
            return
        # the marks are made here, one right after the other, which costs a fraction of making them when calls come
        rows = [(key, body, _mark(key, body)) for key, body in self._waiting.items()]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            self._trouble(error)
            if len(self._waiting) <= _MOST_WAITING:
                return
        self._waiting.clear()

    def close(self) -> None:
        """Write what waits, as far as possible, and close."""
        self.flush()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection | None:
        for _ in range(2):
            db: sqlite3.Connection | None = None
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(self.path, isolation_level=None)
                for statement in _SETTINGS:
                    db.execute(statement)
                db.execute("SELECT key, body, mark FROM calls LIMIT 1").fetchone()
                return db
            except (sqlite3.Error, OSError) as error:
                if db is not None:
                    db.close()
                if not _is_damage(error):
                    return None
                self._set_aside()
        return None

    def _trouble(self, error: sqlite3.Error) -> None:
        if self._db is not None and _is_damage(error):
            self._db.close()
            self._set_aside()
            self._db = self._open()

    def _set_aside(self) -> None:
        with suppress(OSError):
            self.path.replace(self.path.with_suffix(".damaged"))
        for suffix in ("-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is broken, not just locked, full or out of reach."""
    if isinstance(error, sqlite3.OperationalError):
        return "no such column" in str(error) or "malformed" in str(error)
    return isinstance(error, sqlite3.DatabaseError)


def _mark(key: str, body: str) -> str:
    return hashlib.blake2b(f"{key}\n{body}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _call(key: str, body: str) -> Call | None:
    try:
        reply, finish, input_tokens, output_tokens, model = json.loads(body)
    except (ValueError, TypeError):
        return None
    usage = Usage(input_tokens, output_tokens, 0.0)
    return Call("", key, Address(), model, "ok", reply, finish, cached=True, attempts=0, usage=usage)
