"""How a dialogue ends: end markers, repetition, and whether the wish was met."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from mysteryshopper.core import Goal, Node
from mysteryshopper.dialogue.text import same_words

EQUAL_PAIRS = 3
"""A dialogue ends as `repetition` when its last pairs of turns were equal this often (our policy)."""


def read_end_marker(text: str, marker: str) -> tuple[str, bool]:
    """Return what a user said without the end marker, and whether the marker ends the dialogue.

    It does only as the last thing said; white space, quotes, brackets and punctuation may follow it. Anywhere else it
    ends nothing, and is removed all the same, since it is no speech. Letter case is ignored.

    Args:
        text: What the user's model wrote, reasoning removed. Never what a system said.
        marker: The marker, e.g. `[END]`.
    """
    if text.isascii() and marker.isascii() and marker.lower() not in text.lower():
        return text, False  # as nearly always, and quicker to see than by a pattern
    pattern = _pattern(marker)
    places = [found.span() for found in pattern.finditer(text)]
    if not places:
        return text, False
    end = len(text)
    while places and not _WORD.search(text, places[-1][1], end):
        end = places.pop()[0]
    ended = end < len(text)
    said = _DECORATION.sub("", text[:end]) if ended else text
    return pattern.sub(" ", said).strip(), ended


_WORD = re.compile(r"\w")
_DECORATION = re.compile(r"(?:\A|(?<=\s))[\"'“‘`*_(]{1,3}\Z")  # attached to the marker, not a quote that ends before it


@lru_cache(maxsize=64)
def _pattern(marker: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]?{re.escape(marker)}[ \t]?", re.IGNORECASE)


def repeats(path: Sequence[Node]) -> bool:
    """Whether the last `EQUAL_PAIRS` pairs of turns on a path said the same, letter case and punctuation aside."""
    spoken = path[-2 * EQUAL_PAIRS :]
    if len(spoken) < 2 * EQUAL_PAIRS or spoken[0].turn == 0:  # a prefix is no turn
        return False
    for place in range(len(spoken) - 1, 1, -1):  # the last differ most often
        if same_words(_said(spoken[place])) != same_words(_said(spoken[place - 2])):
            return False
    return True


def _said(node: Node) -> str:
    return "\n".join([message.text for message in node.messages])


def accepted(path: Sequence[Node]) -> tuple[str, ...]:
    """Return ids that the user accepted on a path and did not turn down later, of items shown before; in order."""
    shown: set[str] = set()
    taken: dict[str, None] = {}
    for node in path:
        if node.turn == 0:
            continue
        if node.side == "system":
            shown.update(item.item.id for item in node.items if item.item.id is not None)
        else:
            taken.update(dict.fromkeys(name for name in node.turn_data.get("accepts", ()) if name in shown))
            for name in node.turn_data.get("rejects", ()):
                taken.pop(name, None)
    return tuple(taken)


def first_hit(path: Sequence[Node]) -> int | None:
    """Return the number of the first system turn that showed a wanted item; None if none did."""
    return next((node.turn for node in path if node.turn > 0 and any(item.mine for item in node.items)), None)


def success(path: Sequence[Node], goal: Goal) -> bool | None:
    """Whether an accepted item met the wish, judged on what was shown; None where nothing in particular was wanted.

    A user who ends content without having accepted a wanted item is no success.
    """
    if not goal.targets and not goal.constraints:
        return None
    mine = {item.item.id for node in path if node.turn > 0 for item in node.items if item.mine}
    return any(name in mine for name in accepted(path))
