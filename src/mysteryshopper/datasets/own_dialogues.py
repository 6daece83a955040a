"""A user's own dialogues: one JSON object a dialogue, or one row a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from mysteryshopper.core import Author, DataError, Ended, ItemRef, Json, Message, Role, unknown
from mysteryshopper.datasets.fields import Fields, as_id
from mysteryshopper.datasets.records import HumanDialogue, RecTurn, reference
from mysteryshopper.datasets.rows import Report, Row, stop
from mysteryshopper.reading import split_year

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("user", "seeker", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "recommender", "bot", "agent"), "assistant"),
    "system": "system",
}
_ID = ("id", "dialogue", "dialogue_id", "dialog_id")
_TEXT = ("content", "text")


@dataclass(frozen=True, slots=True)
class SplitDialogue:
    """A dialogue, the split it is in, and its recommending turns."""

    dialogue: HumanDialogue
    split: str
    turns: tuple[RecTurn, ...]


def read_dialogues(
    path: Path, rows: Iterable[Row], catalog: Catalog | None = None, report: Report = stop
) -> Iterator[SplitDialogue]:
    """Yield the dialogues of a table; what is none goes to `report`.

    Either one row a dialogue: `messages` (objects with `role`, `content` and, if wanted, `items` and `labels`), and, if
    wanted, `id` (by default the line), `split`, `user` (who the person was), `system` (the name of the recommender;
    without it, a person is taken to have recommended), `ended` and `labels`. Or one row a message, those of a dialogue
    in order and one after another: `dialogue`, `role`, `content`, `items`, and, in the first, `split`, `user`,
    `system`, `ended`.
    Labels are an object of numbers that people gave. Roles are `user` (or seeker, human, customer) and `assistant` (or
    recommender, bot, agent); `system` is for instructions and may only come first. Items are ids or titles, or objects
    with `id` and `title`.

    Args:
        path: Their file, for messages.
        rows: Its rows.
        catalog: The items that ids and titles are looked up in; without one, items have no ids and there are no
            recommending turns.
        report: Gets the errors.
    """
    seen: dict[str, int] = {}
    for (name, _), group in groupby((Fields(path, row) for row in rows), key=_dialogue):
        said = list(group)
        first = said[0]
        try:
            if name is None and "messages" in first.values:
                name = str(first.line)
            if name is None:
                raise first.error("expected an id in 'id' or 'dialogue', but it is missing")
            if name in seen:
                raise first.error(f"the dialogue {name!r} was there before, in line {seen[name]}; give each its own id")
            seen[name] = first.line
            split = first.text(["split"]) or "all"
            dialogue = _whole(name, said, catalog)
        except DataError as error:
            report(error)
        else:
            yield SplitDialogue(dialogue, split, tuple(_turns(name, dialogue.messages)))


def _dialogue(fields: Fields) -> tuple[str | None, int]:
    """What rows of one dialogue share: its id; a row that holds all its messages shares with none."""
    name = next((as_id(fields.values[column]) for column in _ID if column in fields.values), None)
    return name, fields.line if "messages" in fields.values else 0


def _whole(name: str, said: list[Fields], catalog: Catalog | None) -> HumanDialogue:
    first = said[0]
    user, system, ended = (first.text([column]) for column in ("user", "system", "ended"))
    if ended and ended not in get_args(Ended):
        raise first.error(unknown("way to end", ended, get_args(Ended)))
    labels = _labels(first) if "messages" in first.values else {}
    spoken = list(_messages(said, catalog, "system" if system else "human"))
    if not spoken:
        raise first.error(f"the dialogue {name!r} has no messages")
    marks = tuple(found for _, found in spoken)
    return HumanDialogue(
        name,
        tuple(message for message, _ in spoken),
        user=user,
        system=system,
        ended=ended or None,  # type: ignore[arg-type]
        labels=labels,
        message_labels=marks if any(marks) else (),
    )


def _labels(fields: Fields) -> Mapping[str, float]:
    """Return the numbers of an object `labels`; those that are null are absent."""
    value = fields.take(["labels"])
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise fields.error(f"expected an object of numbers in 'labels', got {value!r}")
    inner = Fields(fields.path, Row(fields.line, value))
    found = {name: inner.number([name]) for name in value}
    return {name: number for name, number in found.items() if number is not None}


def _messages(
    said: list[Fields], catalog: Catalog | None, recommender: Author
) -> Iterator[tuple[Message, Mapping[str, float]]]:
    whole = said[0].take(["messages"])
    if whole is None:
        parts = said
    elif not isinstance(whole, list) or not all(isinstance(part, dict) for part in whole):
        raise said[0].error("expected a list of objects in 'messages'")
    else:
        parts = [Fields(said[0].path, Row(said[0].line, part)) for part in whole]
    for number, fields in enumerate(parts):
        name = fields.text(["role"])
        role = _ROLES.get(name.casefold())
        if role is None:
            raise fields.error(f"expected a role, one of {', '.join(_ROLES)}, got {name!r}")
        if role == "system" and number > 0:
            raise fields.error("a message with role 'system' is an instruction and comes first; is 'assistant' meant?")
        items = tuple(_item(fields, value, catalog) for value in _listed(fields.take(["items"])))
        author = "human" if role == "user" else recommender
        yield Message(role, fields.text(_TEXT), items=items, author=author), _labels(fields)


def _listed(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else value.split("|") if isinstance(value, str) else [value]


def _item(fields: Fields, value: Json, catalog: Catalog | None) -> ItemRef:
    if isinstance(value, dict):
        name, title = as_id(value.get("id")), as_id(value.get("title")) or ""
    else:
        name = as_id(value)
        title = name or ""
    if name is None and not title:
        raise fields.error(f"expected an item's id or title, got {value!r}")
    if catalog is not None:
        found = catalog.find(name) if name is not None else None
        found_id = found.id if found is not None else catalog.match(title).item_id
        if found_id is not None:
            return reference(catalog.get(found_id))
    return ItemRef(None, *split_year(title or name or ""))


def _turns(dialogue: str, messages: tuple[Message, ...]) -> Iterator[RecTurn]:
    for number, message in enumerate(messages):
        if message.role != "assistant" or not any(item.id is not None for item in message.items):
            continue
        yield RecTurn(
            id=f"{dialogue}_{number}",
            dialogue=dialogue,
            history=messages[:number],
            targets=tuple(dict.fromkeys(item.id for item in message.items if item.id is not None)),
            unknown=tuple(item.title for item in message.items if item.id is None),
            response=message.text,
        )
