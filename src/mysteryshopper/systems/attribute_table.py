"""The attributes of a catalogue as arrays: which items have which value, and how well a question splits them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Item
from mysteryshopper.items import fold_value

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

Mask: TypeAlias = NDArray[np.bool_]
"""One truth value for each item, in catalogue order."""

Pair: TypeAlias = tuple[str, str]
"""An attribute and one of its values, folded."""

DECADE = "decade"


@dataclass(frozen=True, slots=True)
class _Column:
    """One attribute: an entry for each value that an item has, ordered by item; `weights` share an item out."""

    rows: NDArray[np.intp]
    values: NDArray[np.intp]
    weights: NDArray[np.float64]
    names: tuple[str, ...]

    def among(self, left: Mask) -> NDArray[np.intp]:
        """Return the places of the entries of the items that are left."""
        return np.flatnonzero(left[self.rows])


class AttributeTable:
    """The attributes of a catalogue's items. Values are compared folded (`items.fold_value`).

    Where the catalogue knows years and has no attribute `decade` of its own, the decade of the year is one, as `1980s`.

    Attributes:
        names: The attributes, in the order in which the catalogue has them.
        wording: How the catalogue writes each folded value, by attribute and value.
    """

    def __init__(self, catalog: Catalog) -> None:
        """Read the attributes of all items."""
        self._places = {item.id: place for place, item in enumerate(catalog)}
        decades = not any(DECADE in item.attributes for item in catalog)
        entries: dict[str, list[tuple[int, str]]] = {}
        self.wording: dict[Pair, str] = {}
        for place, item in enumerate(catalog):
            for name, values in held(item, decades=decades):
                for value in values:
                    self.wording.setdefault((name, fold_value(value)), value)
                folded = dict.fromkeys(fold_value(value) for value in values)
                entries.setdefault(name, []).extend((place, value) for value in folded)
        self.names = tuple(entries)
        self._columns = {name: self._column(found) for name, found in entries.items()}
        self._holders = {
            (name, value): np.array(places, dtype=np.intp)
            for name, found in entries.items()
            for value, places in _by_value(found).items()
        }

    def __len__(self) -> int:
        return len(self._places)

    def place(self, item_id: str) -> int | None:
        """Return the place of an item in the catalogue; None if it is not there."""
        return self._places.get(item_id)

    def everything(self) -> Mask:
        """Return a new mask that holds all items."""
        return np.ones(len(self), dtype=np.bool_)

    def having(self, pairs: Iterable[Pair]) -> Mask:
        """Return which items have at least one of the values."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for pair in pairs:
            if (places := self._holders.get(pair)) is not None:
                mask[places] = True
        return mask

    def gain(self, name: str, left: Mask) -> float:
        """Return by how many bits the answer to a question about an attribute narrows down what is left.

        The item wanted is taken to be any of those left with equal chance, and the answer to be one of its values with
        equal chance; then those with this value are left. An item without a value gives no answer, and narrows nothing.
        This is the expected fall in the entropy of which item is wanted. It is 0 where nothing or one item is left.
        """
        count = int(np.count_nonzero(left))
        if count < 2:
            return 0.0
        column = self._columns[name]
        chosen = column.among(left)
        mass = np.bincount(column.values[chosen], column.weights[chosen], minlength=len(column.names))
        holders = np.bincount(column.values[chosen], minlength=len(column.names))
        some = holders > 0
        return float(mass[some] @ np.log2(count / holders[some])) / count

    def frequent(self, name: str, left: Mask, most: int) -> list[str]:
        """Return the values of an attribute that most of the items left have, as the catalogue writes them."""
        column = self._columns[name]
        holders = np.bincount(column.values[column.among(left)], minlength=len(column.names))
        best = np.argsort(-holders, kind="stable")[:most]
        return [self.wording[name, column.names[place]] for place in best.tolist() if holders[place]]

    def _column(self, entries: list[tuple[int, str]]) -> _Column:
        numbers: dict[str, int] = {}
        rows = np.array([place for place, _ in entries], dtype=np.intp)
        values = np.array([numbers.setdefault(value, len(numbers)) for _, value in entries], dtype=np.intp)
        per_item = np.bincount(rows, minlength=len(self))
        return _Column(rows, values, 1.0 / per_item[rows], tuple(numbers))


def held(item: Item, *, decades: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Return an item's attributes that have values, with the decade of its year if `decades`."""
    found = [(name, values) for name, values in item.attributes.items() if values]
    if decades and item.year is not None:
        found.append((DECADE, (f"{item.year // 10 * 10}s",)))
    return found


def _by_value(entries: list[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, value in entries:
        found.setdefault(value, []).append(place)
    return found
