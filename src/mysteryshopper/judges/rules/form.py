"""Rules about the form of a system's turns: how long they are, how easy to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from mysteryshopper.judges.rules.found import Found, share, untold
from mysteryshopper.judges.rules.speech import sentences
from mysteryshopper.judges.rules.turns import Turn

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_ED = re.compile(r"[^aeiouytd]ed\Z")
_SILENT_ES = re.compile(r"(?<![sxz])(?<!ch)(?<!sh)(?<![cg])es\Z")


def length(turns: Sequence[Turn], low: int, high: int) -> Found:
    """Return the share of system turns of `low` to `high` words (both in the band); items carried are no words."""
    judged = [turn for turn in turns if turn.side == "system" and turn.judged]
    bad = [
        turn.where(f"{len(turn.heard.words)} words, not {low} to {high}")
        for turn in judged
        if not low <= len(turn.heard.words) <= high
    ]
    return share(bad, len(judged), "the system said nothing")


def readability(turns: Sequence[Turn]) -> Found:
    """Return the Flesch reading ease (Flesch, 1948) of all that the system said, cut to 0 to 100.

    206.835 - 1.015 × words a sentence - 84.6 × syllables a word; a line end closes a sentence. `n` is the words.
    """
    said = [turn for turn in turns if turn.side == "system" and turn.judged]
    ease = reading_ease("\n".join(turn.heard.text for turn in said))
    n = sum(len(turn.heard.words) for turn in said)
    return untold("the system said nothing") if ease is None else Found(min(100.0, max(0.0, ease)), n)


def reading_ease(text: str) -> float | None:
    """Return the Flesch reading ease of an English text, not cut; None without words."""
    words = _WORD.findall(_plain(text))
    if not words:
        return None
    counted = sum(syllables(word) for word in words)
    parts = sum(1 for part in sentences(text) if _WORD.search(part.casefold()))
    return 206.835 - 1.015 * len(words) / parts - 84.6 * counted / len(words)


@lru_cache(maxsize=20_000)
def syllables(word: str) -> int:
    """Return how many syllables an English word has by rule: its groups of vowels, silent endings left out.

    Silent are a closing `e` (not `le` behind a consonant), `ed` but behind t and d, and `es` but behind a hiss. Every
    word has one at least. A rule of thumb: names and foreign words may be off by one.
    """
    folded = word.casefold()
    groups = len(_VOWELS.findall(folded))
    if (
        _SILENT_ED.search(folded)
        or _SILENT_ES.search(folded)
        or (folded.endswith("e") and not re.search(r"[^aeiouy]le\Z|[aeiouy]e\Z", folded))
    ):
        groups -= 1
    return max(1, groups)


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")
