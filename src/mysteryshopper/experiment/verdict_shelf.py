"""Cases, verdicts, and cases that could not be judged, in `run.sqlite`.

A case lies there once, what was said in it apart from the rest; criteria lie there once for all cases that share them.
A verdict belongs to what was said: a case of the same id that shows something else is kept beside the first one, is
judged anew, and stands in its place.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from mysteryshopper.core import (
    Case,
    Criterion,
    Message,
    StoredVerdict,
    Unjudged,
    Verdict,
    canonical,
    decode_text,
    digest,
    encode,
    encode_text,
)
from mysteryshopper.dialogue import clean
from mysteryshopper.experiment.commits import Commits

_Said = list[list[Message]]
_NEWEST = "c.place = (SELECT max(place) FROM cases WHERE id = c.id)"


def case_key(case: Case) -> str:
    """Return a digest of a case's id and of what is said and shown in it, whatever the order of its exhibits."""
    return digest(case.id, sorted(_words(exhibit.messages) for exhibit in case.exhibits), _words(case.context))


class VerdictShelf:
    """What judges said, and what they could not."""

    def __init__(self, db: sqlite3.Connection, commits: Commits, mask: Callable[[str], str]) -> None:
        """Make it over a run's database; `mask` takes secrets out of what is written."""
        self._db = db
        self._commits = commits
        self._mask = mask
        self._criteria = lru_cache(maxsize=256)(self._read_criteria)

    async def put(self, stored: StoredVerdict) -> None:
        """Keep a verdict, unless this judge ruled on the case before; the case is no longer one that was not judged."""
        self._commits.write(
            "INSERT OR IGNORE INTO verdicts (case_key, judge, judge_key, repeat, criteria, body)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                self._put_case(stored.case),
                stored.judge,
                stored.judge_key,
                stored.repeat,
                self._put_criteria(stored.case.criteria),
                self._mask(encode_text(stored.verdict)),
            ),
        )
        self._commits.write(
            "DELETE FROM unjudged WHERE case_id = ? AND judge = ? AND repeat = ?",
            (stored.case.id, stored.judge, stored.repeat),
        )
        await self._commits.durable()

    async def put_unjudged(self, failed: Unjudged) -> None:
        """Keep that a case could not be judged, in place of what was kept of an earlier try."""
        self._commits.write(
            "INSERT OR REPLACE INTO unjudged VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                failed.case.id,
                failed.judge,
                failed.repeat,
                self._put_case(failed.case),
                failed.judge_key,
                self._put_criteria(failed.case.criteria),
                failed.status,
                self._mask(clean(failed.reason)[0]),
            ),
        )
        await self._commits.durable()

    def newest_key(self, case: str) -> str | None:
        """Return the `case_key` of what was last said in the case of this id; None if it was never judged."""
        row = self._db.execute("SELECT key FROM cases WHERE id = ? ORDER BY place DESC LIMIT 1", (case,)).fetchone()
        return None if row is None else str(row[0])

    def has(self, key: str, judge_key: str, repeat: int) -> bool:
        """Whether this judge has ruled on the case of this `case_key`."""
        row = self._db.execute(
            "SELECT 1 FROM verdicts WHERE case_key = ? AND judge_key = ? AND repeat = ?", (key, judge_key, repeat)
        ).fetchone()
        return row is not None

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """Verdicts of the newest version of every judge, by case; see `core.Store`."""
        newest = self._db.execute("SELECT judge, judge_key, max(place) FROM verdicts GROUP BY judge")
        keys = [key for _, key, _ in newest]
        rows = self._db.execute(
            f"SELECT v.judge, v.judge_key, v.repeat, v.criteria, v.body, c.body, {'c.said' if messages else 'NULL'}"  # noqa: S608
            f" FROM verdicts v JOIN cases c ON c.key = v.case_key WHERE {_NEWEST}"
            f" AND v.judge_key IN ({', '.join('?' * len(keys))}) ORDER BY c.id, v.judge, v.repeat",
            keys,
        )
        for judge, judge_key, repeat, criteria, verdict, body, said in rows:
            case = self._case(body, said, criteria)
            yield StoredVerdict(case, decode_text(Verdict, verdict), judge, judge_key, repeat)

    def unjudged(self) -> Iterator[Unjudged]:
        """Cases that could not be judged, without what was said; see `core.Store`."""
        rows = self._db.execute(
            "SELECT u.judge, u.judge_key, u.repeat, u.status, u.reason, u.criteria, c.body"
            " FROM unjudged u JOIN cases c ON c.key = u.case_key ORDER BY u.case_id, u.judge, u.repeat"
        )
        for judge, judge_key, repeat, status, reason, criteria, body in rows:
            yield Unjudged(self._case(body, None, criteria), judge, judge_key, status, reason, repeat)

    def count_units_unjudged(self) -> int:
        """How many units are complete but have a case that could not be judged."""
        row = self._db.execute(
            "SELECT count(DISTINCT c.unit) FROM unjudged u JOIN cases c ON c.key = u.case_key"
            " JOIN units ON units.key = c.unit WHERE units.status = 'complete'"
        ).fetchone()
        return int(row[0])

    def _put_case(self, case: Case) -> str:
        """Keep a case, unless it lies there; returns its key."""
        key = case_key(case)
        if self._db.execute("SELECT 1 FROM cases WHERE key = ?", (key,)).fetchone() is None:
            said = [list(exhibit.messages) for exhibit in case.exhibits] + [list(case.context)]
            bare = replace(
                case,
                exhibits=tuple(replace(exhibit, messages=()) for exhibit in case.exhibits),
                context=(),
                criteria=(),
            )
            self._commits.write(
                "INSERT INTO cases (key, id, unit, body, said) VALUES (?, ?, ?, ?, ?)",
                (key, case.id, case.unit, self._mask(encode_text(bare)), self._mask(_said_text(said))),
            )
        return key

    def _put_criteria(self, criteria: tuple[Criterion, ...]) -> str:
        """Keep criteria, unless they lie there; returns their key."""
        key = digest(encode(criteria))
        if self._db.execute("SELECT 1 FROM criteria WHERE key = ?", (key,)).fetchone() is None:
            self._commits.write("INSERT INTO criteria VALUES (?, ?)", (key, canonical(encode(criteria))))
        return key

    def _case(self, body: str, said: str | None, criteria: str) -> Case:
        bare = decode_text(Case, body)
        case = Case(
            bare.id,
            bare.unit,
            bare.exhibits,
            self._criteria(criteria),
            data=bare.data,
            control=bare.control,
            address=bare.address,
        )
        if said is None:
            return case
        *shown, context = decode_text(_Said, said)
        exhibits = tuple(
            replace(exhibit, messages=tuple(messages)) for exhibit, messages in zip(case.exhibits, shown, strict=True)
        )
        return replace(case, exhibits=exhibits, context=tuple(context))

    def _read_criteria(self, key: str) -> tuple[Criterion, ...]:
        (body,) = self._db.execute("SELECT body FROM criteria WHERE key = ?", (key,)).fetchone()
        return decode_text(tuple[Criterion, ...], body)


def _words(messages: tuple[Message, ...]) -> list[list[object]]:
    return [[message.role, message.text, [item.title for item in message.items]] for message in messages]


def _said_text(said: _Said) -> str:
    return "[" + ",".join("[" + ",".join(map(encode_text, messages)) + "]" for messages in said) + "]"
