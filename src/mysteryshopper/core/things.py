"""Items: what a recommender recommends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a catalogue.

    Attributes:
        id: The catalogue's id; always a string (`007` is not `7`).
        title: Its title, without the year where `year` is given.
        year: Year of release, if known.
        attributes: Values by attribute name, e.g. `{"genre": ("comedy",)}`.
        text: Free text about it (a plot, a description).
        aliases: Other titles it goes by.
    """

    id: str
    title: str
    year: int | None = None
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemRef:
    """An item as it was mentioned or shown; `id` is None when the catalogue does not hold it."""

    id: str | None
    title: str = ""
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that the system showed, and what this user makes of it.

    Attributes:
        item: The item.
        mine: Whether it is what the user wanted; None where that can't be told.
        misses: Names of the attributes of the wish (required or preferred) that the item is known not to meet.
    """

    item: ItemRef
    mine: bool | None = None
    misses: tuple[str, ...] = ()


class Scored(NamedTuple):
    """An item id with a ranker's score: higher is better, equal is a tie. A tuple, as thousands may tie."""

    id: str
    score: float
