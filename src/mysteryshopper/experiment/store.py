"""`run.sqlite`: the truth of a run. Units, dialogues with their nodes, calls and verdicts.

WAL mode, one writer. What happens in one turn of the event loop is committed together, and nobody is told before the
commit: a kill at any moment loses at most what was in flight.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from mysteryshopper.core import (
    RUN_SCHEMA,
    Call,
    Case,
    Dialogue,
    Node,
    Plan,
    StopRun,
    StoredDialogue,
    StoredVerdict,
    Unit,
    UnitRecord,
    Verdict,
    canonical,
    decode_text,
    encode_text,
)
from mysteryshopper.core.errors import Ended, Fault, ShopperError
from mysteryshopper.dialogue import clean
from mysteryshopper.experiment.rows import (
    CALL,
    PUT_CALL,
    PUT_DIALOGUE,
    PUT_NODE,
    SETTINGS,
    TABLES,
    UNIT,
    call_of,
    call_row,
    checkpoint,
    dialogue_rows,
    unit_of,
)

_COMMITS_A_CHECKPOINT = 1000


class RunStore:
    """A run's database, open for reading and, inside one process, writing.

    Attributes:
        plan: The experiment as protocols see it; None until the run is planned or opened with one.
    """

    plan: Plan

    def __init__(self, path: Path, mask: Callable[[str], str] = str) -> None:
        """Open or make the database.

        Args:
            path: The file.
            mask: Takes secrets out of what is written of dialogues and verdicts; calls come without any.

        Raises:
            ShopperError: The file is damaged, or was written by a newer version.
        """
        self.path = path
        self._mask = mask
        self._waiting: list[asyncio.Future[None]] = []
        self._flush_planned = False
        self._failure: StopRun | None = None
        self._commits = 0
        self._checkpoint: asyncio.Future[None] | None = None
        self._open = True
        is_new = not path.exists()
        self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._db.executescript(SETTINGS)
            if not self._has_schema():  # reading takes no lock, so that a run at work can be looked at
                self._db.executescript(TABLES)
                self._db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(RUN_SCHEMA),))
        except ShopperError:
            self._db.close()
            raise
        except sqlite3.DatabaseError as error:
            what = "begun" if is_new else "opened"
            self.discard() if is_new else self._db.close()
            raise ShopperError(
                f"{path} can't be {what} as a run's database ({error}): see that the disk has room and that the file "
                "is whole."
            ) from error
        # in memory rather than an index: calls are only ever appended, which keeps commits small
        self._known: dict[str, int] = dict(self._db.execute("SELECT key, place FROM calls WHERE status = 'ok'"))

    def _has_schema(self) -> bool:
        if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None:
            return False
        row = self._db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if row is not None and int(row[0]) > RUN_SCHEMA:
            raise ShopperError(
                f"{self.path} has schema version {row[0]}, this version reads up to {RUN_SCHEMA}: update "
                "mysteryshopper."
            )
        return row is not None

    def close(self) -> None:
        """Commit what is pending and close; closing twice is fine."""
        if self._open:
            self._open = False
            try:
                self._commit()
            finally:
                self._db.close()

    def discard(self) -> None:
        """Close, and remove the files of a run in which nothing was done."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    # --- writing ----------------------------------------------------------------------------------------------------

    async def durable(self) -> None:
        """Return once everything written so far is committed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self._flush_soon()
        await future

    def _flush_soon(self) -> None:
        if not self._flush_planned:
            self._flush_planned = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _write(self, sql: str, values: Sequence[object], *, read: bool = False) -> int:
        """Write in the open transaction; returns the place of a new row, or with `read` the number it returns."""
        if self._failure is not None:
            raise StopRun(str(self._failure))
        try:
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            cursor = self._db.execute(sql, values)
            return int(cursor.fetchone()[0]) if read else cursor.lastrowid or 0
        except sqlite3.Error as error:
            raise self._cannot_write(error) from error

    def _commit(self) -> None:
        try:
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._cannot_write(error) from error

    def _flush(self) -> None:
        self._flush_planned = False
        waiting, self._waiting = self._waiting, []
        with suppress(StopRun):  # told to everybody who waits
            self._commit()
        for future in waiting:
            if future.cancelled():
                continue
            if self._failure is None:
                future.set_result(None)
            else:
                future.set_exception(StopRun(str(self._failure)))
        self._commits += 1
        if self._commits % _COMMITS_A_CHECKPOINT == 0 and self._checkpoint is None:
            self._checkpoint = asyncio.get_running_loop().run_in_executor(None, checkpoint, self.path)
            self._checkpoint.add_done_callback(self._checkpointed)

    def _checkpointed(self, done: asyncio.Future[None]) -> None:
        self._checkpoint = None

    def _cannot_write(self, error: sqlite3.Error) -> StopRun:
        """Undo what is not committed, which others may wait for too, and write nothing from now on."""
        self._roll_back()
        self._failure = StopRun(
            f"{self.path} can't be written ({error}). What was committed is safe: "
            f"free some space, then `mysteryshopper resume {self.path.parent}`."
        )
        return self._failure

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            with suppress(sqlite3.Error):  # the engine may have rolled back already
                self._db.execute("ROLLBACK")

    def note(self, key: str, value: str) -> None:
        """Keep one named text, at once."""
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        self._commit()

    def noted(self, key: str) -> str | None:
        """Return a text kept with `note`."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def add_units(self, units: Iterable[Unit], then: Callable[[], object] = lambda: None) -> int:
        """Plan units, all or none; those already planned stay as they are.

        Args:
            units: What to plan.
            then: Called before they are committed; if it fails, none is planned.

        Returns:
            How many are new.
        """
        before = self._db.total_changes
        rows = (
            (unit.key, unit.id, unit.user, unit.system, unit.repeat, unit.cluster or unit.id, canonical(unit.data))
            for unit in units
        )
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(f"INSERT OR IGNORE INTO units ({UNIT}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608
            then()
        except sqlite3.Error as error:
            raise self._cannot_write(error) from error
        except BaseException:  # the units themselves could not be made
            self._roll_back()
            raise
        self._commit()
        return self._db.total_changes - before

    def start_unit(self, unit: Unit) -> int:
        """Count a start of the unit, committed soon; returns how often it was started before."""
        starts = self._write(
            "UPDATE units SET starts = starts + 1 WHERE key = ? RETURNING starts", (unit.key,), read=True
        )
        self._flush_soon()  # an open transaction would keep other processes from reading the run
        return starts - 1

    async def finish_unit(
        self,
        unit: Unit,
        dialogues: Sequence[Dialogue],
        ended: Ended,
        fault: Fault,
        detail: str,
        *,
        first: bool = False,
    ) -> None:
        """Keep a unit's outcome and all its dialogues in one transaction, replacing those of an earlier try.

        `first` says that there was none.

        Raises:
            Unkeepable: A dialogue holds what is no JSON; nothing is written.
        """
        rows = [dialogue_rows(unit, place, dialogue, self._mask) for place, dialogue in enumerate(dialogues)]
        old = () if first else self._db.execute("SELECT id FROM dialogues WHERE unit = ?", (unit.key,)).fetchall()
        for (name,) in old:
            self._write("DELETE FROM nodes WHERE dialogue = ?", (name,))
            self._write("DELETE FROM dialogues WHERE id = ?", (name,))
        for row, nodes in rows:
            self._write(PUT_DIALOGUE, row)
            for node in nodes:
                self._write(PUT_NODE, node)
        status = "complete" if fault == "none" else "failed"
        self._write(
            "UPDATE units SET status = ?, ended = ?, fault = ?, detail = ? WHERE key = ?",
            (status, ended, fault, self._mask(clean(detail)[0]), unit.key),
        )
        await self.durable()

    async def commit_call(self, call: Call) -> None:
        """Keep a call; returns once it is durable. A key has one good call: a second one is not written."""
        if call.key in self._known:
            return
        place = self._write(PUT_CALL, call_row(call))
        await self.durable()
        if call.status == "ok":
            self._known[call.key] = place

    async def put_verdict(self, verdict: StoredVerdict, unit: str) -> None:
        """Keep a verdict, unless this judge ruled on the case before: verdicts are never overwritten."""
        self._write(
            "INSERT OR IGNORE INTO verdicts (case_id, unit, judge, judge_key, repeat, case_body, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                verdict.case.id,
                unit,
                verdict.judge,
                verdict.judge_key,
                verdict.repeat,
                self._mask(encode_text(verdict.case)),
                self._mask(encode_text(verdict.verdict)),
            ),
        )
        await self.durable()

    # --- reading ----------------------------------------------------------------------------------------------------

    def find_call(self, key: str) -> Call | None:
        """Return the committed good call with this cache key."""
        place = self._known.get(key)
        if place is None:
            return None
        return call_of(self._db.execute(f"SELECT {CALL} FROM calls WHERE place = ?", (place,)).fetchone())  # noqa: S608

    def pending(self) -> Iterator[Unit]:
        """Units still to run, in planned order: those not run, and those that failed by the infrastructure's fault."""
        done = -1
        while True:  # pages, so that no cursor stays open while workers write
            rows = self._db.execute(
                f"SELECT place, {UNIT} FROM units WHERE place > ? AND (status = 'planned' OR fault = 'infra')"  # noqa: S608
                " ORDER BY place LIMIT 500",
                (done,),
            ).fetchall()
            if not rows:
                return
            done = rows[-1][0]
            for row in rows:
                yield unit_of(row[1:])

    def count_pending(self) -> int:
        """How many units `pending` would give."""
        row = self._db.execute("SELECT count(*) FROM units WHERE status = 'planned' OR fault = 'infra'").fetchone()
        return int(row[0])

    def count_units(self) -> int:
        """How many units are planned in all."""
        return int(self._db.execute("SELECT count(*) FROM units").fetchone()[0])

    def outcomes(self) -> dict[tuple[str, str], int]:
        """Count units by (status, fault)."""
        rows = self._db.execute("SELECT status, fault, count(*) FROM units GROUP BY status, fault")
        return {(status, fault): count for status, fault, count in rows}

    def units(self) -> Iterator[UnitRecord]:
        """All planned units, in planned order."""
        for row in self._db.execute(f"SELECT {UNIT}, status, ended, fault, detail FROM units ORDER BY place"):  # noqa: S608
            yield UnitRecord(unit_of(row[:7]), row[7], row[8], row[9], row[10])

    def dialogues(self, *, nodes: bool = True) -> Iterator[StoredDialogue]:
        """All finished dialogues, in planned order of their units; with `nodes=False` without what was said."""
        columns = ", ".join(f"u.{name}" for name in UNIT.split(", "))
        rows = self._db.execute(
            f"SELECT {columns}, d.id, d.profile, d.ended, d.fault, d.detail, d.success, d.root, d.data"  # noqa: S608
            " FROM dialogues d JOIN units u ON u.key = d.unit ORDER BY u.place, d.place"
        )
        for row in rows:
            name, profile, ended, fault, detail, success, root, data = row[7:]
            dialogue = Dialogue(
                id=name,
                profile=profile,
                nodes=self._nodes(name) if nodes else (),
                ended=ended,
                fault=fault,
                detail=detail,
                success=None if success is None else bool(success),
                root=root,
                data=json.loads(data),
            )
            yield StoredDialogue(unit_of(row[:7]), dialogue)

    def _nodes(self, dialogue: str) -> tuple[Node, ...]:
        rows = self._db.execute("SELECT body FROM nodes WHERE dialogue = ? ORDER BY place", (dialogue,))
        return tuple(decode_text(Node, body) for (body,) in rows)

    def verdicts(self) -> Iterator[StoredVerdict]:
        """Verdicts of the newest version of every judge, by case."""
        rows = self._db.execute(
            "SELECT v.judge, v.judge_key, v.repeat, v.case_body, v.body FROM verdicts v JOIN ("
            "  SELECT judge, judge_key, max(place) AS newest FROM verdicts GROUP BY judge, judge_key) k"
            " ON k.judge = v.judge AND k.judge_key = v.judge_key"
            " WHERE k.newest = (SELECT max(place) FROM verdicts w WHERE w.judge = v.judge)"
            " ORDER BY v.case_id, v.judge, v.repeat"
        )
        for judge, judge_key, repeat, case, body in rows:
            yield StoredVerdict(decode_text(Case, case), decode_text(Verdict, body), judge, judge_key, repeat)

    def has_verdict(self, case: str, judge_key: str, repeat: int) -> bool:
        """Whether this judge has ruled on this case."""
        row = self._db.execute(
            "SELECT 1 FROM verdicts WHERE case_id = ? AND judge_key = ? AND repeat = ?", (case, judge_key, repeat)
        ).fetchone()
        return row is not None

    def calls(self) -> Iterator[Call]:
        """All calls, in the order they came back."""
        for row in self._db.execute(f"SELECT {CALL} FROM calls ORDER BY place"):  # noqa: S608
            yield call_of(row)

    def usage(self) -> dict[str, tuple[int, int, int, int, float, int]]:
        """Sum the calls by role: calls, cached, input and output tokens, known cost, calls of unknown cost.

        A cached call costs nothing and is not counted as unknown.
        """
        rows = self._db.execute(
            "SELECT role, count(*), sum(cached), sum(input_tokens), sum(output_tokens), coalesce(sum(cost), 0.0),"
            " sum(cost IS NULL AND NOT cached) FROM calls GROUP BY role ORDER BY role"
        )
        return {row[0]: tuple(row[1:]) for row in rows}
