"""Leaks: what in a dialogue gives its targets away before anybody has recommended them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Item, Message, Side
from mysteryshopper.items.catalog import Catalog
from mysteryshopper.items.folding import fold
from mysteryshopper.items.forms import bare_title, bracket_forms
from mysteryshopper.items.mentions import Found
from mysteryshopper.items.traces import Sought, Trace, fuzzy_traces, lone_words, sought, value_traces
from mysteryshopper.reading import title_key

LeakKind = Literal["title", "alias", "fuzzy", "history", "attribute"]
"""How a target was given away.

- `title`: its title, with or without its year.
- `alias`: another title it goes by, or one that stands in brackets in its title.
- `fuzzy`: its title or an alias, misspelt.
- `history`: the message links to it (`Message.items`).
- `attribute`: its title as part of one of its own attribute values (a director who gave a film its name).
"""


@dataclass(frozen=True, slots=True)
class Leak:
    """One place where a target is given away.

    Attributes:
        turn: Number of the turn of that side, from 1; neighbouring messages of one side are one turn.
        side: Who gave it away.
        item_id: The target.
        kind: How.
        message: Index of the message.
        text: The words that did it; empty for `history`.
    """

    turn: int
    side: Side
    item_id: str
    kind: LeakKind
    message: int
    text: str = ""


def find_leaks(messages: Sequence[Message], targets: Sequence[Item], catalog: Catalog) -> list[Leak]:
    """Find what gives targets away in a dialogue, or in the history it starts from.

    Titles count as in `Catalog.mention_spans`, with two differences: several targets of one title all leak by it, and a
    one-word title of four letters or more also counts in running text where a capital marks it inside a sentence
    (`something like Lantern`; never `It` or `Up`). A longer title of the catalogue hides a target's: a sequel leaks no
    original. Misspelt titles are found as `traces.fuzzy_traces` says.

    Args:
        messages: What was said, oldest first; those of role `system` and `tool` are not looked at.
        targets: The items that were to be found; they need not be in the catalogue.
        catalog: All items, for the titles that hide others.

    Returns:
        All leaks on both sides in order, of each message and target one of every kind. A system that names a target
        leaks it in a history, and does its work in the dialogue that follows: see `user_leaks`.
    """
    wanted = Catalog(targets)
    marks = [sought(target) for target in wanted]
    leaks: list[Leak] = []
    turns: dict[Side, int] = {"user": 0, "system": 0}
    speaker: Side | None = None
    for index, message in enumerate(messages):
        if message.role not in ("user", "assistant"):
            continue
        if message.side != speaker:
            speaker = message.side
            turns[speaker] += 1
        linked = {item.id for item in message.items}
        found: dict[tuple[str, LeakKind], str] = {
            (target.id, "history"): "" for target in wanted if target.id in linked
        }
        for item_id, kind, text in _in_text(message.text, wanted, marks, catalog):
            found.setdefault((item_id, kind), text)
        for (item_id, kind), text in found.items():
            leaks.append(Leak(turns[speaker], speaker, item_id, kind, index, text))
    return leaks


def user_leaks(leaks: Iterable[Leak]) -> list[Leak]:
    """Return the leaks by the user before the system named that target: what a simulated user must not do."""
    named: dict[str, int] = {}
    kept = []
    for leak in leaks:
        if leak.side == "system":
            named.setdefault(leak.item_id, leak.message)
        elif named.get(leak.item_id, leak.message) >= leak.message:
            kept.append(leak)
    return kept


def contains_title(text: str, title: str) -> bool:
    """Whether a title stands in a text letter by letter, in any letter case: also inside words, also with `It` or `Up`.

    This is the plain count that published tables of leaks use; an upper bound for `find_leaks` without `fuzzy`.
    """
    return title.casefold() in text.casefold()


def _in_text(
    text: str, wanted: Catalog, marks: Sequence[Sought], catalog: Catalog
) -> Iterator[tuple[str, LeakKind, str]]:
    """Yield (target, kind, words) of one text; fuzzy ones only for targets not given away otherwise."""
    if not text.strip():
        return
    folded = fold(text)
    given: set[str] = set()
    values = list(value_traces(folded, marks))
    exact = [*_exact(wanted.found(text)), *lone_words(folded, marks)]
    others: list[Found] | None = catalog.found(text) if exact else None  # looked for only where it can matter
    for trace in [*values, *(trace for trace in exact if not _hidden(trace, others or ()))]:
        given.add(trace.item_id)
        inside = any(value.item_id == trace.item_id and _within(trace, value.start, value.end) for value in values)
        if trace in values or not inside:
            words = text[trace.start : trace.end]
            kind: LeakKind = "attribute" if trace in values else _named_by(wanted.get(trace.item_id), words)
            yield trace.item_id, kind, words
    for trace in fuzzy_traces(folded, [mark for mark in marks if mark.item_id not in given]):
        others = catalog.found(text) if others is None else others
        if not any(trace.start < other.end and other.start < trace.end for other in others):
            yield trace.item_id, "fuzzy", text[trace.start : trace.end]


def _exact(found: Iterable[Found]) -> Iterator[Trace]:
    for title in found:
        ids = title.ids if title.match.item_id is None else (title.match.item_id,)
        yield from (Trace(title.start, title.end, item_id) for item_id in ids)


def _hidden(trace: Trace, others: Iterable[Found]) -> bool:
    """Whether a longer title of another item lies over this one."""
    length = trace.end - trace.start
    return any(
        _within(trace, other.start, other.end) and other.end - other.start > length and trace.item_id not in other.ids
        for other in others
    )


def _within(trace: Trace, start: int, end: int) -> bool:
    return start <= trace.start and trace.end <= end


def _named_by(target: Item, words: str) -> LeakKind:
    title, _ = bare_title(target)
    return "title" if title_key(words) in (title_key(title), title_key(bracket_forms(title)[0])) else "alias"
