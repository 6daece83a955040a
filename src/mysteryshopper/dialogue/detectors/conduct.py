"""A user who says the same again, or leaves before they were served."""

from __future__ import annotations

import re

from mysteryshopper.dialogue.detectors.utterance import Utterance
from mysteryshopper.dialogue.text import spaced_words

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
    if said.count(" ") + 1 < LEAST_WORDS:
        return None
    alone = [message.text for message in utterance.history if message.side == "user"]
    for earlier in dict.fromkeys((*utterance.turns("user"), *alone)):
        before = spaced_words(earlier)
        if before.count(" ") + 1 >= LEAST_WORDS and same_again(said, before):
            return earlier
    return None


def same_again(said: str, before: str) -> bool:
    """Whether some words say others again, all with one space between; the rule of `repeated_turn`."""
    added = said.count(" ") - before.count(" ")
    if added == -1:
        return before.startswith(f"{said} ") or before.endswith(f" {said}")
    if said == f"{before} {before}":
        return True
    return 0 <= added <= MOST_ADDED and f" {before} " in f" {said} "


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
