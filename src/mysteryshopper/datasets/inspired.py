"""INSPIRED (Hayati et al. 2020): dialogues in which people recommend films, with their outcome."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import ItemRef, Message, Role
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.linked import needed
from mysteryshopper.datasets.records import HumanDialogue
from mysteryshopper.datasets.rows import read_rows
from mysteryshopper.reading import split_year

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_ROLES: dict[str, Role] = {"SEEKER": "user", "RECOMMENDER": "assistant"}


class Inspired(Dataset):
    """INSPIRED's dialogues. It has no catalogue of its own, so its items have no ids."""

    folder_name: ClassVar[str] = "inspired"
    dialogue_splits = ("test", "dev")

    def __init__(self, folder: Path, block: DataBlock) -> None:
        """Make it over a folder; nothing is read yet."""
        super().__init__(
            "inspired", domain=block.domain or "movies", language=block.language or "en", split=block.split
        )
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        return cls(folder, block)

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Read the dialogues of a split: one row an utterance, with the outcome repeated on each."""
        path = needed(self.folder, f"{split}.tsv", self.name)
        rows = [Fields(path, row) for row in read_rows(path)]
        return tuple(
            _dialogue(name, list(said)) for name, said in groupby(rows, key=lambda fields: fields.id(["dialog_id"]))
        )


def _dialogue(name: str, said: Sequence[Fields]) -> HumanDialogue:
    notes = {"outcome": said[0].text(["fine_label"]), "accepted": said[0].text(["coarse_label"])}
    return HumanDialogue(name, tuple(_message(fields) for fields in said), notes=notes)


def _message(fields: Fields) -> Message:
    speaker = fields.text(["speaker"])
    if speaker not in _ROLES:
        raise fields.error(f"expected SEEKER or RECOMMENDER in 'speaker', got {speaker!r}")
    named = [title.strip() for title in fields.text(["movies"]).split(";")]
    items = tuple(ItemRef(None, *split_year(title)) for title in named if title)
    people = tuple(name.strip() for name in fields.text(["people_names"]).split(";") if name.strip())
    return Message(_ROLES[speaker], fields.text(["text"]), items=items, entities=people, author="human")
