"""A catalogue of items: found by id, by title, and in running text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from mysteryshopper.core import DataError, Item
from mysteryshopper.items.forms import Strength, bare_title, bracket_forms, item_keys
from mysteryshopper.items.matching import Match, choose
from mysteryshopper.items.mentions import Found, Scanner
from mysteryshopper.items.wishes import fold_value, id_order
from mysteryshopper.reading import split_year, title_key


class Catalog:
    """The items that can be recommended, in a fixed order. Never changed once made; indexes are built when needed."""

    def __init__(self, items: Iterable[Item], name: str = "") -> None:
        """Make a catalogue.

        Args:
            items: Its items; their order is kept.
            name: What systems are told that it is called.

        Raises:
            DataError: Two items have one id.
        """
        self.name = name
        self.items: tuple[Item, ...] = tuple(items)
        self._by_id: dict[str, Item] = {}
        for item in self.items:
            if item.id in self._by_id:
                raise DataError(
                    f"the catalogue {name or 'of items'} holds the id {item.id!r} twice "
                    f"({self._by_id[item.id].title!r} and {item.title!r}); give every item an id of its own"
                )
            self._by_id[item.id] = item

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._by_id

    def get(self, item_id: str) -> Item:
        """Return the item with this id.

        Raises:
            DataError: There is none; `find` returns None instead.
        """
        item = self._by_id.get(item_id)
        if item is None:
            raise DataError(f"the catalogue {self.name or 'of items'} holds no item with the id {item_id!r}")
        return item

    def find(self, item_id: str) -> Item | None:
        """Return the item with this id, or None."""
        return self._by_id.get(item_id)

    def match(self, title: str, year: int | None = None) -> Match:
        """Find the item that a title names.

        Titles are the same in any letter case and Unicode form, with typographic or plain quotes, a trailing article
        moved to the front, and `II` for `2` at the end; an alias in brackets is accepted on either side. A sequel is
        not its original, since numbers and words must agree.

        Args:
            title: A title, with or without its year in brackets.
            year: Its year; goes before one in the title.

        Returns:
            The item's id with `ok` or `year_off_by_one`; without an id `ambiguous` (several items of that title and no
            year that tells them apart) or `not_found` (no such title, or its year is off by more than one).
        """
        bare, own_year = split_year(title)
        wanted = year if year is not None else own_year
        ids = self._ids_by_key.get(title_key(bare))
        if ids is None and title_key(title) in self._ids_by_key and year is None:
            ids, wanted = self._ids_by_key[title_key(title)], None
        if ids is None:
            base, inside = bracket_forms(bare)
            found = [self._ids_by_key.get(title_key(part), ()) for part in (base, *inside)] if inside else []
            ids = tuple(dict.fromkeys(name for names in found for name in names))
        return choose(ids, self._years, wanted)

    def mentions(self, text: str) -> list[str]:
        """Return ids of the items that a text mentions, in order of mention, repeats included.

        See `mention_spans` for what counts.
        """
        return [item_id for _, _, item_id in self.mention_spans(text)]

    def mention_spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return where a text mentions which item: start and end of the title (without its year) and the item's id.

        Titles are matched at word bounds and never overlap; the longest counts, so that a sequel hides its original. A
        title with a number behind it is another title, known or not. One-word and very short titles count only in
        quotes, with their year, or as the whole text or list entry; an article and one word, and common words alone
        (`Next Time`), also in capitals. A year behind the title must fit (one off is accepted in brackets, for titles
        that need no year to count); several items of one title without a year are no mention of any.
        """
        found = self._scanner.find(text)
        return [(title.start, title.end, title.match.item_id) for title in found if title.match.item_id is not None]

    def found(self, text: str) -> list[Found]:
        """Return the titles found in a text, also those that several items share (for audits)."""
        return self._scanner.find(text)

    def holders(self, attribute: str, value: str) -> Sequence[str]:
        """Return ids of the items whose attribute has a value (see `fold_value`), in catalogue order."""
        return self._holders.get((attribute, fold_value(value)), ())

    def value_counts(self, attribute: str) -> Mapping[str, int]:
        """Return the number of distinct values (see `fold_value`) of an attribute, by id of the items that have any."""
        return self._value_counts.get(attribute, {})

    @cached_property
    def id_places(self) -> Mapping[str, int]:
        """Each id's place in the order of ids: integers by value, then all others by their text."""
        return {item_id: place for place, item_id in enumerate(sorted(self._by_id, key=id_order))}

    @cached_property
    def _years(self) -> Mapping[str, int | None]:
        return {item.id: bare_title(item)[1] for item in self.items}

    @cached_property
    def _keys(self) -> Mapping[str, tuple[tuple[str, ...], Strength]]:
        keys: dict[str, tuple[dict[str, None], Strength]] = {}
        for item in self.items:
            for key, strength in item_keys(item):
                ids, best = keys.setdefault(key, ({}, strength))
                ids[item.id] = None
                keys[key] = (ids, max(best, strength))
        return {key: (tuple(ids), strength) for key, (ids, strength) in keys.items()}

    @cached_property
    def _ids_by_key(self) -> Mapping[str, tuple[str, ...]]:
        return {key: ids for key, (ids, _) in self._keys.items()}

    @cached_property
    def _scanner(self) -> Scanner:
        return Scanner(self._keys, self._years)

    @cached_property
    def _holders(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        holders: dict[tuple[str, str], dict[str, None]] = {}
        for item in self.items:
            for attribute, values in item.attributes.items():
                for value in values:
                    holders.setdefault((attribute, fold_value(value)), {})[item.id] = None
        return {pair: tuple(ids) for pair, ids in holders.items()}

    @cached_property
    def _value_counts(self) -> Mapping[str, Mapping[str, int]]:
        counts: dict[str, Counter[str]] = {}
        for (attribute, _), ids in self._holders.items():
            counts.setdefault(attribute, Counter()).update(ids)
        return counts
