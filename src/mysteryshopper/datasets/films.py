"""The film catalogue that comes with the package: facts and one-line plots, for the demo and for trying things out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import Item
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.own_items import read_items
from mysteryshopper.datasets.rows import read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock


class Films(Dataset):
    """Some 870 films with genres, directors, stars and countries; no dialogues and no ratings."""

    folder_name: ClassVar[str] = "films"

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block; it lies in the package, so the folder is not looked at."""
        return cls("films", domain=block.domain or "films", language=block.language or "en", split=block.split)

    def load_items(self) -> Sequence[Item]:
        """Read the films."""
        with as_file(files("mysteryshopper") / "data" / "films.jsonl") as path:
            return tuple(read_items(path, read_rows(path)))
