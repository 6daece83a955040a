"""The film catalogue that comes with the package: facts and one-line plots, for the demo and for trying things out.

Its viewing log is drawn by chance (`film_log`): nobody watched anything. Popularity is counted in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import Item
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.domains import packaged_domain
from mysteryshopper.datasets.film_log import generated_log
from mysteryshopper.datasets.own_items import read_items
from mysteryshopper.datasets.records import Ratings
from mysteryshopper.datasets.rows import read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock


class Films(Dataset):
    """Some 870 films with genres, directors, stars, countries and decades, and a generated log; no dialogues.

    The log says who saw what, without stars, and is drawn by chance: what is popular in it is popular nowhere else.
    """

    folder_name: ClassVar[str] = "films"

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block; it lies in the package, so the folder is not looked at."""
        opened = cls("films", domain=block.domain or "films", language=block.language or "en", split=block.split)
        opened.described = packaged_domain("films")
        return opened

    @property
    def popularity_split(self) -> str:
        """The generated log has no splits; all of it is counted."""
        return "all"

    def label_counts(self, split: str | None = None) -> Counter[str]:
        """Count in how many viewers' generated logs each film stands.

        Returns:
            Counts by item id; films that nobody was drawn to see are absent.
        """
        return Counter(row.item for row in self.ratings().rows)

    def load_ratings(self) -> Ratings:
        """Draw the log; the same films give the same log."""
        return Ratings(rows=generated_log(self.items()))

    def load_items(self) -> Sequence[Item]:
        """Read the films."""
        with as_file(files("mysteryshopper") / "data" / "films.jsonl") as path:
            return tuple(_with_decade(item) for item in read_items(path, read_rows(path)))


def _with_decade(item: Item) -> Item:
    """Return a film with its decade as an attribute (`1990s`), so that a wish can be about the era."""
    if item.year is None:
        return item
    return replace(item, attributes={**item.attributes, "decade": (f"{item.year // 10 * 10}s",)})
