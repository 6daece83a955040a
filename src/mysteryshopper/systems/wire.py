"""The form in which HTTP and Python systems are asked and answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from mysteryshopper.core import CallFailed, History, ItemRef, Json, Parts, SystemReply

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

Resolve: TypeAlias = Callable[[SystemReply], SystemReply]
"""Ties the items of a reply to the catalogue."""


def body_messages(history: History) -> list[dict[str, str]]:
    """Return the messages as `{"role", "content"}`, everything as it was said; empty ones are left out."""
    return [{"role": message.role, "content": message.text} for message in history.messages if message.text.strip()]


def read_reply(answer: Json, *, silent: bool = False) -> SystemReply:
    """Read what a system answered: a text, or `{"content" | "messages": …, "items"?: [{"id", "title", "year"}]}`.

    With `silent` it may leave its words out where it gives items: a ranking needs none.

    Raises:
        CallFailed: It has another form (`unreadable`, the system's fault).
    """
    if isinstance(answer, str):
        return SystemReply(messages=(answer,))
    if not isinstance(answer, Mapping):
        raise _unreadable(f"a text or an object was expected, not {type(answer).__name__}")
    if "messages" in answer:
        messages = answer["messages"]
        if not isinstance(messages, list):
            raise _unreadable('"messages" must be a list')
        texts = tuple(_text(message) for message in messages)
    elif "content" in answer:
        texts = (_text(answer["content"]),)
    elif silent and "items" in answer:
        texts = ()
    else:
        raise _unreadable('it has neither "content" nor "messages"')
    items = answer.get("items") or []
    if not isinstance(items, list):
        raise _unreadable('"items" must be a list')
    return SystemReply(messages=texts, items=tuple(_item(item) for item in items))


def resolver(catalog: Catalog | None) -> Resolve:
    """Return what ties a reply's items to a catalogue.

    An item is found by its id where the title agrees, else by title and year; one the catalogue does not hold keeps
    its title and loses its id. A reply without a list of items shows what its text mentions. Without a catalogue
    everything stays as it is.
    """
    if catalog is None:
        return lambda reply: reply

    def resolve(reply: SystemReply) -> SystemReply:
        items = reply.items or tuple(
            ItemRef(name) for name in dict.fromkeys(name for text in reply.messages for name in catalog.mentions(text))
        )
        found = tuple(_tied(item, catalog) for item in items)
        return SystemReply(reply.messages, found, reply.tool_calls, reply.usage, reply.notes, reply.calls)

    return resolve


def resolver_of(parts: Parts) -> Resolve:
    """Return the resolver for the experiment's data set; without one, items stay as they are."""
    dataset = parts.dataset() if parts.has_dataset else None
    return resolver(dataset.catalog() if dataset is not None else None)


def _tied(item: ItemRef, catalog: Catalog) -> ItemRef:
    known = catalog.find(item.id) if item.id is not None else None
    if known is not None and item.title and catalog.match(item.title, item.year).item_id not in (known.id, None):
        known = None
    if known is None and item.title:
        match = catalog.match(item.title, item.year)
        known = catalog.find(match.item_id) if match.item_id is not None else None
    if known is None:
        return ItemRef(None, item.title or item.id or "", item.year)
    return ItemRef(known.id, known.title, known.year)


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("text"))
    if not isinstance(value, str):
        raise _unreadable(f"a message must be a text, not {type(value).__name__}")
    return value


def _item(value: Json) -> ItemRef:
    if isinstance(value, str):
        return ItemRef(None, value)
    if not isinstance(value, Mapping):
        raise _unreadable(f"an item must be an object with id or title, not {type(value).__name__}")
    name, title, year = value.get("id"), value.get("title"), value.get("year")
    if name is None and not title:
        raise _unreadable("an item has neither id nor title")
    if not isinstance(year, int) or isinstance(year, bool):
        year = int(year) if isinstance(year, str) and year.isascii() and year.isdigit() else None
    return ItemRef(None if name is None else str(name), str(title or ""), year)


def _unreadable(why: str) -> CallFailed:
    return CallFailed(f"the system's answer can't be read: {why}", ended="unreadable", fault="system")
