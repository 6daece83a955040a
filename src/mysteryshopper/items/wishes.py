"""Attributes: whether an item has what is wished for, and how much of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from mysteryshopper.core import Item


def fold_value(value: str) -> str:
    """Return an attribute's value as it is compared: letter case, Unicode form and runs of spaces made equal."""
    if value.isascii():
        return " ".join(value.lower().split())
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold()).split())


@lru_cache(maxsize=20_000)
def fold_values(values: tuple[str, ...]) -> frozenset[str]:
    """Return the distinct values of an attribute as they are compared; kept, since few values are met all the time."""
    return frozenset(map(fold_value, values))


def meets(item: Item, constraints: Mapping[str, Iterable[str]]) -> bool:
    """Whether an item meets every constraint: of each attribute it has at least one of the values.

    Values are compared by `fold_value`, attribute names as they are. No constraints are met by every item; a
    constraint without values, or on an attribute that the item lacks, by none.
    """
    return all(
        not fold_values(tuple(values)).isdisjoint(fold_values(tuple(item.attributes.get(name, ()))))
        for name, values in constraints.items()
    )


def attribute_overlap(item: Item, values: Mapping[str, Iterable[str]]) -> int:
    """Return how many of the values an item has: the number of pairs (attribute, value) that both hold."""
    return sum(
        len(fold_values(tuple(wanted)) & fold_values(tuple(item.attributes.get(name, ()))))
        for name, wanted in values.items()
    )


def value_pairs(values: Mapping[str, Iterable[str]]) -> dict[tuple[str, str], None]:
    """Return the distinct pairs (attribute, folded value), in order."""
    return {(name, fold_value(value)): None for name, held in values.items() for value in held}


def id_order(item_id: str) -> tuple[int, int, str]:
    """Return the key by which ids are put in order: integers by value, before all others by their text."""
    if item_id.isascii() and item_id.isdecimal():
        return 0, int(item_id), item_id
    return 1, 0, item_id
