"""Whether somebody is much like somebody before: by the words about them, and by what they want."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mysteryshopper.items import fold_value

_WORD = re.compile(r"\w{4,}")
_SAME = 0.8
"""Share of words in common (Jaccard) from which two people are alike, whatever they want."""
_CLOSE = 0.5
"""Share from which they are alike if they also want mostly the same (half of the values in common)."""


class Alike:
    """People seen so far, compared by the words of four letters and more about them and by what they want.

    Two are alike if their texts are equal but for case, space and signs, or have 80 % of their words in common, or 50 %
    and half of the values wished for too.
    """

    def __init__(self) -> None:
        """Make it with nobody seen."""
        self._texts: set[str] = set()
        self._people: list[tuple[frozenset[str], frozenset[tuple[str, str]]]] = []

    def holds(self, text: str, wish: Iterable[tuple[str, str]]) -> bool:
        """Whether somebody like that was seen before.

        Args:
            text: Who somebody is.
            wish: What they want, as pairs of attribute and value.
        """
        if _bare(text) in self._texts:
            return True
        words, wanted = _words(text), frozenset(wish)
        return any(
            (shared := _overlap(words, known)) >= _SAME or (shared >= _CLOSE and _overlap(wanted, pairs) >= _CLOSE)
            for known, pairs in self._people
        )

    def add(self, text: str, wish: Iterable[tuple[str, str]]) -> None:
        """Remember somebody."""
        self._texts.add(_bare(text))
        self._people.append((_words(text), frozenset(wish)))


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold_value(text)))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold_value(text)))


def _overlap(one: frozenset[object], other: frozenset[object]) -> float:
    """Return the Jaccard index; 0 where both are empty."""
    return len(one & other) / len(one | other) if one or other else 0.0
