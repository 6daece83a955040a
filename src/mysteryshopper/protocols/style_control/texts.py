"""What a simulated user wrote, as judges and counting get it: without titles and without layout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mysteryshopper.core import Dialogue, Item, Message, Node, StoredDialogue
from mysteryshopper.items import Catalog

MASK = "[…]"
"""Stands for a title in what judges read."""

_LAYOUT = re.compile(r"[*_`#~|>]+|^\s*(?:[-•]|\d{1,2}[.)])\s+", re.MULTILINE)
_LOST = frozenset({"user", "infra"})


def is_heard(stored: StoredDialogue) -> bool:
    """Whether a dialogue can be measured: the user wrote something, and it did not fail by the user's side."""
    return stored.dialogue.fault not in _LOST and any(True for _ in _own_turns(stored.dialogue))


class Stripper:
    """Takes titles and layout out of what users wrote."""

    def __init__(self, catalog: Catalog | None) -> None:
        """Make it; without a catalogue, titles are those of the items shown in a dialogue."""
        self._catalog = catalog

    def turns(self, dialogue: Dialogue, mask: str) -> list[str]:
        """Return the user's turns in order, stripped; what is left empty is left out.

        Args:
            dialogue: The dialogue; people's words before it are none of it.
            mask: What stands for a title; `MASK` for judges, `TITLE` for counting.
        """
        catalog = self._catalog or _shown(dialogue)
        stripped = (
            self._plain(_masked(message.text, catalog, mask))
            for node in _own_turns(dialogue)
            for message in node.messages
        )
        return [text for text in stripped if text]

    @staticmethod
    def _plain(text: str) -> str:
        return " ".join(_LAYOUT.sub(" ", text).split())


def heard_by(dialogue: Dialogue) -> Iterable[Message]:
    """Return what the user read in a dialogue."""
    return (message for node in dialogue.nodes if node.side == "system" for message in node.messages)


def _own_turns(dialogue: Dialogue) -> Iterator[Node]:
    return (node for node in dialogue.nodes if node.side == "user" and node.turn > 0 and node.messages)


def _shown(dialogue: Dialogue) -> Catalog:
    items = {shown.item.title: shown.item for node in dialogue.nodes for shown in node.items if shown.item.title}
    return Catalog([Item(str(place), item.title, item.year) for place, item in enumerate(items.values())])


def _masked(text: str, catalog: Catalog, mask: str) -> str:
    for found in reversed(catalog.found(text)):
        text = text[: found.start] + mask + text[found.end :]
    return text
