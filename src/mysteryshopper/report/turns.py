"""Turns of a dialogue as a report shows them: every text as it was, within limits that keep the page readable."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import ItemRef, JsonObject, Message, Node, Shown
from mysteryshopper.report.opinions import Opinion
from mysteryshopper.report.text import one_line, shorten

MOST_ITEMS = 10
"""Items that a page shows of one list."""

_SAID = {"accepts": "accepts", "rejects": "turns down", "rating": "rates", "end": "ends:"}
_APART = {"thought", "action", "raw"}
_EMPTY: tuple[object, ...] = (None, "", [], (), {})


@dataclass(frozen=True, slots=True)
class Text:
    """A text as shown and how many characters of it are not."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item shown in a system turn at a rank from 1.

    Attributes:
        rank: Its place in the list.
        title: Title and year.
        mine: `yes`, `no` or `unknown`: what the user wanted.
        misses: Attributes of the wish it is known not to meet, in words.
    """

    rank: int
    title: str
    mine: str
    misses: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message or one turn without words.

    Attributes:
        number: Its place in the dialogue, from 1.
        side: `user` or `system`.
        who: Who spoke, in words.
        node: Path of the node.
        text: What was said.
        items: Items shown: the first `MOST_ITEMS`, and wanted ones wherever they stand.
        more_items: How many are left out.
        action: The action that the speaker chose.
        thought: The simulated user's reasoning, which the other side never sees.
        raw: The reply as it came, where the words shown were cut or read from it.
        did: What the speaker did beside talking.
        flags: Fault detectors that fired on the first attempt.
        ms: How long the turn took, in words; empty where that is not known.
        opinions: What judges ruled on this very turn.
        remarks: What judges found in it for rulings on the whole dialogue: judge, criterion and text.
        more: Everything else kept on the node, as JSON.
    """

    number: int
    side: str
    who: str
    node: str
    text: Text
    items: tuple[ShownItem, ...] = ()
    more_items: int = 0
    action: str = ""
    thought: Text | None = None
    raw: Text | None = None
    did: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    ms: str = ""
    opinions: tuple[Opinion, ...] = ()
    remarks: tuple[tuple[str, str, str], ...] = ()
    more: Text | None = None


def turns_of(nodes: Sequence[Node], user: str, system: str, opinions: Sequence[Opinion]) -> tuple[Turn, ...]:
    """Return a turn for each message; what belongs to a node as a whole stands with its last one."""
    titles = {shown.item.id: title_of(shown.item) for node in nodes for shown in node.items if shown.item.id}
    ruled: dict[str, list[Opinion]] = defaultdict(list)
    remarks: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for opinion in opinions:
        ruled[opinion.node].append(opinion)
        for place, text in opinion.remarks:
            if place != opinion.node:
                remarks[place].append((opinion.judge, opinion.criterion, text))
    turns: list[Turn] = []
    for node in nodes:
        speaker = node.seen_by[0] if node.side == "system" and node.seen_by else system  # in a tree, one of several
        messages = node.messages or (Message("user" if node.side == "user" else "assistant", ""),)
        for one in messages[:-1]:
            turns.append(Turn(len(turns) + 1, one.side, _who(one, user, speaker), one_line(node.id), _text(one.text)))
        who = _who(messages[-1], user, speaker)
        about = tuple(ruled.get(node.id, ())), tuple(remarks.get(node.id, ()))
        turns.append(_last(node, messages[-1], len(turns) + 1, who, titles, *about))
    return tuple(turns)


def _last(
    node: Node,
    message: Message,
    number: int,
    who: str,
    titles: Mapping[str, str],
    opinions: tuple[Opinion, ...],
    remarks: tuple[tuple[str, str, str], ...],
) -> Turn:
    data = node.turn_data
    thought, raw = data.get("thought"), str(data.get("raw") or "")
    if raw.strip() == message.text.strip():
        raw = ""  # it says nothing that is not shown already
    more = {key: value for key, value in data.items() if key not in _SAID.keys() | _APART and value not in _EMPTY}
    if node.prompt:
        more["prompt"] = node.prompt
    shown = tuple(_item(rank, one) for rank, one in enumerate(node.items, 1) if rank <= MOST_ITEMS or one.mine)
    return Turn(
        number,
        message.side,
        who,
        one_line(node.id),
        _text(message.text),
        items=shown,
        more_items=len(node.items) - len(shown),
        action=one_line(str(data.get("action") or "")),
        thought=_text(str(thought)) if thought else None,
        raw=_text(raw) if raw else None,
        did=tuple(_did(key, data[key], titles) for key in _SAID if data.get(key) not in _EMPTY),
        flags=tuple(one_line(flag) for flag in node.flags),
        ms=duration(node.ms) if node.ms else "",
        opinions=opinions,
        remarks=remarks,
        more=as_json(more),
    )


def duration(ms: float) -> str:
    """Return a duration in words: milliseconds below one second, else seconds."""
    return f"{ms / 1000:,.1f} s" if ms >= 1000 else f"{ms:.0f} ms" if ms >= 1 else "under 1 ms"


def as_json(data: JsonObject) -> Text | None:
    """Return data as JSON text, or None where there is none."""
    return _text(json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)) if data else None


def title_of(item: ItemRef) -> str:
    """Return an item's title and year."""
    return (item.title or item.id or "untitled") + (f" ({item.year})" if item.year else "")


def _who(message: Message, user: str, system: str) -> str:
    if message.author == "human":
        return "person (seeker)" if message.side == "user" else "person (recommender)"
    if message.role == "tool":
        return "tool"
    return one_line(f"simulated user {user}" if message.side == "user" else f"system {system}")


def _text(text: str) -> Text:
    return Text(*shorten(text))


def _item(rank: int, shown: Shown) -> ShownItem:
    mine = "unknown" if shown.mine is None else "yes" if shown.mine else "no"
    title = one_line(title_of(shown.item)) + ("" if shown.item.id else " [not in the catalogue]")
    return ShownItem(rank, title, mine, one_line(", ".join(shown.misses)))


def _did(key: str, value: object, titles: Mapping[str, str]) -> str:
    if isinstance(value, (list, tuple)):
        return one_line(f"{_SAID[key]} {', '.join(titles.get(str(part), str(part)) for part in value)}")
    return one_line(f"{_SAID[key]} {value}")
