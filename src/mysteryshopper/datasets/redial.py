"""ReDial (Li et al. 2018): dialogues about films, as released and as recommending turns with linked entities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import ItemRef, Json, Message
from mysteryshopper.datasets.fields import Fields, as_id
from mysteryshopper.datasets.linked import LinkedDataset
from mysteryshopper.datasets.records import HumanDialogue, Opinion
from mysteryshopper.datasets.rows import Row, read_rows
from mysteryshopper.reading import split_year

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_MENTION = re.compile(r"@(\d+)")
_SAID: Mapping[Json, bool] = {0: False, 1: True}
_SIDES = {"user": "initiator", "assistant": "respondent"}


class ReDial(LinkedDataset):
    """ReDial. The `test` split is the whole official one; the dialogues of `train` are a random part of it."""

    folder_name: ClassVar[str] = "redial"
    turn_files: Mapping[str, str] = {"test": "ievalm_test_rec_turns.jsonl", "valid": "ievalm_valid_rec_turns.jsonl"}
    dialogue_files: ClassVar[Mapping[str, str]] = {
        "test": "raw_test.jsonl",
        "train": "raw_train_sample_crfr.jsonl",
    }
    dialogue_splits = tuple(dialogue_files)

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        return cls(
            "redial", folder, domain=block.domain or "movies", language=block.language or "en", split=block.split
        )

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Read the raw dialogues of a split."""
        path = self.file(self.dialogue_files[split])
        return tuple(_dialogue(Fields(path, row), self.names) for row in read_rows(path))


def fill_mentions(text: str, titles: Mapping[str, str]) -> tuple[str, list[str], list[str]]:
    """Replace `@id` by the title of that id; only whole ids count.

    Args:
        text: A message.
        titles: Titles by id.

    Returns:
        The text (an id without a title stays as it is), the ids mentioned in order, and those without a title.
    """
    mentioned = _MENTION.findall(text)
    filled = _MENTION.sub(lambda found: titles.get(found.group(1), found.group()), text)
    return filled, mentioned, [name for name in mentioned if name not in titles]


def read_dialogue(path: Path, row: Row, names: Mapping[str, ItemRef]) -> HumanDialogue:
    """Read one dialogue of the raw release.

    Args:
        path: Its file, for messages.
        row: The JSON object of its line.
        names: Catalogued items by title and year; other films keep their title and have no id.

    Raises:
        DataError: The object does not have the form of the raw release.
    """
    return _dialogue(Fields(path, row), names)


def _dialogue(fields: Fields, names: Mapping[str, ItemRef]) -> HumanDialogue:
    seeker = fields.id(["initiatorWorkerId"])
    mentions = fields.take(["movieMentions"]) or {}
    titles = {key: " ".join(str(title).split()) for key, title in mentions.items() if title} if mentions else {}
    items = {key: names.get(title) or ItemRef(None, *split_year(title)) for key, title in titles.items()}
    messages, unresolved = [], []
    for said in fields.take(["messages"]) or ():
        if not isinstance(said, dict) or not isinstance(said.get("text"), str) or "senderWorkerId" not in said:
            raise fields.error(f"expected messages with 'text' and 'senderWorkerId', got {said!r}")
        text, mentioned, lost = fill_mentions(said["text"], titles)
        unresolved += lost
        messages.append(
            Message(
                "user" if as_id(said["senderWorkerId"]) == seeker else "assistant",
                text,
                items=tuple(items[key] for key in mentioned if key in items),
                author="human",
            )
        )
    opinions = {side: _opinions(fields.take([f"{name}Questions"]), items) for side, name in _SIDES.items()}
    return HumanDialogue(fields.id(["conversationId"]), tuple(messages), tuple(unresolved), opinions)


def _opinions(answers: Json, items: Mapping[str, ItemRef]) -> tuple[Opinion, ...]:
    """Read a questionnaire; one that nobody filled in is `[]` in the data, not `{}`."""
    if not isinstance(answers, dict):
        return ()
    return tuple(
        Opinion(
            items.get(key, ItemRef(None)), *(_SAID.get(answer.get(name)) for name in ("suggested", "seen", "liked"))
        )
        for key, answer in answers.items()
    )
