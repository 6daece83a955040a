"""What systems that prompt a model know of a catalogue: what may fit, what was named, what their replies show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from mysteryshopper.core import History, Item, ItemRef
from mysteryshopper.items import LexicalIndex
from mysteryshopper.systems.recommender import reference

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class Grounding:
    """A catalogue as a system that prompts a model sees it, or none: then nothing is found, named or shown.

    Attributes:
        catalog: The catalogue, if there is one.
        index: Finds items by words (BM25); None where nothing is looked up.
    """

    def __init__(self, catalog: Catalog | None, *, searched: bool = True) -> None:
        """Make it.

        Args:
            catalog: The catalogue; one without items is as good as none.
            searched: Whether items are looked up for the prompt.
        """
        self.catalog = catalog if catalog is not None and catalog.items else None
        self.index = LexicalIndex(self.catalog.items) if searched and self.catalog is not None else None

    def named(self, history: History) -> set[str]:
        """Return the ids of the items that the person has named."""
        if self.catalog is None:
            return set()
        spoken = (message for message in history.messages if message.side == "user")
        return {name for message in spoken for name in self.catalog.mentions(message.text)}

    def found(self, words: str, most: int, without: Collection[str]) -> list[Item]:
        """Return the items that match some words best, best first, without some that are named by their ids."""
        if self.index is None or self.catalog is None:
            return []
        ranked = self.index.search(words, most + len(without))
        fresh = [scored.id for scored in ranked if scored.id not in without]
        return [self.catalog.get(name) for name in fresh[:most]]

    def shown(self, text: str, offered: Sequence[Item]) -> list[ItemRef]:
        """Return the catalogued items that a reply names, each once; of several of one title, one offered is meant."""
        if self.catalog is None:
            return []
        likely = {item.id for item in offered}
        ids: dict[str, None] = {}
        for found in self.catalog.found(text):
            if found.match.item_id is not None:
                ids[found.match.item_id] = None
            elif len(meant := likely.intersection(found.ids)) == 1:
                ids[meant.pop()] = None
        return [reference(self.catalog.get(name)) for name in ids]


def facts(item: Item) -> str:
    """Return what the catalogue says of an item, attribute by attribute, on one line."""
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in item.attributes.items() if values)
