"""Dialogues as a report shows them: every text as it was, within limits that keep the page readable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from mysteryshopper.core import ItemRef, JsonObject, Message, Node, Shown, StoredDialogue, StoredVerdict
from mysteryshopper.report.text import one_line, shorten

MOST_DIALOGUES = 200
"""Dialogues that a page shows."""

MOST_BYTES = 1_200_000
"""Bytes of dialogue text, as written in HTML, after which no further dialogue is shown."""

MOST_ITEMS = 10
"""Items that a page shows of one list."""

_SAID = {"accepts": "accepts", "rejects": "turns down", "rating": "rates", "end": "ends:", "action": "action:"}
_ACTED_ON = ("thought", "tool_calls", "notes", "raw")


@dataclass(frozen=True, slots=True)
class Text:
    """A text as shown and how many characters of it are not."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item shown in a system turn at a rank from 1; `mine` is `yes`, `no` or `unknown`."""

    rank: int
    title: str
    mine: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message or one turn without words.

    Attributes:
        side: `user` or `system`.
        who: Who spoke, in words.
        node: Path of the node.
        text: What was said.
        items: Items shown: the first `MOST_ITEMS`, and wanted ones wherever they stand.
        more_items: How many are left out.
        thought: The simulated user's reasoning, which the other side never sees.
        did: What the speaker did beside talking.
        flags: Fault detectors that fired on the first attempt.
        more: Everything else kept on the node, as JSON.
    """

    side: str
    who: str
    node: str
    text: Text
    items: tuple[ShownItem, ...] = ()
    more_items: int = 0
    thought: Text | None = None
    did: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    more: Text | None = None


@dataclass(frozen=True, slots=True)
class Opinion:
    """One ruling of a judge on a dialogue."""

    judge: str
    criterion: str
    value: str
    status: str
    order: str


@dataclass(frozen=True, slots=True)
class DialogueView:
    """One dialogue; `success` is `yes`, `no` or empty, `data` what the protocol measures from, as JSON."""

    id: str
    unit: str
    user: str
    system: str
    repeat: int
    profile: str
    ended: str
    fault: str
    detail: str
    success: str
    turns: tuple[Turn, ...]
    data: Text | None = None
    opinions: tuple[Opinion, ...] = ()


@dataclass(frozen=True, slots=True)
class Gallery:
    """The dialogues of a page, and whether there are more."""

    dialogues: tuple[DialogueView, ...]
    more: bool


def gallery(dialogues: Iterable[StoredDialogue], verdicts: Iterable[StoredVerdict]) -> Gallery:
    """Return the first dialogues, up to `MOST_DIALOGUES` and `MOST_BYTES`; at least one, if there is one."""
    chosen: list[StoredDialogue] = []
    used, more = 0, False
    for stored in dialogues:
        size = sum(_weight(text) for text in _texts(stored))
        if len(chosen) == MOST_DIALOGUES or (chosen and used + size > MOST_BYTES):
            more = True
            break
        chosen.append(stored)
        used += size
    opinions = _opinions({stored.dialogue.id for stored in chosen}, verdicts)
    return Gallery(tuple(_view(stored, opinions.get(stored.dialogue.id, ())) for stored in chosen), more)


def _view(stored: StoredDialogue, opinions: Sequence[Opinion]) -> DialogueView:
    dialogue, unit = stored.dialogue, stored.unit
    titles = {shown.item.id: _title(shown.item) for node in dialogue.nodes for shown in node.items if shown.item.id}
    return DialogueView(
        id=one_line(dialogue.id),
        unit=one_line(unit.id),
        user=one_line(unit.user),
        system=one_line(unit.system),
        repeat=unit.repeat,
        profile=one_line(dialogue.profile),
        ended=dialogue.ended,
        fault=dialogue.fault,
        detail=one_line(dialogue.detail, 2_000),
        success="" if dialogue.success is None else "yes" if dialogue.success else "no",
        turns=tuple(turn for node in dialogue.nodes for turn in _turns(node, unit.user, unit.system, titles)),
        data=_json(dialogue.data),
        opinions=tuple(opinions),
    )


def _turns(node: Node, user: str, system: str, titles: Mapping[str, str]) -> list[Turn]:
    """Return a turn for each message; what belongs to the node as a whole stands with the last one."""
    messages = node.messages or (Message("user" if node.side == "user" else "assistant", ""),)
    turns = [Turn(one.side, _who(one, user, system), node.id, _text(one.text)) for one in messages[:-1]]
    last, data = messages[-1], node.turn_data
    thought = data.get("thought")
    known = {*_SAID, "thought"}
    if str(data.get("raw", "")).strip() == last.text.strip():
        known.add("raw")  # it says nothing that is not shown already
    more = {key: value for key, value in data.items() if key not in known and value not in _EMPTY}
    shown = tuple(_item(rank, one) for rank, one in enumerate(node.items, 1) if rank <= MOST_ITEMS or one.mine)
    turns.append(
        Turn(
            last.side,
            _who(last, user, system),
            node.id,
            _text(last.text),
            items=shown,
            more_items=len(node.items) - len(shown),
            thought=_text(str(thought)) if thought else None,
            did=tuple(_did(key, data[key], titles) for key in _SAID if data.get(key) not in _EMPTY),
            flags=tuple(one_line(flag) for flag in node.flags),
            more=_json(more),
        )
    )
    return turns


_EMPTY: tuple[object, ...] = (None, "", [], (), {})


def _who(message: Message, user: str, system: str) -> str:
    if message.author == "human":
        return "person (seeker)" if message.side == "user" else "person (recommender)"
    if message.role == "tool":
        return "tool"
    return f"simulated user {one_line(user)}" if message.side == "user" else f"system {one_line(system)}"


def _json(data: JsonObject) -> Text | None:
    return _text(json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)) if data else None


def _text(text: str) -> Text:
    return Text(*shorten(text))


def _item(rank: int, shown: Shown) -> ShownItem:
    mine = "unknown" if shown.mine is None else "yes" if shown.mine else "no"
    return ShownItem(rank, one_line(_title(shown.item)) + ("" if shown.item.id else " [not in the catalogue]"), mine)


def _title(item: ItemRef) -> str:
    return (item.title or item.id or "untitled") + (f" ({item.year})" if item.year else "")


def _did(key: str, value: object, titles: Mapping[str, str]) -> str:
    if isinstance(value, (list, tuple)):
        return one_line(f"{_SAID[key]} {', '.join(titles.get(str(part), str(part)) for part in value)}")
    return one_line(f"{_SAID[key]} {value}")


def _texts(stored: StoredDialogue) -> Iterable[str]:
    yield str(stored.dialogue.data)
    for node in stored.dialogue.nodes:
        yield from (message.text for message in node.messages)
        yield from (str(node.turn_data.get(key) or "") for key in _ACTED_ON)
        yield from (shown.item.title for shown in node.items[:MOST_ITEMS])


def _weight(text: str) -> int:
    """Bytes that a text takes in the page, its markup included."""
    return len(escape(text[:20_000]).encode("utf-8", "replace")) + 150


def _opinions(wanted: set[str], verdicts: Iterable[StoredVerdict]) -> dict[str, list[Opinion]]:
    found: dict[str, list[Opinion]] = {}
    for stored in verdicts:
        for dialogue in {exhibit.dialogue for exhibit in stored.case.exhibits} & wanted:
            found.setdefault(dialogue, []).extend(
                Opinion(
                    one_line(stored.judge),
                    one_line(ruling.criterion),
                    one_line("–" if ruling.value is None else str(ruling.value)),
                    ruling.status,
                    ruling.order,
                )
                for ruling in stored.verdict.rulings
            )
    return found
