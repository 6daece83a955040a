"""OpenDialKG (Moon et al. 2019): dialogues about films and books, as recommending turns with a knowledge graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.datasets.linked import LinkedDataset

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock


class OpenDialKG(LinkedDataset):
    """OpenDialKG. Its splits are by turn: one dialogue may have turns in several of them."""

    folder_name: ClassVar[str] = "opendialkg"
    turn_files: Mapping[str, str] = {
        "test": "test_rec_turns.jsonl",
        "valid": "valid_rec_turns.jsonl",
        "train": "train_rec_turns.jsonl",
    }

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        domain = block.domain or "movies and books"
        return cls("opendialkg", folder, domain=domain, language=block.language or "en", split=block.split)
