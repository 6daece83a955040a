"""Which message of a history mentions which linked entity, where the data lists them for the history as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mysteryshopper.reading import split_year


def place(entities: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Share out entities, listed in order of mention, over the texts, keeping their order.

    Of all ways that keep the order, one is taken in which as many entities as can be stand in a text that holds their
    name (in any letter case, with or without a year in brackets). Entities that no text names, as linkers that forgive
    typing errors find them, stand where their neighbours allow. Of several such ways the earliest texts are taken, but
    a repeat goes on to the latest text that names it and that the order allows: each mention is listed once.

    Args:
        entities: Names in order of mention, repeats included.
        texts: Messages, oldest first.

    Returns:
        For each text its entities. Together, in order, they are `entities` again; all stand in the last text if there
        is but one.
    """
    placed: list[list[str]] = [[] for _ in texts]
    if not texts:
        return placed
    held = [text.casefold() for text in texts]
    named = [_named(entity, held) for entity in entities]
    for entity, at in zip(entities, _spread(entities, named, _best(named)), strict=True):
        placed[at].append(entity)
    return placed


def _named(entity: str, texts: Sequence[str]) -> list[int]:
    """For each text 1 if it holds the name, else 0; an empty text, which says nothing, less than 0."""
    names = _spellings(entity)
    return [int(any(name in text for name in names)) if text else -1 for text in texts]


@lru_cache(maxsize=65_536)  # the same names come in thousands of turns
def _spellings(entity: str) -> tuple[str, ...]:
    return tuple({entity.casefold(), split_year(entity)[0].casefold()})


def _best(named: Sequence[Sequence[int]]) -> list[int]:
    """Choose a text for each entity, never falling, that makes the sum of `named` greatest; the earliest such."""
    if not named:
        return []
    width = len(named[0])
    best = [0] * width  # best[j]: greatest sum for the entities from here on if the first of them stands at j or later
    choice: list[list[int]] = []
    for row in reversed(named):
        here = [row[j] + best[j] for j in range(width)]
        at = [width - 1] * width
        for j in range(width - 2, -1, -1):
            at[j] = j if here[j] >= here[at[j + 1]] else at[j + 1]
        best = [here[at[j]] for j in range(width)]
        choice.append(at)
    path = []
    start = 0
    for at in reversed(choice):
        start = at[start]
        path.append(start)
    return path


def _spread(entities: Sequence[str], named: Sequence[Sequence[int]], path: list[int]) -> list[int]:
    """Move repeats that stand in one text with an earlier mention on to later texts that name them."""
    spread = list(path)
    limit = len(named[0]) - 1 if named else 0
    for i in range(len(spread) - 1, -1, -1):
        at = spread[i]
        if any(spread[j] == at and entities[j] == entities[i] for j in range(i)):
            spread[i] = next((j for j in range(limit, at, -1) if named[i][j] == 1), at)
        limit = spread[i]
    return spread
