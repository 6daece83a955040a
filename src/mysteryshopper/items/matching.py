"""Which of several items of one title is meant: the rules of years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

MatchStatus = Literal["ok", "year_off_by_one", "ambiguous", "not_found"]
"""How a title was found; only the first two name an item."""


@dataclass(frozen=True, slots=True)
class Match:
    """The item that a title names.

    Attributes:
        item_id: Its id; None where the status is `ambiguous` or `not_found`.
        status: How it was found.
    """

    item_id: str | None
    status: MatchStatus


NOT_FOUND = Match(None, "not_found")
AMBIGUOUS = Match(None, "ambiguous")


def choose(ids: Sequence[str], years: Mapping[str, int | None], year: int | None) -> Match:
    """Choose among items of one title.

    Without a year a single candidate is meant and several are `ambiguous`. With one, the item of that year is meant,
    else the one that is a year off (`year_off_by_one`), else one whose own year is not known; several of them are
    `ambiguous`, and a year that fits none is `not_found`.

    Args:
        ids: The candidates.
        years: Years of all items by id; None where unknown.
        year: The year named.
    """
    if not ids:
        return NOT_FOUND
    if year is None:
        return Match(ids[0], "ok") if len(ids) == 1 else AMBIGUOUS
    known = [(name, years[name]) for name in ids]
    if exact := [name for name, own in known if own == year]:
        return Match(exact[0], "ok") if len(exact) == 1 else AMBIGUOUS
    if near := [name for name, own in known if own is not None and abs(own - year) == 1]:
        return Match(near[0], "year_off_by_one") if len(near) == 1 else AMBIGUOUS
    if undated := [name for name, own in known if own is None]:
        return Match(undated[0], "ok") if len(undated) == 1 else AMBIGUOUS
    return NOT_FOUND
