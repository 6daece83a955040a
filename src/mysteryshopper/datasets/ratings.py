"""Ratings and reviews: read from a table, exact repeats dropped, of two that differ the newer kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from mysteryshopper.core import DataError
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.records import Conflict, Rating, Ratings
from mysteryshopper.datasets.rows import Report, Row, stop

RATING_COLUMNS: Mapping[str, Sequence[str]] = {
    "user": ("user", "user_id", "userId"),
    "item": ("item", "item_id", "movieId"),
    "stars": ("stars", "rating"),
    "text": ("text", "review"),
    "time": ("time", "timestamp", "date"),
}
"""Names that each column may have."""


def read_ratings(path: Path, rows: Iterable[Row], report: Report = stop) -> Iterator[Rating]:
    """Yield a rating for each row; a row that is none goes to `report`.

    A rating needs a user, an item, and stars or a text. Stars may be missing, never guessed.
    """
    for row in rows:
        fields = Fields(path, row)
        try:
            rating = Rating(
                user=fields.id(RATING_COLUMNS["user"]),
                item=fields.id(RATING_COLUMNS["item"]),
                stars=fields.number(RATING_COLUMNS["stars"]),
                text=fields.text(RATING_COLUMNS["text"]),
                time=fields.text(RATING_COLUMNS["time"]),
                line=row.line,
            )
            if rating.stars is None and not rating.text:
                raise fields.error("expected 'stars' or 'text', got neither")
        except DataError as error:
            report(error)
        else:
            yield rating


def settle(ratings: Iterable[Rating]) -> Ratings:
    """Keep one rating for each pair of person and item.

    Equal ones (in all but their line) are counted as repeats. Of two that differ the newer is kept: by time if both
    say theirs in numbers or in ISO 8601, else the later in the file.

    Args:
        ratings: Ratings in the order of the file.

    Returns:
        The ratings kept, each at its first place in the file, with the count of repeats and all conflicts.
    """
    kept: dict[tuple[str, str], Rating] = {}
    dropped: set[tuple[str, str, float | None, str, str]] = set()
    repeated = 0
    conflicts = []
    for rating in ratings:
        pair = (rating.user, rating.item)
        old = kept.setdefault(pair, rating)
        if old is rating:
            continue
        if _content(rating) == _content(old) or _content(rating) in dropped:
            repeated += 1
            continue
        newer, older = (old, rating) if _older(rating, old) else (rating, old)
        kept[pair] = newer
        dropped.add(_content(older))
        conflicts.append(Conflict(newer, older))
    return Ratings(tuple(kept.values()), repeated, tuple(conflicts))


def _content(rating: Rating) -> tuple[str, str, float | None, str, str]:
    return rating.user, rating.item, rating.stars, rating.text, rating.time


def _older(one: Rating, other: Rating) -> bool:
    """Whether `one` is older by its time; False where either does not say."""
    first, second = _seconds(one.time), _seconds(other.time)
    return first is not None and second is not None and first < second


def _seconds(time: str) -> float | None:
    try:
        return float(time)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
