"""The forms in which an item's title may be written, and how much each needs around it to be a mention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from mysteryshopper.core import Item
from mysteryshopper.items.common import COMMON_WORDS
from mysteryshopper.reading import split_year, title_key

_BRACKET = re.compile(r"\s*[(（\[［]([^()（）\[\]［］]*)[)）\]］]")
_AKA = re.compile(r"\s*a\.?\s?k\.?\s?a\.?:?\s+", re.IGNORECASE)
_NUMBER = re.compile(
    r"\W*(?:(?:part|pt|chapter|volume|vol|episode|book)\W*)?(?:\d{1,3}|[ivx]{1,4}|one|two|three|four|five)\W*", re.I
)
_ROMAN = {str(n): name for n, name in enumerate(("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), start=2)}
_WORDS = re.compile(r"[\w']+")
_ARTICLES = ("the ", "a ", "an ")
_SHORT = 5
"""A title of fewer letters and digits is very short (one of them less where a hyphen joins them, as in `T-Rex`)."""
_KEPT = 1024
"""Titles whose forms are kept: targets are looked for in many texts."""


class Strength(IntEnum):
    """What a form needs to be a mention in running text."""

    WEAK = 0
    """Quotes, its year, or to be the whole answer: one word, or very short."""
    CASED = 1
    """One of these, or capital letters: an article and one word, or common words alone (see `common`)."""
    STRONG = 2
    """Nothing."""


def bare_title(item: Item) -> tuple[str, int | None]:
    """Return an item's title without its year, and the year: its own, else the one its title ends with."""
    return _bare_title(item.title, item.year)


@lru_cache(maxsize=_KEPT)
def _bare_title(whole: str, own: int | None) -> tuple[str, int | None]:
    title, year = split_year(whole)
    if own is None:
        return title, year
    return (title, own) if year == own else (whole, own)


def bracket_forms(title: str) -> tuple[str, list[str]]:
    """Return a title without its brackets, and what stood in them; brackets that only number it stay.

    `Night Ferry (Nattfärjan)` gives `Night Ferry` and `[Nattfärjan]`; `Night Ferry (2)` stays whole.
    """
    inside = [found for found in _BRACKET.findall(title) if found.strip() and not _NUMBER.fullmatch(found)]
    base = _BRACKET.sub(lambda found: found.group() if _NUMBER.fullmatch(found.group(1)) else "", title).strip()
    return base, inside


def item_keys(item: Item) -> tuple[tuple[str, Strength], ...]:
    """Return the keys (see `reading.title_key`) by which an item goes, each with its strength; none may be empty.

    These are its title, the title without brackets, what stands in the brackets, and its aliases. What merely stands
    in a bracket is weak, unless `a.k.a.` marks it as a title.
    """
    return _title_keys(bare_title(item)[0], tuple(item.aliases))


@lru_cache(maxsize=_KEPT)
def _title_keys(title: str, aliases: tuple[str, ...]) -> tuple[tuple[str, Strength], ...]:
    return tuple(_each_key(title, aliases))


def _each_key(title: str, aliases: tuple[str, ...]) -> Iterator[tuple[str, Strength]]:
    base, inside = bracket_forms(title)
    for full in (title, base, *(split_year(alias)[0] for alias in aliases)):
        if key := title_key(full):
            yield key, strength(key)
    for alias in inside:
        marked = _AKA.match(alias)
        if key := title_key(alias[marked.end() :] if marked else alias):
            yield key, strength(key) if marked else Strength.WEAK


def spellings(key: str) -> Iterator[str]:
    """Yield the folded texts that have this key: itself, with the article behind, with the Roman numeral."""
    head, _, last = key.rpartition(" ")
    forms = [key, f"{head} {_ROMAN[last]}"] if head and last in _ROMAN else [key]
    for form in forms:
        yield form
        for article in _ARTICLES:
            if form.startswith(article):
                yield f"{form[len(article) :]}, {article.strip()}"


def strength(key: str) -> Strength:
    """Return how much a key needs around it to be a mention."""
    words = _WORDS.findall(key)
    letters = sum(character.isalnum() for character in key)
    if len(words) == 1 and unspaced(key[0]):
        return Strength.STRONG if letters >= _SHORT - 1 else Strength.WEAK
    if len(words) < 2 or letters < _SHORT - ("-" in key):
        return Strength.WEAK
    plain = len(words) == 2 and key.startswith(_ARTICLES)
    return Strength.CASED if plain or COMMON_WORDS.issuperset(words) else Strength.STRONG


def unspaced(character: str) -> bool:
    """Whether a character is of a script that does not part words by spaces, or hangs endings on them."""
    return (
        "\u0e00" <= character <= "\u0e7f"
        or "\u2e80" <= character <= "\ud7ff"
        or "\uf900" <= character <= "\ufaff"
        or character >= "\U00020000"
    )
