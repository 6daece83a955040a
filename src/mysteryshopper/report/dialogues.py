"""Dialogues as a report shows them, and how they are spread over pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from mysteryshopper.core import JsonObject, StoredDialogue
from mysteryshopper.report.index import MOST_DIALOGUES, OUTCOMES, Entry, Index
from mysteryshopper.report.opinions import Opinion
from mysteryshopper.report.text import LONGEST, one_line
from mysteryshopper.report.turns import MOST_ITEMS, Text, Turn, as_json, turns_of

MOST_BYTES = 2_400_000
"""Bytes of dialogue text, as written in HTML, after which a page takes no further dialogue."""

_ACTED_ON = ("thought", "tool_calls", "notes", "raw")


@dataclass(frozen=True, slots=True)
class DialogueView:
    """One dialogue.

    Attributes:
        entry: What the index says of it.
        id: Its id.
        unit: Id of the unit.
        repeat: Number of the repeat.
        profile: Id of the user's profile.
        ended: How it ended.
        fault: Whose fault it was.
        detail: One sentence more.
        outcome: The outcome in words.
        opening: The first words, for its line in the list.
        wanted: What the user wished for, and what of it they kept to themselves; empty where the protocol says nothing.
        turns: What was said.
        data: What the protocol measures from, as JSON.
        opinions: What judges ruled on the whole dialogue.
        verdicts: All rulings as filters call them.
        flags: Detectors that fired anywhere in it.
    """

    entry: Entry
    id: str
    unit: str
    repeat: int
    profile: str
    ended: str
    fault: str
    detail: str
    outcome: str
    opening: str
    wanted: str
    turns: tuple[Turn, ...]
    data: Text | None
    opinions: tuple[Opinion, ...]
    verdicts: tuple[str, ...]
    flags: tuple[str, ...]


Pages = tuple[tuple[int, ...], ...]
"""Places in the index by page; the first page is there even if it is empty."""


def lay_out(chosen: Iterable[StoredDialogue], index: Index) -> Pages:
    """Spread the chosen dialogues, in their order, over pages, streaming.

    A page takes up to `MOST_DIALOGUES` and up to `MOST_BYTES`, and at least one dialogue.
    """
    pages: list[list[int]] = [[]]
    used = 0
    for place, stored in zip(index.chosen, chosen, strict=True):
        size = weight(stored)
        if pages[-1] and (len(pages[-1]) == MOST_DIALOGUES or used + size > MOST_BYTES):
            pages.append([])
            used = 0
        pages[-1].append(place)
        used += size
    return tuple(tuple(page) for page in pages)


def views(
    chosen: Iterable[StoredDialogue], index: Index, pages: Pages, opinions: Callable[[str], Sequence[Opinion]]
) -> Iterator[list[DialogueView]]:
    """Yield the dialogues of each page, from the chosen ones in their order; one page is in memory at a time."""
    stream = iter(chosen)
    for page in pages:
        yield [
            _view(stored, index.entries[place], opinions(stored.dialogue.id))
            for place, stored in zip(page, islice(stream, len(page)), strict=True)
        ]


def _view(stored: StoredDialogue, entry: Entry, opinions: Sequence[Opinion]) -> DialogueView:
    dialogue, unit = stored.dialogue, stored.unit
    nodes = {node.id for node in dialogue.nodes}
    first = next((message.text for node in dialogue.nodes for message in node.messages if message.text.strip()), "")
    return DialogueView(
        entry=entry,
        id=one_line(dialogue.id),
        unit=one_line(unit.id),
        repeat=unit.repeat,
        profile=one_line(dialogue.profile),
        ended=dialogue.ended,
        fault=dialogue.fault,
        detail=one_line(dialogue.detail, 2_000),
        outcome=OUTCOMES[entry.outcome] if entry.outcome != "other" else dialogue.ended.replace("_", " "),
        opening=one_line(first, 110),
        wanted=_wanted(dialogue.data),
        turns=turns_of(dialogue.nodes, unit.user, unit.system, opinions),
        data=as_json(dialogue.data),
        opinions=tuple(opinion for opinion in opinions if opinion.node not in nodes),
        verdicts=tuple(dict.fromkeys(opinion.token for opinion in opinions if not opinion.control)),
        flags=tuple(dict.fromkeys(one_line(flag) for node in dialogue.nodes for flag in node.flags)),
    )


def _wanted(data: JsonObject) -> str:
    wish, hidden = data.get("wish"), data.get("hidden")
    kept = ", ".join(map(str, hidden)) if isinstance(hidden, (list, tuple)) else ""
    held_back = f" Kept to themselves until asked for or missed: {kept}." if kept else ""
    return one_line(f"{wish}{held_back}", 2_000) if isinstance(wish, str) and wish else ""


def weight(stored: StoredDialogue) -> int:
    """Return about how many bytes a dialogue takes in a page, its markup and rulings included."""
    nodes = stored.dialogue.nodes
    items = sum(min(len(node.items), MOST_ITEMS) for node in nodes)
    return _A_DIALOGUE + _A_TURN * len(nodes) + _AN_ITEM * items + sum(_bytes(text) for text in _texts(stored))


_A_DIALOGUE, _A_TURN, _AN_ITEM = 3_500, 500, 120


def _texts(stored: StoredDialogue) -> Iterable[str]:
    yield str(stored.dialogue.data)
    for node in stored.dialogue.nodes:
        yield from (message.text for message in node.messages)
        yield from (str(node.turn_data.get(key) or "") for key in _ACTED_ON)
        yield from (shown.item.title for shown in node.items[:MOST_ITEMS])


def _bytes(text: str) -> int:
    return len(escape(text[:LONGEST]).encode("utf-8", "replace"))
