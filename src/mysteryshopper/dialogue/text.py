"""Small operations on texts that all of this room needs."""

from __future__ import annotations

import re
from functools import lru_cache

PROMPT_LIMIT = 12_000
"""Characters of one message that a simulated user or a judge gets to read."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SPACES = re.compile(r"\s+")


def shorten(text: str, limit: int | None = PROMPT_LIMIT) -> str:
    """Return the text, or its first two thirds and last third up to `limit` characters with a note between them."""
    if limit is None or len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    return f"{text[:head]}\n[… {len(text) - limit:,} characters left out …]\n{text[len(text) - tail :] if tail else ''}"


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def words(text: str) -> list[str]:
    """Return the words of a text in lower case (letters and digits, apostrophes inside kept)."""
    return _WORD.findall(text.casefold().replace("’", "'"))


@lru_cache(maxsize=2048)
def spaced_words(text: str) -> str:
    """Return the words of a text with one space between; kept, since a turn is held against many later ones."""
    return " ".join(words(text))


def same_words(text: str) -> str:
    """Return a key that is equal for texts that differ in letter case, punctuation and spaces only."""
    return spaced_words(text) or one_line(text)
