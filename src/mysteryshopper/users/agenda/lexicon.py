"""What an agenda user knows of attributes: words by which they are asked for, values, and how they are spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mysteryshopper.items import fold_value
from mysteryshopper.users.agenda.phrasebook import Marks, parse, read_data

OTHER = "other"
_DECADE = re.compile(r"\b(?:(19|20)(\d0)|'?(\d0))'?s\b")
_THIS_CENTURY = "012"


@dataclass(frozen=True, slots=True)
class Entry:
    """How one attribute is spoken of; see `vocabulary.yaml`. `written`: its values are said as they are written."""

    name: str
    head: bool
    post: tuple[str, ...]
    lack: tuple[str, ...]
    ask: tuple[str, ...]
    written: bool = False


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary, ready for use.

    Attributes:
        data: What the file holds, or what a domain made of it.
        first: The attribute that people tell first.
        known: What somebody has done who knows an item, as in `I've seen it`.
        marks: Letters of the phrases that fit what is wanted.
        label: Stands for words that are not those of the file; empty if there are none.
    """

    data: Mapping[str, Any]
    first: str = "genre"
    known: str = "seen"
    marks: Marks = frozenset("e")
    label: str = ""

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Entries by attribute name; likenesses resolved."""
        found = {}
        for name in self.data["attributes"]:
            entry = self._resolved(name)
            found[name] = Entry(
                self.data["attributes"][name].get("like", name),
                bool(entry.get("head")),
                tuple(entry["post"]),
                tuple(entry["lack"]),
                tuple(entry["ask"]),
                bool(entry.get("written")),
            )
        return found

    def entry(self, attribute: str) -> Entry:
        """Return how an attribute is spoken of; the general entry for one that is not known."""
        return self.entries.get(attribute.casefold(), self.entries[OTHER])

    def same(self, one: str, other: str) -> bool:
        """Whether two words stand for one value: `comedies` and `Comedy`, `french` and `France`, `90s` and `1990s`."""
        return self.norm(one) == self.norm(other)

    def norm(self, value: str) -> str:
        """Return a value as it is compared."""
        if value not in self._norms:
            self._norms[value] = _norm(value, self.data["same"])
        return self._norms[value]

    def nouns(self, domain: str) -> list[str]:
        """Return the words for what is wanted in a domain."""
        named: Mapping[str, list[str]] = self.data["nouns"]
        return named.get(domain.casefold()) or list(self.data["other_nouns"])

    @cached_property
    def _norms(self) -> dict[str, str]:
        return {}

    @cached_property
    def _by_word(self) -> Mapping[str, tuple[str, str]]:
        words: dict[str, tuple[str, str]] = {}
        for name, entry in self.data["attributes"].items():
            for word in entry.get("values", ()):
                words.setdefault(word, ("value", name))
            for word in entry.get("names", ()):
                words.setdefault(word, ("name", name))
        return words

    @cached_property
    def _words(self) -> re.Pattern[str]:
        ordered = sorted(self._by_word, key=len, reverse=True)
        return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, ordered))})(?![\w'])")

    def find(self, question: str) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the attributes that a lower-case question names, and the (attribute, value) pairs in it."""
        names: list[str] = []
        values: list[tuple[str, str]] = []
        for found in self._words.finditer(question):
            kind, attribute = self._by_word[found.group()]
            if kind == "name":
                names.append(attribute)
            else:
                values.append((attribute, found.group()))
        values.extend(("decade", found.group()) for found in _DECADE.finditer(question))
        return list(dict.fromkeys(names)), list(dict.fromkeys(values))

    def pattern(self, key: str) -> re.Pattern[str]:
        """Return a pattern of the words and phrases under a key of the vocabulary."""
        return _any_of(tuple(self.data[key]))

    def _resolved(self, name: str) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = self.data["attributes"][name]
        return self._resolved(entry["like"]) if "like" in entry else entry


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the vocabulary of the file beside this module."""
    return Lexicon(parse(read_data("vocabulary.yaml")))


def _norm(value: str, same: Mapping[str, str]) -> str:
    folded = fold_value(value)
    if (decade := _DECADE.fullmatch(folded)) is not None:
        century, years, short = decade.groups()
        return f"{century}{years}s" if century else f"{'20' if short[0] in _THIS_CENTURY else '19'}{short}s"
    folded = same.get(folded, folded)
    if folded.endswith("ies") and len(folded) > 4:
        return folded[:-3] + "y"
    return folded[:-1] if folded.endswith("s") and len(folded) > 4 else folded


@lru_cache(maxsize=64)
def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(word) for word in words)})(?!\w)")
