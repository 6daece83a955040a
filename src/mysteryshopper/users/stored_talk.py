"""What simulated users said in a stored run, read from its public tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from mysteryshopper.core import RUN_SCHEMA, DataError, JsonObject, Side, canonical, note_read, unknown

_SCHEMA_KEY = b"mysteryshopper_schema"


@dataclass(slots=True)
class StoredTalk:
    """One stored dialogue as its user knew it.

    Attributes:
        unit: Id of its unit.
        ended: How it ended.
        data: What its protocol kept with it (`wish`, `constraints`, `prefers`, `targets` where it did).
        said: Texts of the user's turns, in order; an empty one ended the dialogue without a word.
        heard: Texts of the system's turns, in order.
    """

    unit: str
    ended: str
    data: JsonObject
    said: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)


def stored_talks(
    run: Path, *, user: str | None = None, system: str | None = None, repeat: int = 0
) -> Sequence[StoredTalk]:
    """Read the dialogues of one user with one system that went without fault, in the order of the run.

    Args:
        run: Folder of the run.
        user: Name of the user block; may be None where the run has only one.
        system: Name of the system block; may be None where the run has only one.
        repeat: Number of the repeat.

    Raises:
        DataError: The folder has no tables, or those of a newer version; a name is unknown or missing; the dialogues
            branch or go on from what people said before; or no dialogue is left.
    """
    table = run / "tables" / "dialogues.parquet"
    rows = list(_rows(table, ("dialogue", "unit", "repeat", "user", "system", "ended", "fault", "data")))
    wanted = {
        "user": _named(table, "user", [row["user"] for row in rows], user),
        "system": _named(table, "system", [row["system"] for row in rows], system),
        "repeat": repeat,
        "fault": "none",
    }
    talks = {
        row["dialogue"]: StoredTalk(row["unit"], row["ended"], json.loads(row["data"] or "{}"))
        for row in rows
        if all(row[name] == value for name, value in wanted.items())
    }
    if not talks:
        raise DataError(
            f"no dialogue of {wanted['user']!r} with {wanted['system']!r} in repeat {repeat} went without fault, so"
            " there is nothing to say again",
            path=table,
        )
    if len({talk.unit for talk in talks.values()}) < len(talks):
        raise DataError("its units hold several dialogues each; only plain conversations can be said again", path=table)
    turns = run / "tables" / "turns.parquet"
    _fill(turns, talks)
    said = canonical([[talk.unit, talk.ended, talk.data, talk.said, talk.heard] for talk in talks.values()])
    part = canonical([wanted["user"], wanted["system"], repeat])
    note_read(turns, sha256(said.encode()).hexdigest(), part=part)  # what is said again: a report writes the file anew
    return list(talks.values())


def _fill(table: Path, talks: Mapping[str, StoredTalk]) -> None:
    """Add what was said to each dialogue."""
    answered: set[tuple[str, str]] = set()
    for row in _rows(table, ("dialogue", "node", "parent", "turn", "role", "text")):
        talk = talks.get(row["dialogue"])
        if talk is None:
            continue
        if row["turn"] == 0:
            raise DataError("its dialogues go on from what people said before; run it with `start: fresh`", path=table)
        place = (row["dialogue"], row["parent"] or "")
        if place in answered:
            raise DataError("its dialogues branch; only plain ones can be said again", path=table)
        answered.add(place)
        side: Side = row["role"]
        (talk.said if side == "user" else talk.heard).append(row["text"] or "")


def _rows(table: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    import pyarrow as pa  # here, not above: only those need it who read a run
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(table)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(
            f"can't be read ({type(error).__name__}); name the folder of a finished run; if its tables are"
            " missing, `mysteryshopper report` writes them anew",
            path=table,
        ) from None
    with file:
        version = (file.schema_arrow.metadata or {}).get(_SCHEMA_KEY, b"0")
        if not version.isdigit() or int(version) > RUN_SCHEMA:
            raise DataError(
                f"has schema version {version.decode(errors='replace')}, and this version of mysteryshopper reads up to"
                f" {RUN_SCHEMA}; update it",
                path=table,
            )
        missing = [name for name in columns if name not in file.schema_arrow.names]
        if missing:
            raise DataError(f"lacks the column {missing[0]!r}; it is no table of a run", path=table)
        for batch in file.iter_batches(columns=list(columns)):
            yield from batch.to_pylist()


def _named(table: Path, what: Literal["user", "system"], held: Sequence[str], given: str | None) -> str:
    names = list(dict.fromkeys(held))
    if given is not None:
        if given not in names:
            raise DataError(f"{unknown(what, given, names)}", path=table)
        return given
    if len(names) > 1:
        raise DataError(
            f"holds several {what}s ({', '.join(sorted(names))}); say whose dialogues in the option `{what}`",
            path=table,
        )
    return names[0] if names else ""
