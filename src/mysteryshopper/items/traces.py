"""Traces of a target in a text that are no plain mention: a lone capital word, a misspelling, an attribute value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from mysteryshopper.core import Item
from mysteryshopper.items.folding import Folded, fold
from mysteryshopper.items.following import following
from mysteryshopper.items.forms import Strength, bare_title, item_keys
from mysteryshopper.items.wishes import fold_value

FUZZY_THRESHOLD = 86.0
"""Least similarity (0 to 100) of a misspelt title.

Measured on ReDial's titles in a sentence: with one random edit (a letter put in, left out, changed or swapped) 98 % are
found, with two 83 %; of 3,500 pairs of a test dialogue and a film not named in it none was flagged (at 80, one was).
"""
_LEAST_LETTERS = 8
_LEAST_LONE = 4
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
        ("two ii", "three iii", "four iv", "five", "six vi", "seven vii", "eight viii", "nine ix", "ten"), start=2
    )
    for word in words.split()
}
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])[\s\"'“”*_()\[\]-]*\Z")


@dataclass(frozen=True, slots=True)
class Trace:
    """A place in the original text that points to a target."""

    start: int
    end: int
    item_id: str


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for of one target, made once by `sought`.

    Attributes:
        item_id: The target.
        lone: Keys of one word that a capital can mark.
        values: Folded attribute values that hold the title between word bounds, and more.
        titles: For each title that may be misspelt: number of words, letters without spaces, numbers in it.
    """

    item_id: str
    lone: tuple[str, ...]
    values: tuple[str, ...]
    titles: tuple[tuple[int, str, list[str]], ...]


def sought(item: Item) -> Sought:
    """Return what to look for of a target."""
    lone, titles = [], []
    for key, strength in dict(item_keys(item)).items():
        words = _WORD.findall(key)
        compact = "".join(words)
        if len(words) == 1 and len(compact) >= _LEAST_LONE:
            lone.append(key)
        if strength is Strength.STRONG and len(words) > 1 and len(compact) >= _LEAST_LETTERS:
            titles.append((len(words), compact, _numbers(words)))
    title = fold(bare_title(item)[0]).text
    values = dict.fromkeys(fold(" ".join(value.split())).text for value in values_with_title(item))
    held = tuple(value for value in values if value != title and any(True for _ in _occurrences(value, title)))
    return Sought(item.id, tuple(lone), held, tuple(titles))


def lone_words(folded: Folded, targets: Iterable[Sought]) -> Iterator[Trace]:
    """Yield one-word titles in running text that a capital inside a sentence marks; none where all is in capitals."""
    if folded.original.isupper():
        return
    for target in targets:
        for key in target.lone:
            for start, end in _occurrences(folded.text, key):
                left, right = folded.span(start, end)
                capital = folded.original[left].isupper() and not _SENTENCE_START.search(folded.original, 0, left)
                if capital and not following(folded, end).sequel:
                    yield Trace(left, right, target.item_id)


def values_with_title(item: Item, attributes: Iterable[str] | None = None) -> list[str]:
    """Return the attribute values of an item within which its own title stands, so that naming them gives it away.

    The title counts without its year, in any letter case, also inside words, from four letters and digits up: the count
    that tables of leaks give for attribute answers.

    Args:
        item: The item.
        attributes: Names of the attributes that may be told; default all.
    """
    title = fold_value(bare_title(item)[0])
    if sum(map(str.isalnum, title)) < _LEAST_LONE:
        return []
    names = item.attributes if attributes is None else attributes
    return [value for name in names for value in item.attributes.get(name, ()) if title in fold_value(value)]


def value_traces(folded: Folded, targets: Iterable[Sought]) -> Iterator[Trace]:
    """Yield where an attribute value that holds the title of its item, and more, stands in the text.

    Titles inside words (`Lantern` in `Lanterns`) and values that are just the title are ordinary words.
    """
    for target in targets:
        for value in target.values:
            for span in _occurrences(folded.text, value):
                yield Trace(*folded.span(*span), target.item_id)


def fuzzy_traces(folded: Folded, targets: Iterable[Sought], threshold: float = FUZZY_THRESHOLD) -> Iterator[Trace]:
    """Yield misspelt titles: for each target the best window of words that is similar enough to one of its titles.

    Titles of two or more words, not all of them common, and of eight or more letters and digits are looked for. A
    window holds as many words as the title, one fewer or one more; both are compared without spaces and punctuation
    (`rapidfuzz.fuzz.ratio`), and the numbers in both must be the same, so that no sequel passes for its original.
    """
    targets = [target for target in targets if target.titles]
    found = list(_WORD.finditer(folded.text)) if targets else []
    words = [match.group() for match in found]
    windows: dict[int, list[str]] = {}
    for target in targets:
        best: tuple[float, int, int] | None = None
        for length, compact, numbers in target.titles:
            for size in (length, length - 1, length + 1):
                if size not in windows:
                    windows[size] = ["".join(words[at : at + size]) for at in range(len(words) - size + 1)]
                for first, window in enumerate(windows[size]):
                    score = fuzz.ratio(window, compact, score_cutoff=threshold)
                    if score <= (best[0] if best is not None else 0.0):
                        continue
                    end = found[first + size - 1].end()
                    same = _numbers(words[first : first + size]) == numbers
                    if same and not following(folded, end).sequel:
                        best = (score, found[first].start(), end)
        if best is not None:
            yield Trace(*folded.span(best[1], best[2]), target.item_id)


def _occurrences(text: str, form: str) -> Iterator[tuple[int, int]]:
    """Yield where a form stands in a text between word bounds."""
    start = text.find(form) if form else -1
    while start >= 0:
        end = start + len(form)
        if not (start and text[start - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            yield start, end
        start = text.find(form, start + 1)


def _numbers(words: Iterable[str]) -> list[str]:
    """Return the numbers in some words, Roman ones and words from two to ten too, as digits."""
    return [number for word in words for number in (_NUMBER_WORDS.get(word) or re.findall(r"\d+", word))]
