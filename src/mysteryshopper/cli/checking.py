"""`data check`: a file of the user's own, of any kind that an experiment can name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mysteryshopper.core import DataError, ShopperError, unknown
from mysteryshopper.datasets import DOMAIN_FILE, DataBlock, check, load
from mysteryshopper.datasets.own import Kind
from mysteryshopper.judges.criteria_files import DOMAIN_CRITERIA, load_criteria
from mysteryshopper.profiles import read_profiles

_PROFILES = "profiles"
_TELLING = {"wish", "persona", "patience", "style"}
"""Keys that profiles have and no table of items, dialogues or ratings needs."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found.

    Attributes:
        kind: What the file was read as.
        good: How many records could be read.
        problems: Each as `file:line: what is wrong`.
        notes: What is allowed but worth knowing.
    """

    kind: str
    good: int
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check_file(file: Path, kind: str | None, encoding: str = "utf-8") -> Found:
    """Return what is wrong with a file.

    Args:
        file: Items, dialogues, ratings, profiles of simulated users, or the folder of a domain.
        kind: Which; None finds out from its columns or keys.
        encoding: Of a table; profiles are UTF-8.

    Raises:
        ShopperError: There is no such kind.
        DataError: The ending of a table is not known.
    """
    if (file / DOMAIN_FILE).is_file():
        return _check_domain(file)
    kinds = (*get_args(Kind), _PROFILES)
    if kind is not None and kind not in kinds:
        raise ShopperError(unknown("kind of file", kind, kinds))
    if kind == _PROFILES or (kind is None and _looks_like_profiles(file)):
        try:
            return Found(_PROFILES, len(read_profiles(file)))
        except DataError as error:
            return Found(_PROFILES, 0, (str(error),))
    found = check(file, kind, encoding)  # type: ignore[arg-type]
    return Found(found.kind, found.good, found.problems, found.notes)


def _check_domain(folder: Path) -> Found:
    """Return what is wrong with a domain's folder: its description, its items, its criteria."""
    problems = []
    good = 0
    try:
        good = len(load(DataBlock(path=str(folder))).items())
    except ShopperError as error:
        problems.append(str(error))
    for takes, name in DOMAIN_CRITERIA.items():
        if (folder / name).exists():
            try:
                load_criteria(name, folder, takes)
            except ShopperError as error:
                problems.append(str(error))
    return Found("items", good, tuple(problems))


def _looks_like_profiles(file: Path) -> bool:
    """Whether the first line is a JSON object with a key that only profiles have."""
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as lines:
            first = json.loads(next(lines, ""))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "title" not in first and bool(_TELLING & first.keys())
