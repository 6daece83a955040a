"""Tables of `run.sqlite`, and the way from records to their rows and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from mysteryshopper.core import Address, Call, Dialogue, Node, Unit, Usage, canonical
from mysteryshopper.dialogue import clean
from mysteryshopper.experiment.last_few import LastFew

SETTINGS = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 0;
"""

TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units (
  place INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, id TEXT NOT NULL, user TEXT NOT NULL, system TEXT NOT NULL,
  repeat INTEGER NOT NULL, cluster TEXT NOT NULL, data TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'planned',
  ended TEXT, fault TEXT NOT NULL DEFAULT 'none', detail TEXT NOT NULL DEFAULT '', starts INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS dialogues (
  id TEXT PRIMARY KEY, unit TEXT NOT NULL, place INTEGER NOT NULL, profile TEXT NOT NULL, ended TEXT NOT NULL,
  fault TEXT NOT NULL, detail TEXT NOT NULL, success INTEGER, root TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS dialogues_unit ON dialogues (unit);
CREATE TABLE IF NOT EXISTS nodes (
  dialogue TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (dialogue, place)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
  place INTEGER PRIMARY KEY, id TEXT NOT NULL, key TEXT NOT NULL, unit TEXT NOT NULL, repeat INTEGER NOT NULL,
  path TEXT NOT NULL, role TEXT NOT NULL, component TEXT NOT NULL, purpose TEXT NOT NULL, attempt INTEGER NOT NULL,
  model TEXT NOT NULL, status TEXT NOT NULL, reply TEXT, finish TEXT NOT NULL, cached INTEGER NOT NULL,
  attempts INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL,
  ms REAL NOT NULL, prompt TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
  place INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, id TEXT NOT NULL, unit TEXT NOT NULL, body TEXT NOT NULL,
  said TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS cases_id ON cases (id);
CREATE TABLE IF NOT EXISTS criteria (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (
  place INTEGER PRIMARY KEY, case_key TEXT NOT NULL, judge TEXT NOT NULL, judge_key TEXT NOT NULL,
  repeat INTEGER NOT NULL, criteria TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (case_key, judge_key, repeat));
CREATE TABLE IF NOT EXISTS unjudged (
  case_id TEXT NOT NULL, judge TEXT NOT NULL, repeat INTEGER NOT NULL, case_key TEXT NOT NULL, judge_key TEXT NOT NULL,
  criteria TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (case_id, judge, repeat))
  WITHOUT ROWID;
"""

STATE = (
    "SELECT status, fault, count(*), sum(starts), max(place) FROM units GROUP BY status, fault ORDER BY status, fault",
    "SELECT count(*), max(rowid) FROM dialogues",
    "SELECT count(*), max(place) FROM calls",
    "SELECT count(*), max(place) FROM verdicts",
    "SELECT * FROM unjudged ORDER BY case_id, judge, repeat",
)
"""What tells one state of a run's database from all others: calls and verdicts are only ever added, and a unit whose
dialogues are replaced was started once more."""

UNIT = "key, id, user, system, repeat, cluster, data"
CALL = (
    "id, key, unit, repeat, path, role, component, purpose, attempt, model, status, reply, finish, cached, attempts,"
    " input_tokens, output_tokens, cost, ms, prompt"
)
PUT_DIALOGUE = "INSERT INTO dialogues VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PUT_NODE = "INSERT INTO nodes VALUES (?, ?, ?)"
PUT_CALL = f"INSERT INTO calls ({CALL}) VALUES ({', '.join('?' * 20)})"  # noqa: S608 - names of our own columns


class Unkeepable(ValueError):  # noqa: N818 - what it is, not what is wrong
    """A dialogue that can't be kept, because it holds what is no JSON; the text says what."""


def dialogue_rows(
    unit: Unit, place: int, dialogue: Dialogue, mask: Callable[[str], str], texts: LastFew[Node, str]
) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return a dialogue as a row of `dialogues`, and its nodes as rows of `nodes`.

    Args:
        unit: The unit it belongs to.
        place: Its place among the unit's dialogues.
        dialogue: It.
        mask: Takes the secrets out of what was said.
        texts: Gives the nodes' texts.

    Raises:
        Unkeepable: It holds something that is no JSON.
    """
    name = clean(dialogue.id)[0]
    try:
        data = canonical(dialogue.data)
        bodies = [texts.of(node) for node in dialogue.nodes]
    except (TypeError, ValueError) as error:
        raise Unkeepable(f"the dialogue {name!r} can't be kept: {clean(str(error))[0]}") from error
    row = (
        name,
        unit.key,
        place,
        clean(dialogue.profile)[0],
        dialogue.ended,
        dialogue.fault,
        mask(clean(dialogue.detail)[0]),
        None if dialogue.success is None else int(dialogue.success),
        clean(dialogue.root or unit.cluster or unit.id)[0],
        mask(data),
    )
    return row, [(name, number, mask(body)) for number, body in enumerate(bodies)]


def call_row(call: Call) -> tuple[Any, ...]:
    """Return a call as a row of `calls`."""
    where, usage = call.address, call.usage
    return (
        call.id,
        call.key,
        where.unit,
        where.repeat,
        where.path,
        where.role,
        where.component,
        where.purpose,
        where.attempt,
        call.model,
        call.status,
        None if call.reply is None else canonical(call.reply),
        clean(call.finish)[0],
        int(call.cached),
        call.attempts,
        usage.input_tokens,
        usage.output_tokens,
        usage.cost,
        call.ms,
        call.prompt,
    )


def unit_of(row: Sequence[Any]) -> Unit:
    """Return the unit of a row of `UNIT` columns."""
    _, name, user, system, repeat, cluster, data = row
    return Unit(name, user, system, repeat, cluster, json.loads(data) if data != "{}" else {})


def call_of(row: Sequence[Any]) -> Call:
    """Return the call of a row of `CALL` columns."""
    name, key, unit, repeat, path, role, component, purpose, attempt, model, status, reply, finish, cached = row[:14]
    attempts, input_tokens, output_tokens, cost, ms, prompt = row[14:]
    return Call(
        id=name,
        key=key,
        address=Address(unit, repeat, path, role, component, purpose, attempt),
        model=model,
        status=status,
        reply=None if reply is None else json.loads(reply),
        finish=finish,
        cached=bool(cached),
        attempts=attempts,
        usage=Usage(input_tokens, output_tokens, cost),
        ms=ms,
        prompt=prompt,
    )


def checkpoint(path: Path) -> None:
    """Move the write-ahead log into the database, in a thread: it waits for the disk, which the event loop must not."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
