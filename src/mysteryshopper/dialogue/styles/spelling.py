"""Which words of a text are in no dictionary: American English as shipped with pyspellchecker, British by rule."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from unicodedata import combining, normalize

from mysteryshopper.dialogue.styles.signs import signs

_LEAST = 3
_BRITISH = (
    ("our", "or"),
    ("is", "iz"),
    ("ys", "yz"),
    ("ntre", "nter"),
    ("atre", "ater"),
    ("itre", "iter"),
    ("ll", "l"),
    ("ogue", "og"),
    ("mm", "m"),
    ("grey", "gray"),
    ("ence", "ense"),
)
_ENDS = ("'s", "s'", "s", "'d", "'ll", "'ve", "'re")
_DRAWN_OUT = re.compile(r"(.)\1{2,}")
_LETTERS = re.compile(r"[a-z]+(?:'[a-z]+)*")


class Dictionary:
    """Words that are no slips: English ones, signs of informal talk, and those of what the talk is about."""

    def __init__(self, further: Iterable[str] = ()) -> None:
        """Make it.

        Args:
            further: Texts whose words are known as well: titles, attribute values, names.
        """
        self._further = frozenset(word for text in further for word in letters(text))

    def checked(self, words: Iterable[str]) -> list[str]:
        """Return the words that can be checked: of three letters or more, without digits."""
        return [word for word in words if len(word) >= _LEAST and word.replace("'", "").isalpha()]

    def unknown(self, words: Iterable[str], said: Collection[str] = ()) -> list[str]:
        """Return the words that no dictionary holds.

        Args:
            words: Lower-case words, as `letters` gives them.
            said: Words known beside the dictionaries (what the other side wrote).
        """
        return [word for word in words if not self._knows(word, said)]

    def _knows(self, word: str, said: Collection[str]) -> bool:
        if word in self._further or word in said or _is_word(word):
            return True
        for end in _ENDS:
            stem = word.removesuffix(end)
            if stem != word and (stem in self._further or stem in said):
                return True
        return False


def letters(text: str) -> list[str]:
    """Return the words of a text in lower case, letters and inner apostrophes alone; a hyphen parts two.

    Accents are taken off (`café` is `cafe`), as many who type leave them out.
    """
    return _LETTERS.findall(_bare(text.lower()))


def _bare(text: str) -> str:
    if text.isascii():
        return text
    return "".join(letter for letter in normalize("NFKD", text.replace("’", "'")) if not combining(letter))


@lru_cache(maxsize=65536)
def _is_word(word: str) -> bool:
    known = _english()
    return any(form in known for form in _forms(word))


def _forms(word: str) -> Iterator[str]:
    """Yield the forms under which a word may be in the dictionary."""
    yield word
    stem = next((word.removesuffix(end) for end in _ENDS if word.endswith(end) and len(word) - len(end) > 1), word)
    yield stem
    if _DRAWN_OUT.search(word):  # soooo: drawn out on purpose
        yield _DRAWN_OUT.sub(r"\1", word)
        yield _DRAWN_OUT.sub(r"\1\1", word)
    for one in (word, stem):
        for british, american in _BRITISH:
            if british in one:
                yield one.replace(british, american)


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    import spellchecker  # its word list alone is used

    packed = files(spellchecker).joinpath("resources/en.json.gz").read_bytes()
    lists = signs()
    own = {word for name in ("informal", "bare", "spelt") for sign in lists[name] for word in letters(sign)}
    return frozenset(map(_bare, json.loads(gzip.decompress(packed)))) | own
