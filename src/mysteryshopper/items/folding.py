"""Text folded for the search of titles, with the way back to where each character came from."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from mysteryshopper.reading import title_key

_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_PIECES = re.compile(r"(?P<spaces>[ \t]+)|(?P<plain>[!-~]+(?![^\x00-\x7f]))|(?P<other>.)", re.DOTALL)
_SIMPLE = str.maketrans({"`": "'", "\t": " "})
_LONGEST_KNOWN = 4096
"""Characters: of a longer text the way back takes megabytes to keep."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text.

    Attributes:
        text: Letter case, Unicode forms, quotes, dashes and runs of spaces made equal; line ends stay line ends.
        original: The text it was made from.
        starts: For each character of `text`, and for its end, the index in `original`; None where they are the same.
    """

    text: str
    original: str
    starts: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text behind a non-empty span of the folded one."""
        if self.starts is None:
            return start, end
        stop = end
        while stop < len(self.text) and self.starts[stop] == self.starts[end - 1]:
            stop += 1  # one character became several
        last = self.starts[stop]
        while last - 1 > self.starts[end - 1] and self.original[last - 1].isspace():
            last -= 1  # spaces that were dropped behind it
        return self.starts[start], last


def fold(text: str) -> Folded:
    """Fold a text as `reading.title_key` folds the inside of a title, keeping line ends and the way back."""
    return _fold_known(text) if len(text) <= _LONGEST_KNOWN else _fold(text)


@lru_cache(maxsize=256)
def _fold_known(text: str) -> Folded:
    return _fold(text)


def _fold(text: str) -> Folded:
    if text.isascii() and "  " not in text:
        return Folded(text.lower().translate(_SIMPLE) if "`" in text or "\t" in text else text.lower(), text)
    pieces: list[str] = []
    starts: list[int] = []
    position = 0
    while match := _PIECES.match(text, position):
        end = match.end()
        if match.lastgroup == "plain":
            piece = match.group().lower().replace("`", "'")
            starts.extend(range(position, end))
        else:
            if match.lastgroup == "other":
                while end < len(text) and _joins(text[end]):
                    end += 1
            piece = " " if match.lastgroup == "spaces" else _fold_group(text[position:end])
            if piece == " " and pieces and pieces[-1] == " ":
                piece = ""
            starts.extend([position] * len(piece))
        if piece:
            pieces.append(piece)
        position = end
    starts.append(len(text))
    return Folded("".join(pieces), text, tuple(starts))


def _joins(character: str) -> bool:
    """Whether a character may melt into the one before it: a mark, or the second part of a Korean syllable."""
    return character > "\x7f" and (unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff")


@lru_cache(maxsize=4096)
def _fold_group(group: str) -> str:
    if group[0] in _LINE_ENDS:
        return "\n"
    return title_key(f"b{group}b")[1:-1]  # between letters, so that nothing counts as an edge
