"""A user's own data: items, dialogues and ratings in JSONL, CSV, TSV or Parquet, one file or a folder of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mysteryshopper.core import ConfigError, DataError, Item
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.own_dialogues import SplitDialogue, read_dialogues
from mysteryshopper.datasets.own_items import read_items
from mysteryshopper.datasets.ratings import RATING_COLUMNS, read_ratings, settle
from mysteryshopper.datasets.records import HumanDialogue, Ratings, RecTurn
from mysteryshopper.datasets.rows import FORMATS, Row, read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

Kind = Literal["items", "dialogues", "ratings"]
"""What one file of a user's own holds."""

KINDS: tuple[Kind, ...] = ("items", "dialogues", "ratings")


class OwnData(Dataset):
    """A user's own files. In a folder they are `items.*`, `dialogues.*` and `ratings.*`; each may be absent.

    Every message of the recommender that names catalogued items is a recommending turn.
    """

    def __init__(self, path: Path, block: DataBlock, found: Mapping[Kind, Path] | None = None) -> None:
        """Make it over a file or a folder. Dialogues are read now, since they say which splits there are.

        Args:
            path: The file or folder.
            block: The block that names it.
            found: Its files by what they hold, where that is known already.

        Raises:
            DataError: The file, or every file of the folder, is missing or can't be read.
        """
        self.path = path
        self.encoding = block.encoding
        self._files = find_own(path, block.kind, self.encoding) if found is None else found
        self._name = path.name.split(".")[0] or "data"
        super().__init__(self._name, domain=block.domain, language=block.language or "en", split=block.split)

    @property
    def turn_splits(self) -> Sequence[str]:  # type: ignore[override]
        """Splits of the dialogues, if some dialogue recommends an item."""
        return self.dialogue_splits if any(said.turns for said in self._dialogues) else ()

    @property
    def dialogue_splits(self) -> Sequence[str]:  # type: ignore[override]
        """The values of the column `split` in order; `all` where there is none."""
        return tuple(dict.fromkeys(said.split for said in self._dialogues))

    @property
    def has_items(self) -> bool:
        """Whether there is a file of items."""
        return "items" in self._files

    @property
    def popularity_split(self) -> str:
        """As of every data set; with ratings and no dialogues, `all` ratings are counted."""
        return "all" if self._counts_ratings else super().popularity_split

    def label_counts(self, split: str | None = None) -> Counter[str]:
        """Count how often each item was recommended in a split; without dialogues, how many people rated it."""
        if self._counts_ratings:
            return Counter(rating.item for rating in self.ratings().rows)
        return super().label_counts(split)

    def load_items(self) -> Sequence[Item]:
        """Read the items."""
        path = self._files.get("items")
        if path is None:
            return super().load_items()
        return tuple(read_items(path, read_rows(path, self.encoding)))

    def load_turns(self, split: str) -> Sequence[RecTurn]:
        """Return the recommending turns of a split."""
        return tuple(turn for said in self._dialogues if said.split == split for turn in said.turns)

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Return the dialogues of a split."""
        return tuple(said.dialogue for said in self._dialogues if said.split == split)

    def load_ratings(self) -> Ratings:
        """Read the ratings."""
        path = self._files.get("ratings")
        if path is None:
            return super().load_ratings()
        return settle(read_ratings(path, read_rows(path, self.encoding)))

    @cached_property
    def _dialogues(self) -> tuple[SplitDialogue, ...]:
        path = self._files.get("dialogues")
        if path is None:
            return ()
        catalog = self.catalog() if "items" in self._files else None
        return tuple(read_dialogues(path, read_rows(path, self.encoding), catalog))

    @property
    def _counts_ratings(self) -> bool:
        return "ratings" in self._files and not self.turn_splits


def find_own(path: Path, kind: Kind | None, encoding: str = "utf-8") -> Mapping[Kind, Path]:
    """Return the files of a user's own data by what they hold.

    Args:
        path: A file, or a folder with files named after the kinds.
        kind: What the file holds; None finds out from its columns.
        encoding: Encoding of the file.

    Raises:
        DataError: There is no such file or folder, or the folder holds none of the files.
        ConfigError: `kind` is set for a folder.
    """
    if path.is_file():
        return {kind or guess_kind(read_rows(path, encoding)): path}
    if not path.is_dir():
        raise DataError("there is no such file or folder; check `path:`", path=path)
    if kind is not None:
        raise ConfigError(f"{path} is a folder, and `kind` says what one file holds; leave it out", key="data.kind")
    found = files_in(path)
    if not found:
        raise DataError(
            f"holds no {', '.join(f'{name}.*' for name in KINDS)} with one of the endings {', '.join(FORMATS)}",
            path=path,
        )
    return found


def files_in(folder: Path) -> Mapping[Kind, Path]:
    """Return the files of a folder by what they hold, as their names say; none if it has none."""
    endings = [*FORMATS, *(f"{ending}.gz" for ending in FORMATS if ending != ".parquet")]
    return {
        name: file for name in KINDS for ending in reversed(endings) if (file := folder / f"{name}{ending}").is_file()
    }


def guess_kind(rows: Iterable[Row]) -> Kind:
    """Return what a table holds, from the columns of its first row; items where nothing says otherwise."""
    columns = next((set(row.values) for row in rows), set())
    if "messages" in columns or {"dialogue", "role"} <= columns:
        return "dialogues"
    if columns & set(RATING_COLUMNS["user"]) and columns & set(RATING_COLUMNS["item"]):
        return "ratings"
    return "items"
