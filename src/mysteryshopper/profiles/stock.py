"""What can be wished for: the values of a catalogue's attributes, and which items have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from mysteryshopper.core import DataError, Item
from mysteryshopper.items import fold_value

Values = Mapping[str, Sequence[str]]


class Stock:
    """The items of a catalogue, by what they have. Values are compared by `items.fold_value`."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Make it.

        Raises:
            DataError: No item has an attribute.
        """
        self.items = tuple(items)
        self.values: dict[str, dict[str, str]] = {}
        self._common: dict[tuple[str, int], list[str]] = {}
        self._holders: dict[tuple[str, str], set[int]] = {}
        for place, item in enumerate(self.items):
            for name, values in item.attributes.items():
                for value in values:
                    if key := fold_value(value):
                        self.values.setdefault(name, {}).setdefault(key, value)
                        self._holders.setdefault((name, key), set()).add(place)
        if not self._holders:
            raise DataError("no item has an attribute, so there is nothing to wish for; give the items attributes")

    def holders(self, name: str, value: str) -> set[int]:
        """Return the places of the items whose attribute has a value."""
        return self._holders.get((name, fold_value(value)), set())

    def meeting(self, constraints: Values) -> set[int]:
        """Return the places of the items that have, of every attribute, at least one of the values."""
        sets = [set().union(*(self.holders(name, value) for value in values)) for name, values in constraints.items()]
        return reduce(set.intersection, sets) if sets else set(range(len(self.items)))

    def common(self, name: str, least: int) -> list[str]:
        """Return the values of an attribute that at least so many items have."""
        if (name, least) not in self._common:
            held = ((value, len(self._holders[name, key])) for key, value in self.values[name].items())
            self._common[name, least] = [value for value, count in held if count >= least]
        return self._common[name, least]
