"""A user who says the same again, or leaves before they were served."""

from __future__ import annotations

import re
from functools import lru_cache

from mysteryshopper.dialogue.detectors.utterance import Utterance
from mysteryshopper.dialogue.text import words

LEAST_WORDS = 5
"""Shorter turns (`thanks`, `yes please`) are said again by people, too."""

MOST_ADDED = 4
"""So many words around it do not make an earlier turn a new one (`as I said, …`)."""


def repeated_turn(utterance: Utterance) -> str | None:
    """Return an earlier turn of the user that this one says again.

    It does if all words of the earlier turn stand in it in their order and together, with at most `MOST_ADDED` words
    around them (or it is said twice), or if at most one word of the earlier turn is missing at either end. Letter case
    and punctuation count for nothing. Turns of fewer than `LEAST_WORDS` words are never a repetition.
    """
    said = utterance.words
    if len(said) < LEAST_WORDS:
        return None
    alone = [message.text for message in utterance.history if message.side == "user"]
    for earlier in dict.fromkeys((*utterance.turns("user"), *alone)):
        before = _words(earlier)
        if len(before) >= LEAST_WORDS and same_again(said, before):
            return earlier
    return None


@lru_cache(maxsize=1024)
def _words(text: str) -> list[str]:
    """Return the words of an earlier turn; kept, since every later turn is held against it."""
    return words(text)


def same_again(said: list[str], before: list[str]) -> bool:
    """Whether some words say others again; the rule of `repeated_turn`."""
    added = len(said) - len(before)
    if added == -1 and said in (before[1:], before[:-1]):
        return True
    if added == len(before) and said == before + before:
        return True
    return 0 <= added <= MOST_ADDED and any(said[place : place + len(before)] == before for place in range(added + 1))


def early_end(utterance: Utterance) -> str | None:
    """Return the words with which a user ends before the system had a chance.

    Either it has not said or shown anything yet, or all it did was to ask one open question (what, which, how …), which
    the user leaves unanswered. To agree to a question like `shall I book it?` and leave is no early end.
    """
    if utterance.end is None or utterance.shown:
        return None
    answers = utterance.turns("system")
    if not answers or (len(answers) == 1 and _OPEN_QUESTION.search(answers[0])):
        return utterance.text or f"({utterance.end})"
    return None


_OPEN_QUESTION = re.compile(
    r"\b(?:what|which|who|whose|how|where|when|tell me)\b[^?？]*[?？][\s\"'”’)]*\Z", re.IGNORECASE
)
