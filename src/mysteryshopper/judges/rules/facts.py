"""What the catalogue knows: items named in a text, and values of attributes that a text names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from mysteryshopper.core import Item, ItemRef
from mysteryshopper.items import Catalog, fold_value
from mysteryshopper.judges.rules.speech import Heard, Speech
from mysteryshopper.reading import split_year, title_key

LIST_LINE = re.compile(r"^[ \t]*(?:\d{1,2}[.):]?[ \t]+|[-*•·][ \t]+)(\S.{0,150}?)[ \t]*$", re.MULTILINE)
"""A line of a list, with what stands in it."""

_DATED = re.compile(
    r"((?:[A-Z0-9][\w'’&:.!,-]*[ \t]+(?:(?:of|the|and|in|a|an|to|for|on|with|at|de|la|vs\.?)[ \t]+){0,2}){0,7}"
    r"[A-Z0-9][\w'’&:.!-]*)[ \t]*\(((?:19|20)\d\d)\)"
)
_KINDS = 100
_HOLDERS = 8


@dataclass(frozen=True, slots=True)
class Named:
    """An item that a text names; `key` is equal for mentions of one item, `item` None outside the catalogue."""

    key: str
    title: str
    start: int
    item: Item | None = None


class Facts:
    """A catalogue as the rules read it; without one, only what a text itself shows to be a title is named."""

    def __init__(self, catalog: Catalog | None, speech: Speech) -> None:
        """Make it; values are indexed when first asked for.

        Args:
            catalog: The items; None if there are none.
            speech: Other words for values, and words that are none.
        """
        self.catalog = catalog
        self._values = {} if catalog is None else _index(catalog, speech)
        self._longest: dict[str, int] = {}  # of the values that begin with a word, in words
        for words in self._values:
            first, length = words.partition(" ")[0], words.count(" ") + 1
            self._longest[first] = max(length, self._longest.get(first, 0))

    def named(self, text: str) -> list[Named]:
        """Return the items a text names, in order: catalogued ones, lines of lists, titles with their year."""
        found: list[tuple[int, int, Named]] = []
        if self.catalog is not None:
            for start, end, name in self.catalog.mention_spans(text):
                item = self.catalog.get(name)
                found.append((start, end, Named(name, item.title, start, item)))
        for start, end, title, year in _written(text):
            if not any(start < right and left < end for left, right, _ in found) and title_key(title):
                found.append((start, end, Named(f"{title_key(title)}|{year or ''}", title, start)))
        return [name for _, _, name in sorted(found, key=lambda entry: entry[0])]

    def of(self, reference: ItemRef) -> Named:
        """Return an item that a message carries."""
        item = self.catalog.find(reference.id) if self.catalog is not None and reference.id is not None else None
        key = reference.id or f"{title_key(reference.title)}|{reference.year or ''}"
        return Named(key, reference.title or key, -1, item)

    def find(self, name: str) -> str:
        """Return the key of an item given by id or title."""
        if self.catalog is not None:
            found = self.catalog.find(name)
            if found is not None:
                return found.id
            if (matched := self.catalog.match(name).item_id) is not None:
                return matched
        title, year = split_year(name)
        return f"{title_key(title)}|{year or ''}"

    def values(self, heard: Heard) -> Iterator[tuple[int, str, Mapping[str, frozenset[str]]]]:
        """Yield the values of attributes that a text names: place in words, the words, values by attribute."""
        place = 0
        while place < len(heard.words):
            for length in range(min(self._longest.get(heard.words[place], 0), len(heard.words) - place), 0, -1):
                words = " ".join(heard.words[place : place + length])
                if (found := self._values.get(words)) is not None:
                    yield place, words, found
                    place += length - 1
                    break
            place += 1


def has(item: Item, values: Mapping[str, frozenset[str]]) -> bool | None:
    """Whether an item has one of the values; None if it has none of these attributes at all."""
    known = [name for name in values if item.attributes.get(name)]
    if not known:
        return None
    return any(_folded(value) in values[name] for name in known for value in item.attributes[name])


@lru_cache(maxsize=50_000)
def _folded(value: str) -> str:
    return fold_value(value)


def _index(catalog: Catalog, speech: Speech) -> dict[str, Mapping[str, frozenset[str]]]:
    """Index values by their words; a value of one word counts where an attribute has few values (genres)."""
    held: dict[str, Counter[str]] = {}
    for item in catalog:
        for name, values in item.attributes.items():
            held.setdefault(name, Counter()).update(fold_value(value) for value in values)
    index: dict[str, dict[str, set[str]]] = {}
    for name, counts in held.items():
        few = len(counts) <= _KINDS or counts.total() / len(counts) >= _HOLDERS
        for value in counts:
            words = _words(value)
            if words and (" " in words or few) and words not in speech.small:
                index.setdefault(words, {}).setdefault(name, set()).add(value)
                if few and " " in words:
                    index.setdefault(words.replace(" ", "-"), {}).setdefault(name, set()).add(value)
    for word, meant in speech.kinds.items():
        for value in meant:
            for name, known in list(index.get(_words(value), {}).items()):
                index.setdefault(word, {}).setdefault(name, set()).update(known)
    return {words: {name: frozenset(known) for name, known in found.items()} for words, found in index.items()}


def _words(value: str) -> str:
    return " ".join(re.findall(r"[^\W_]+(?:['-][^\W_]+)*", value))


def _written(text: str) -> Iterator[tuple[int, int, str, int | None]]:
    """Yield what a text itself shows to be a title: the lines of a list, and words before a year in brackets."""
    taken: list[tuple[int, int]] = []
    for line in LIST_LINE.finditer(text):
        title, year = split_year(line.group(1))
        if title and len(title.split()) <= 12 and not title.endswith(("?", ".")):
            taken.append(line.span(1))
            yield *line.span(1), title, year
    for dated in _DATED.finditer(text):
        if not any(dated.start() < right and left < dated.end() for left, right in taken):
            yield *dated.span(), dated.group(1), int(dated.group(2))
