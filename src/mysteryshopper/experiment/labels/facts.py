"""What the catalogue says of the items of a case, for people who have never seen them."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

from mysteryshopper.core import Case, Item, Message, ShopperError
from mysteryshopper.dialogue import one_line
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.items import Catalog

_LONGEST = 300  # characters told of one item
_MOST = 40  # items told of a case


def run_catalog(store: RunStore) -> Catalog | None:
    """Return the catalogue that a run recommended from; None where it had none, or where it can't be read any more."""
    try:
        dataset = store.plan.dataset()
        return dataset.catalog() if dataset is not None and dataset.has_items else None
    except ShopperError:
        return None


def facts_of(case: Case, catalog: Catalog | None) -> tuple[tuple[str, str], ...]:
    """Return the title of every item that is shown in a case, and its attributes in words; by title.

    The order is the same whichever side showed an item, so that it tells nothing of the sides. Items of which only the
    title is known are left out; so are all, where simulated users are compared and items are not what counts.
    """
    if catalog is None or case.data.get("about") == "users":
        return ()
    held = {item.id: item for item in (catalog.find(found) for found in _shown(case)) if item is not None}
    told = ((_name(item), _words(item)) for item in held.values())
    return tuple(sorted((name, words) for name, words in told if words)[:_MOST])  # cut by title, not by side


def _shown(case: Case) -> Iterator[str]:
    said: list[Message] = [message for exhibit in case.exhibits for message in exhibit.messages]
    for message in (*said, *case.context):
        if message.role == "assistant":
            yield from (item.id for item in message.items if item.id is not None)


def _name(item: Item) -> str:
    return one_line(item.title if item.year is None else f"{item.title} ({item.year})")


def _words(item: Item) -> str:
    told = "; ".join(f"{name}: {', '.join(values)}" for name, values in item.attributes.items() if values)
    return shorten(told or item.text, _LONGEST, placeholder=" …")
