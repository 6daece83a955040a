"""Recommending turns whose entities are linked to a small knowledge graph: the form ReDial and OpenDialKG come in here.

A folder holds `kg/entity2id.json` (name to entity id), `kg/item_ids.json` (entity ids that can be recommended) and
`kg/id2info.json` (facts by a key that is no entity id; the two join through the item's name). A file of turns has one
JSON object a line: dialog_id, turn_id, context (texts), entity (names in the context), rec (names), resp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from mysteryshopper.core import DataError, Item, ItemRef, Json, Message
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.fields import Fields, as_id, as_words
from mysteryshopper.datasets.files import find_file, read_json
from mysteryshopper.datasets.placing import place
from mysteryshopper.datasets.records import RecTurn, reference
from mysteryshopper.datasets.rows import Row, read_rows
from mysteryshopper.reading import split_year

_NOT_ATTRIBUTES = frozenset({"name", "plot", "year", "imdb_id"})


class LinkedDataset(Dataset):
    """A data set in this form. Item ids are entity ids as strings.

    Attributes:
        turn_files: File of recommending turns by split, relative to the folder.
    """

    turn_files: Mapping[str, str] = {}

    def __init__(self, name: str, folder: Path, **options: Any) -> None:
        """Make it over a folder; nothing is read yet."""
        super().__init__(name, **options)
        self.folder = folder

    @property
    def turn_splits(self) -> Sequence[str]:  # type: ignore[override]
        """Splits with recommending turns."""
        return tuple(self.turn_files)

    def file(self, name: str) -> Path:
        """Return the path of one of its files.

        Raises:
            DataError: It is not there.
        """
        return needed(self.folder, name, self.name)

    @cached_property
    def names(self) -> Mapping[str, ItemRef]:
        """Catalogued items by the name the data gives them (with the year, where it has one)."""
        refs = {item.id: reference(item) for item in self.items()}
        return {name: refs[number] for name, number in self._entities.items() if number in refs}

    def load_items(self) -> Sequence[Item]:
        """Read the items: every recommendable entity with the facts of its name, in order of entity id."""
        facts = {info.get("name"): info for info in self._json("kg/id2info.json", dict).values()}
        named = {number: name for name, number in self._entities.items()}
        ids = [str(number) for number in sorted(self._json("kg/item_ids.json", list))]
        lost = [number for number in ids if number not in named]
        if lost:
            raise DataError(f"holds the item id {lost[0]}, which is no entity id", path=self.file("kg/item_ids.json"))
        return tuple(_item(number, named[number], facts.get(named[number], {})) for number in ids)

    def load_turns(self, split: str) -> Sequence[RecTurn]:
        """Read the recommending turns of a split."""
        path = self.file(self.turn_files[split])
        return tuple(self._turn(path, row) for row in read_rows(path))

    @cached_property
    def _entities(self) -> Mapping[str, str]:
        return {name: str(number) for name, number in self._json("kg/entity2id.json", dict).items()}

    def _json(self, name: str, kind: type[Any]) -> Any:
        path = self.file(name)
        value = read_json(path)
        if not isinstance(value, kind):
            raise DataError(f"expected a JSON {'object' if kind is dict else 'list'}", path=path)
        return value

    def _turn(self, path: Path, row: Row) -> RecTurn:
        fields = Fields(path, row)
        dialogue, number = fields.id(["dialog_id"]), fields.id(["turn_id"])
        texts, entities, names = (_texts(fields, column) for column in ("context", "entity", "rec"))
        targets = [self.names.get(name) for name in names]
        return RecTurn(
            id=f"{dialogue}_{number}",
            dialogue=dialogue,
            history=self._history(texts, entities),
            targets=tuple(ref.id for ref in targets if ref is not None and ref.id is not None),
            unknown=tuple(name for name, ref in zip(names, targets, strict=True) if ref is None),
            entities=tuple(entities),
            response=fields.text(["resp"]),
        )

    def _history(self, texts: Sequence[str], entities: Sequence[str]) -> tuple[Message, ...]:
        """Give each text its role and its entities.

        The list alternates and the turn that follows it is the recommender's, so roles are counted from its end. Where
        the list begins with the seeker (an empty text stands for them if the recommender opened), counting from the
        front says the same. Two lists of OpenDialKG begin with the recommender and have no such empty text: from the
        front, their roles would be swapped.
        """
        messages = []
        for place_from_end, (text, found) in enumerate(
            zip(reversed(texts), reversed(place(entities, texts)), strict=True)
        ):
            items = tuple(self.names[name] for name in found if name in self.names)
            others = tuple(name for name in found if name not in self.names)
            role = "user" if place_from_end % 2 == 0 else "assistant"
            if text.strip() or found:
                messages.append(Message(role, text, items=items, entities=others, author="human"))  # type: ignore[arg-type]
        return tuple(reversed(messages))


def needed(folder: Path, name: str, dataset: str) -> Path:
    """Return the path of a data set's file (or of its `.gz` twin).

    Raises:
        DataError: It is not there; the message says how to get it.
    """
    path = find_file(folder / name)
    if path is None:
        raise DataError(
            f"there is no such file (nor with .gz); get the data with `mysteryshopper data get {dataset}`, or name the"
            " folder that holds it with `path:` or MYSTERYSHOPPER_DATA",
            path=folder / name,
        )
    return path


def _item(number: str, name: str, facts: Mapping[str, Json]) -> Item:
    title, year = split_year(name)
    if year is None and str(facts.get("year", "")).isdigit():
        year = int(facts["year"])
    attributes = {
        key: words for key, value in facts.items() if key not in _NOT_ATTRIBUTES and (words := _distinct(value))
    }
    return Item(number, title, year, attributes, text=str(facts.get("plot") or ""))


def _distinct(value: Json) -> tuple[str, ...]:
    return as_words(list(value) if isinstance(value, list) else [value]) or ()


def _texts(fields: Fields, column: str) -> list[str]:
    value = fields.take([column])
    if not isinstance(value, list):
        raise fields.error(f"expected a list of texts in {column!r}, got {value!r}")
    texts = [as_id(part) for part in value]
    if None in texts:
        raise fields.error(f"expected only texts in the list {column!r}")
    return [text for text in texts if text is not None]
