"""`run.sqlite`: the truth of a run. Units, dialogues with their nodes, calls and verdicts.

WAL mode, one writer. What happens in one turn of the event loop is committed together, and nobody is told before the
commit: a kill at any moment loses at most what was in flight.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

from mysteryshopper.core import (
    RUN_SCHEMA,
    Call,
    Dialogue,
    Node,
    Plan,
    StoredDialogue,
    StoredVerdict,
    Unit,
    UnitRecord,
    Unjudged,
    canonical,
    decode_text,
    digest,
    encode_text,
)
from mysteryshopper.core.errors import Ended, Fault, ShopperError
from mysteryshopper.dialogue import clean
from mysteryshopper.experiment.commits import Commits
from mysteryshopper.experiment.last_few import LastFew
from mysteryshopper.experiment.rows import (
    CALL,
    PUT_CALL,
    PUT_DIALOGUE,
    PUT_NODE,
    SETTINGS,
    STATE,
    TABLES,
    UNIT,
    call_of,
    call_row,
    dialogue_rows,
    unit_of,
)
from mysteryshopper.experiment.verdict_shelf import VerdictShelf


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
            ShopperError: The file is damaged, or was written by a version that laid it out in another way.
        """
        self.path = path
        self._mask = mask
        self._texts: LastFew[Node, str] = LastFew(encode_text)
        self._node = lru_cache(maxsize=64)(partial(decode_text, Node))  # dialogues that follow each other share nodes
        self._open = True
        is_new = not path.exists()
        self._db = sqlite3.connect(path, isolation_level=None)
        self._commits = Commits(self._db, path)
        self._shelf = VerdictShelf(self._db, self._commits, mask)
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
        if row is not None and int(row[0]) != RUN_SCHEMA:
            remedy = (
                "update mysteryshopper"
                if int(row[0]) > RUN_SCHEMA
                else "go on with the version of mysteryshopper that wrote it, or run the experiment anew"
            )
            raise ShopperError(
                f"{self.path} has schema version {row[0]}, and this version of mysteryshopper reads {RUN_SCHEMA}:"
                f" {remedy}."
            )
        return row is not None

    def close(self) -> None:
        """Commit what is pending and close; closing twice is fine."""
        if self._open:
            self._open = False
            try:
                self._commits.commit()
            finally:
                self._db.close()

    def discard(self) -> None:
        """Close, and remove the files of a run in which nothing was done."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    # --- writing ----------------------------------------------------------------------------------------------------

    def note(self, key: str, value: str) -> None:
        """Keep one named text, at once."""
        self._commits.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        self._commits.commit()

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
            self._commits.write_all(f"INSERT OR IGNORE INTO units ({UNIT}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608
            then()
        except sqlite3.Error as error:
            raise self._commits.failed(error) from error
        except BaseException:  # the units themselves could not be made
            self._commits.roll_back()
            raise
        self._commits.commit()
        return self._db.total_changes - before

    def start_unit(self, unit: Unit) -> int:
        """Count a start of the unit, committed soon; returns how often it was started before."""
        starts = self._commits.write(
            "UPDATE units SET starts = starts + 1 WHERE key = ? RETURNING starts", (unit.key,), read=True
        )
        self._commits.commit_soon()  # an open transaction would keep other processes from reading the run
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
        rows = [
            dialogue_rows(unit, place, dialogue, self._mask, self._texts) for place, dialogue in enumerate(dialogues)
        ]
        old = () if first else self._db.execute("SELECT id FROM dialogues WHERE unit = ?", (unit.key,)).fetchall()
        for (name,) in old:
            self._commits.write("DELETE FROM nodes WHERE dialogue = ?", (name,))
            self._commits.write("DELETE FROM dialogues WHERE id = ?", (name,))
        for row, nodes in rows:
            self._commits.write(PUT_DIALOGUE, row)
            self._commits.write_rows(PUT_NODE, nodes)
        status = "complete" if fault == "none" else "failed"
        self._commits.write(
            "UPDATE units SET status = ?, ended = ?, fault = ?, detail = ? WHERE key = ?",
            (status, ended, fault, self._mask(clean(detail)[0]), unit.key),
        )
        await self._commits.durable()

    async def commit_call(self, call: Call) -> None:
        """Keep a call; returns once it is durable. A key has one good call: a second one is not written."""
        if call.key in self._known:
            return
        place = await self._commits.add(PUT_CALL, call_row(call))
        if call.status == "ok":
            self._known[call.key] = place

    async def put_verdict(self, verdict: StoredVerdict) -> None:
        """Keep a verdict, unless this judge ruled on the case before: verdicts are never overwritten."""
        await self._shelf.put(verdict)

    async def put_unjudged(self, failed: Unjudged) -> None:
        """Keep that a case could not be judged; a later verdict takes it away."""
        await self._shelf.put_unjudged(failed)

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

    def state(self) -> str:
        """Return a short text that changes with whatever is written of units, dialogues, calls and verdicts."""
        return digest(*(self._db.execute(query).fetchall() for query in STATE))

    def units(self) -> Iterator[UnitRecord]:
        """All planned units, in planned order."""
        for row in self._db.execute(f"SELECT {UNIT}, status, ended, fault, detail FROM units ORDER BY place"):  # noqa: S608
            yield UnitRecord(unit_of(row[:7]), row[7], row[8], row[9], row[10])

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        """All finished dialogues, or those of these ids, in planned order; with `nodes=False` without what was said."""
        columns = ", ".join(f"u.{name}" for name in UNIT.split(", "))
        rows = self._db.execute(
            f"SELECT {columns}, d.id, d.profile, d.ended, d.fault, d.detail, d.success, d.root, d.data"  # noqa: S608
            " FROM dialogues d JOIN units u ON u.key = d.unit ORDER BY u.place, d.place"
        )
        for row in rows:
            name, profile, ended, fault, detail, success, root, data = row[7:]
            if among is not None and name not in among:
                continue
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
        return tuple([self._node(body) for (body,) in rows])

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """Verdicts of the newest version of every judge, by case; with `messages=False` without what was said in it."""
        return self._shelf.verdicts(messages=messages)

    def unjudged(self) -> Iterator[Unjudged]:
        """Cases that could not be judged, without what was said in them."""
        return self._shelf.unjudged()

    def count_units_unjudged(self) -> int:
        """How many units are complete but have a case that could not be judged."""
        return self._shelf.count_units_unjudged()

    def has_verdict(self, key: str, judge_key: str, repeat: int) -> bool:
        """Whether this judge has ruled on the case of this `case_key`."""
        return self._shelf.has(key, judge_key, repeat)

    def newest_case_key(self, case: str) -> str | None:
        """The `case_key` of what was last said in the case of this id; None if it was never judged."""
        return self._shelf.newest_key(case)

    def calls(self) -> Iterator[Call]:
        """All calls, in the order they came back."""
        for row in self._db.execute(f"SELECT {CALL} FROM calls ORDER BY place"):  # noqa: S608
            yield call_of(row)

    def usage(self) -> dict[str, tuple[int, int, int, int, float, int]]:
        """Sum the calls by role: calls, cached, input and output tokens, known cost, calls of unknown cost.

        A cached call costs nothing and is not counted as unknown.
        """
        self._commits.commit()  # calls that came back in this very turn count, whether or not anybody waits for them
        rows = self._db.execute(
            "SELECT role, count(*), sum(cached), sum(input_tokens), sum(output_tokens), coalesce(sum(cost), 0.0),"
            " sum(cost IS NULL AND NOT cached) FROM calls GROUP BY role ORDER BY role"
        )
        return {row[0]: tuple(row[1:]) for row in rows}
