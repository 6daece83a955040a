"""What lies in a run's `labels/`: the key of every sheet, and the votes that were read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import RUN_SCHEMA, Json, ShopperError, decode, encode
from mysteryshopper.experiment.labels.records import FOLDER, Asked, Copy, Vote
from mysteryshopper.experiment.summary import write_json, write_whole
from mysteryshopper.experiment.verdict_shelf import case_key
from mysteryshopper.judges.observing import place_of

_KEY = ".key.json"
_VOTES = "votes.jsonl"


@dataclass(frozen=True, slots=True)
class Keyed:
    """What stands behind one code of a sheet.

    Attributes:
        case: Id of the case.
        said: Digest of what is said in it, so that a case that has changed since is told.
        swapped: The second exhibit was shown as A.
        cluster: Its cluster.
        user: Name of the user block.
        systems: Name of the system of each exhibit.
        about: As in `Vote`.
    """

    case: str
    said: str
    swapped: bool
    cluster: str
    user: str
    systems: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a sheet: what was asked, and what stands behind every code."""

    sheet: str
    asked: tuple[Asked, ...]
    items: Mapping[str, Keyed]


def key_of(copies: Sequence[Copy]) -> Key:
    """Return the key of a sheet's copies."""
    items = {}
    for entry in (entry for copy in copies for entry in copy.entries):
        user, systems, cluster = place_of(entry.case)
        items[entry.item] = Keyed(
            entry.case.id,
            case_key(entry.case),
            entry.swapped,
            cluster,
            user,
            systems,
            str(entry.case.data.get("about") or ""),
        )
    return Key(copies[0].sheet, copies[0].asked, items)


def key_path(run: Path, sheet: str) -> Path:
    """Return where a sheet's key lies."""
    return run / FOLDER / f"{sheet}{_KEY}"


def write_key(run: Path, key: Key) -> None:
    """Write a key into a run's folder."""
    write_json(key_path(run, key.sheet), {"schema": RUN_SCHEMA, **encode(key)})


def keys(run: Path) -> dict[str, Key]:
    """Return all keys of a run by sheet.

    Raises:
        ShopperError: One can't be read.
    """
    found = {}
    for path in sorted((run / FOLDER).glob(f"*{_KEY}")):
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            value.pop("schema", None)
            key = decode(Key, value)
        except (OSError, ValueError) as error:
            raise ShopperError(f"{path} can't be read as the key of a sheet ({error}); restore it.") from error
        found[key.sheet] = key
    return found


def has_votes(run: Path) -> bool:
    """Whether people's votes were read into a run."""
    return (run / FOLDER / _VOTES).is_file()


def kept_votes(run: Path) -> list[Vote]:
    """Return all votes of a run, in the order they were read; none where none were.

    Raises:
        ShopperError: The file can't be read.
    """
    path = run / FOLDER / _VOTES
    if not path.is_file():
        return []
    votes = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line:
            continue
        try:
            votes.append(decode(Vote, json.loads(line)))
        except ValueError as error:
            raise ShopperError(
                f"{path}:{number}: this is no vote ({error.__class__.__name__}): read the sheets again"
                f" with `mysteryshopper label {run} --read FILE`."
            ) from error
    return votes


def keep_votes(run: Path, votes: Iterable[Vote]) -> None:
    """Write all votes of a run."""
    lines = [json.dumps(_row(vote), ensure_ascii=False, allow_nan=False) for vote in votes]
    write_whole(run / FOLDER / _VOTES, "".join(f"{line}\n" for line in lines))


def _row(vote: Vote) -> dict[str, Json]:
    row: dict[str, Json] = encode(vote)
    return row
