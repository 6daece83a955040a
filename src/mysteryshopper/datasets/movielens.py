"""MovieLens (Harper and Konstan 2015): films with genres, ratings and tags; the csv form and the older `::` form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import DataError, Item
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.files import find_file
from mysteryshopper.datasets.ratings import read_ratings, settle
from mysteryshopper.datasets.records import Ratings
from mysteryshopper.datasets.rows import Row, read_rows, read_separated
from mysteryshopper.reading import split_year

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_MOVIES = ("movies.csv", "movies_w_keywords.csv", "movies.dat")
_COLUMNS: Mapping[str, Sequence[str]] = {
    "movies.dat": ("movieId", "title", "genres"),
    "ratings.dat": ("userId", "movieId", "rating", "timestamp"),
    "tags.dat": ("userId", "movieId", "tag", "timestamp"),
}
_BRACKET = re.compile(r"\s*\(([^()]+)\)\s*$")
_ARTICLE = re.compile(r"^(.*), (The|A|An|La|Le|Les|L'|Il|El|Los|Las|Der|Die|Das|Den|De|Det|Un|Une|Una|O|Lo|I)$")
_KNOWN_AS = re.compile(r"^a\.?k\.?a\.?\s+", re.IGNORECASE)
_NO_GENRES = "(no genres listed)"


class MovieLens(Dataset):
    """MovieLens in any of its sizes. Popularity is how many people rated a film."""

    folder_name: ClassVar[str] = "movielens/ml-latest-small"

    def __init__(self, folder: Path, block: DataBlock) -> None:
        """Make it over a folder; nothing is read yet."""
        super().__init__(
            "movielens", domain=block.domain or "movies", language=block.language or "en", split=block.split
        )
        self.folder = folder
        self.encoding = block.encoding

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        return cls(folder, block)

    @property
    def popularity_split(self) -> str:
        """Ratings have no splits; all are counted."""
        return "all"

    def label_counts(self, split: str | None = None) -> Counter[str]:
        """Count how many people rated each film.

        Returns:
            Counts by item id; films without ratings are absent.
        """
        return Counter(rating.item for rating in self.ratings().rows)

    def load_items(self) -> Sequence[Item]:
        """Read the films with their genres, and keywords and tags where there are such files."""
        tags: dict[str, dict[str, str]] = {}
        for fields in self._rows("tags.csv", "tags.dat"):
            tag = fields.text(["tag"]).strip()
            tags.setdefault(fields.id(["movieId"]), {}).setdefault(tag.casefold(), tag)
        items = []
        for fields in self._rows(*_MOVIES, needed=True):
            number = fields.id(["movieId"])
            title, year, aliases = read_title(fields.text(["title"]))
            attributes = {
                "genre": tuple(genre for genre in fields.words(["genres"]) if genre != _NO_GENRES),
                "keyword": fields.words(["keywords"]),
                "tag": tuple(tags.get(number, {}).values()),
            }
            items.append(
                Item(number, title, year, {key: words for key, words in attributes.items() if words}, aliases=aliases)
            )
        return tuple(items)

    def load_ratings(self) -> Ratings:
        """Read the ratings."""
        path, rows = self._find("ratings.csv", "ratings.dat", needed=True)
        return settle(read_ratings(path, rows))

    def _rows(self, *names: str, needed: bool = False) -> Iterator[Fields]:
        path, rows = self._find(*names, needed=needed)
        return (Fields(path, row) for row in rows)

    def _find(self, *names: str, needed: bool) -> tuple[Path, Iterator[Row]]:
        for name in names:
            if (path := find_file(self.folder / name)) is None:
                continue
            if name in _COLUMNS:
                wide = "title" if name == "movies.dat" else "tag" if name == "tags.dat" else None
                return path, read_separated(path, _COLUMNS[name], wide, self.encoding)
            return path, read_rows(path, self.encoding)
        if needed:
            raise DataError(
                f"holds none of {', '.join(names)}; get the data with `mysteryshopper data get movielens`, or name the"
                " folder that holds it with `path:`",
                path=self.folder,
            )
        return self.folder, iter(())


def read_title(text: str) -> tuple[str, int | None, tuple[str, ...]]:
    """Read a title such as `Salt Clock, The (a.k.a. Brine) (2004)`.

    Returns:
        The title with its article in front, the year or None, and other titles given in brackets.
    """
    title, year = split_year(text)
    aliases: list[str] = []
    while (found := _BRACKET.search(title)) is not None and found.start() > 0:
        aliases.insert(0, _article_first(_KNOWN_AS.sub("", found.group(1)).strip()))
        title = title[: found.start()]
    return _article_first(title), year, tuple(aliases)


def _article_first(title: str) -> str:
    found = _ARTICLE.match(title)
    if found is None:
        return title
    return f"{found[2]}{'' if found[2].endswith(chr(39)) else ' '}{found[1]}"
