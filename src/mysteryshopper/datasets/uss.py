"""USS, User Satisfaction Simulation (Sun et al. 2021): people's dialogues, each user turn and the whole rated 1 to 5.

A folder holds one JSONL file a part (`redial.jsonl`, `ccpe.jsonl`, `mwoz.jsonl`, `sgd.jsonl`), one dialogue a line:
`{"dialog_id", "turns": [{"role": USER or SYSTEM, "text", "sat": [one rating an annotator]}]}`; a last user turn with
the text `OVERALL` rates the dialogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import DataError, Item, Json, Message, Role
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.files import find_file
from mysteryshopper.datasets.records import HumanDialogue
from mysteryshopper.datasets.rows import read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

LABEL = "satisfaction"
"""Name of its one label."""

_PARTS = ("redial", "ccpe", "mwoz", "sgd")
_FILMS = ("redial", "ccpe")
_ROLES: Mapping[str, Role] = {"USER": "user", "SYSTEM": "assistant"}
_WHOLE = "OVERALL"
_LOW, _HIGH = 1, 5


class Uss(Dataset):
    """USS, people's dialogues with a rating of satisfaction of every user turn by three or more annotators.

    Splits are its parts: `redial` and `ccpe` (films), `mwoz` and `sgd` (tasks), or `all`. A person (or a script) spoke
    for the system. The label of a user turn says how satisfied the user seems with what came before it; it is kept with
    the message of the system that the user had just got. Annotators have no names: their places in one list of ratings
    mean nothing beyond it. Items are ReDial's, where that lies beside it and the split is about films.
    """

    folder_name: ClassVar[str] = "uss"
    dialogue_splits = (*_PARTS, "all")
    label_scales: Mapping[str, tuple[float, float]] = {LABEL: (_LOW, _HIGH)}

    def __init__(self, folder: Path, block: DataBlock) -> None:
        """Make it over a folder; nothing is read yet."""
        super().__init__("uss", domain=block.domain or "", language=block.language or "en", split=block.split)
        self.folder = folder
        if not self.domain and self.split in _FILMS:
            self.domain = "movies"

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        return cls(folder, block)

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Read the dialogues of a part, or of all."""
        parts = _PARTS if split == "all" else (split,)
        return tuple(
            _dialogue(Fields(path, row), part)
            for part in parts
            for path in (self._file(part),)
            for row in read_rows(path)
        )

    def load_items(self) -> Sequence[Item]:
        """Return ReDial's items.

        Raises:
            ConfigError: ReDial does not lie beside this data set, or the split is not about films.
        """
        from mysteryshopper.datasets.redial import ReDial

        folder = self.folder.parent / ReDial.folder_name
        if self.split not in _FILMS or not folder.is_dir():
            return super().load_items()
        return ReDial("redial", folder).items()

    def _file(self, part: str) -> Path:
        path = self.folder / f"{part}.jsonl"
        if (found := find_file(path)) is None:
            raise DataError(
                "there is no such file; the dialogues are published as sunnweiwei/user-satisfaction-simulation on"
                " GitHub: put them into this folder, one a line as in `docs/protocols/human-agreement`, or name"
                " another folder with `path:` or MYSTERYSHOPPER_DATA",
                path=path,
            )
        return found


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of the file."""

    role: Role
    text: str
    ratings: tuple[float, ...]


def _dialogue(fields: Fields, part: str) -> HumanDialogue:
    name = fields.id(["dialog_id"])
    turns = [_turn(fields, entry) for entry in fields.take(["turns"]) or ()]
    whole: tuple[float, ...] = ()
    if turns and turns[-1].text == _WHOLE:
        whole = turns.pop().ratings
    if not turns:
        raise fields.error(f"expected a list of turns in 'turns' of {name!r}, got none")
    votes: list[Mapping[str, tuple[float, ...]]] = [{} for _ in turns]
    for place, turn in enumerate(turns):
        if turn.ratings and place and turns[place - 1].role == "assistant":
            votes[place - 1] = {LABEL: turn.ratings}
    return HumanDialogue(
        name,
        tuple(Message(turn.role, turn.text, author="human") for turn in turns),
        part=part,
        labels=_means({LABEL: whole} if whole else {}),
        message_labels=tuple(map(_means, votes)) if any(votes) else (),
        votes={LABEL: whole} if whole else {},
        message_votes=tuple(votes) if any(votes) else (),
    )


def _turn(fields: Fields, entry: Json) -> _Turn:
    role = _ROLES.get(str(entry.get("role"))) if isinstance(entry, dict) else None
    if role is None or not isinstance(entry.get("text"), str):
        raise fields.error(f"expected turns of USER or SYSTEM with a text in 'turns', got {entry!r}")
    ratings = entry.get("sat") or []
    if not isinstance(ratings, list) or not all(_is_rating(one) for one in ratings):
        raise fields.error(f"expected ratings from {_LOW} to {_HIGH} in 'sat', got {ratings!r}")
    return _Turn(role, entry["text"], tuple(map(float, ratings)))


def _is_rating(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and _LOW <= value <= _HIGH


def _means(votes: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    return {label: sum(given) / len(given) for label, given in votes.items()}
