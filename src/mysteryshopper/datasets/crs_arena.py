"""CRS Arena (Bernard et al. 2025): people's chats with nine recommenders, how they felt, and what raters thought.

A folder holds the chats (`dial_open`, `dial_closed`: who, with which system, satisfied or frustrated), the ratings by
dialogue and by turn (`eval_human_aspects`), and published judges' correlations with them
(`eval_llm_judge_baselines.json`), if wanted. The makers' own files under their own names do as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from mysteryshopper.core import DataError, Ended, Item, Json, Message, Role
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.files import find_file, read_json, suffix
from mysteryshopper.datasets.records import HumanDialogue, Published
from mysteryshopper.datasets.rows import Row, read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_CHATS = (("dial_open.jsonl", "crs_arena_dial_open.json"), ("dial_closed.jsonl", "crs_arena_dial_closed.json"))
_RATED = ("eval_human_aspects.jsonl", "crs_arena_eval.json")
_PUBLISHED = "eval_llm_judge_baselines.json"
_ROLES: Mapping[str, Role] = {"USER": "user", "AGENT": "assistant", "ASST": "assistant"}
_ENDED: Mapping[str, Ended] = {"satisfied": "user_done", "frustrated": "user_gave_up"}
_PARTS: Mapping[str, str] = {"CRSArena-Eval_RD": "redial", "CRSArena-Eval_KG": "opendialkg"}
_SCALES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "relevance",
            "interestingness",
            "understanding",
            "task_completion",
            "interest_arousal",
            "preference_elicitation",
            "explanation",
        ),
        (0, 2),
    ),
    "efficiency": (0, 1),
    "dialog_overall": (0, 4),
}
"""Lowest and highest value of each label, as they occur in the files."""
_STATISTICS: Mapping[str, str] = {"pearson_r": "pearson", "spearman_rho": "spearman"}


class CrsArena(Dataset):
    """CRS Arena, people's chats with nine recommenders, scored by raters (Bernard et al. 2025).

    Split `rated` has the dialogues that raters scored, `all` every one, scored or not. Systems are named as there
    (`barcor_redial`); a dialogue's part is the data set its system was trained on. The items are ReDial's and
    OpenDialKG's together, as far as these lie beside it; an item of both is ReDial's.
    """

    folder_name: ClassVar[str] = "crs_arena"
    dialogue_splits = ("rated", "all")
    label_scales: Mapping[str, tuple[float, float]] = _SCALES

    def __init__(self, folder: Path, block: DataBlock) -> None:
        """Make it over a folder; nothing is read yet."""
        super().__init__(
            "crs-arena", domain=block.domain or "movies", language=block.language or "en", split=block.split
        )
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block."""
        return cls(folder, block)

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Read the dialogues of a split; what raters read counts where the two files differ."""
        rated = {fields.id(["conv_id"]): fields for fields in _objects(self._file(_RATED))}
        found = []
        for names in _CHATS:
            for fields in _objects(self._file(names)):
                name = fields.id(["conversation ID"])
                if split == "all" or name in rated:
                    found.append(_dialogue(name, fields, rated.pop(name, None)))
        if rated:
            name, fields = next(iter(rated.items()))
            raise fields.error(f"rates the dialogue {name!r}, which is in neither file of dialogues")
        return tuple(found)

    def load_items(self) -> Sequence[Item]:
        """Read the items of ReDial and OpenDialKG; ids are theirs behind the name of the data set.

        Raises:
            ConfigError: Neither lies beside this data set.
        """
        from mysteryshopper.datasets.opendialkg import OpenDialKG
        from mysteryshopper.datasets.redial import ReDial
        from mysteryshopper.items import Catalog

        first, second = (
            _items(kind(kind.folder_name, self.folder.parent / kind.folder_name)) for kind in (ReDial, OpenDialKG)
        )
        if not first and not second:
            return super().load_items()
        known = Catalog(first)
        return (*first, *(item for item in second if known.match(item.title, item.year).status == "not_found"))

    def published(self) -> Sequence[Published]:
        """Return the published correlations, if their file is there."""
        path = find_file(self.folder / _PUBLISHED)
        return () if path is None else tuple(_published(path, read_json(path)))

    def _file(self, names: Sequence[str]) -> Path:
        for name in names:
            if (path := find_file(self.folder / name)) is not None:
                return path
        raise DataError(
            f"there is no such file (nor {names[-1]}); the dialogues are published as iai-group/crsarena-dial and the"
            " ratings as hideaki-j/crsarena-eval on GitHub: put their files into this folder, or name another one with"
            " `path:` or MYSTERYSHOPPER_DATA",
            path=self.folder / names[0],
        )


def _items(dataset: Dataset) -> tuple[Item, ...]:
    try:
        items = dataset.items()
    except DataError:
        if getattr(dataset, "folder", Path()).is_dir():
            raise
        return ()
    return tuple(
        Item(f"{dataset.name}:{item.id}", item.title, item.year, item.attributes, item.text, item.aliases)
        for item in items
    )


def _objects(path: Path) -> Iterator[Fields]:
    """Yield the objects of a JSONL file, or of a JSON list (each with its number for a line)."""
    if suffix(path) != ".json":
        yield from (Fields(path, row) for row in read_rows(path))
        return
    value = read_json(path)
    if not isinstance(value, list):
        raise DataError("expected a JSON list of dialogues", path=path)
    for number, entry in enumerate(value, start=1):
        if not isinstance(entry, dict):
            raise DataError(f"expected an object for every dialogue, got {entry!r}", path=path, line=number)
        yield Fields(path, Row(number, entry))


def _dialogue(name: str, chat: Fields, rated: Fields | None) -> HumanDialogue:
    system, user = (_named(chat, side) for side in ("agent", "user"))
    feeling = (chat.take(["metadata"]) or {}).get("sentiment")
    if rated is None:
        said, scores = _said(chat, "conversation", "participant"), None
    else:
        said, scores = _said(rated, "dialog", "role"), rated.take(["dial_level_aggregated"])
    return HumanDialogue(
        name,
        tuple(message for message, _ in said),
        notes={"feeling": str(feeling)} if feeling else {},
        user=user,
        system=system,
        part=next((part for part in _PARTS.values() if system.endswith(f"_{part}")), ""),
        ended=_ENDED.get(str(feeling)),
        labels=_numbers(chat, scores),
        message_labels=tuple(found for _, found in said) if any(found for _, found in said) else (),
    )


def _named(fields: Fields, side: str) -> str:
    value = fields.take([side])
    name = value.get("id") if isinstance(value, dict) else None
    if not isinstance(name, str):
        raise fields.error(f"expected an object with 'id' in {side!r}, got {value!r}")
    return name


def _said(fields: Fields, column: str, speaker: str) -> list[tuple[Message, Mapping[str, float]]]:
    found: list[tuple[Message, Mapping[str, float]]] = []
    for entry in fields.take([column]) or ():
        role = _ROLES.get(str(entry.get(speaker))) if isinstance(entry, dict) else None
        if role is None or not isinstance(entry.get("utterance"), str):
            raise fields.error(f"expected utterances by USER or a system in {column!r}, got {entry!r}")
        message = Message(role, entry["utterance"], author="human" if role == "user" else "system")
        found.append((message, _numbers(fields, entry.get("turn_level_aggregated"))))
    if not found:
        raise fields.error(f"expected a list of utterances in {column!r}, got none")
    return found


def _numbers(fields: Fields, value: Json) -> dict[str, float]:
    """Return the scores of an object; those left out or null are absent."""
    if value is None:
        return {}
    if not isinstance(value, dict) or any(not isinstance(number, int | float | None) for number in value.values()):
        raise fields.error(f"expected an object of numbers, got {value!r}")
    return {str(name): float(number) for name, number in value.items() if number is not None}


def _published(path: Path, value: Any) -> Iterator[Published]:
    try:
        for part, judges in value.items():
            for judge, labels in judges.items():
                for label, figures in labels.items():
                    for key, statistic in _STATISTICS.items():
                        if figures[key] is not None:
                            yield Published(judge, label, _PARTS[part], statistic, float(figures[key]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"expected part, judge, label and then {' and '.join(_STATISTICS)} ({error!r})", path=path
        ) from None
