"""A user who asks what they have asked before."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import TypeAlias

from mysteryshopper.dialogue.detectors.conduct import MOST_ADDED
from mysteryshopper.dialogue.detectors.utterance import Utterance
from mysteryshopper.dialogue.text import words

LEAST_WORDS = 4
"""Shorter questions (`and you?`, `really?`) are asked again by people, too."""

Questions: TypeAlias = tuple[tuple[str, list[str]], ...]
"""Questions as they were asked, each with its words."""

_Words: TypeAlias = tuple[str, ...]

_QUESTION = re.compile(r"[^.!?？\n]*[?？]")


def repeated_question(utterance: Utterance) -> str | None:
    """Return a question of this turn that the user has asked in an earlier one, whatever else the turn says.

    A question is a sentence that ends with a question mark; it is the same if its words are, as `repeated_turn`
    compares them. One put in other words is not seen, nor is a request that is no question.
    """
    found = questions(utterance.head)
    return asked_before(found, [one for turn in utterance.turns("user") for one in questions(turn)]) if found else None


def questions(text: str) -> Questions:
    """Return the questions of a text with their words, those of some length."""
    if "?" not in text and "？" not in text:
        return ()
    found = ((question.strip(), words(question)) for question in _QUESTION.findall(text))
    return tuple((question, asked) for question, asked in found if len(asked) >= LEAST_WORDS)


def asked_before(asked: Questions, before: Sequence[tuple[str, list[str]]]) -> str | None:
    """Return the first of some questions that stands among earlier ones, else None.

    The rule is that of `same_again`, held against all earlier ones at once: that takes no longer for a thousand.
    """
    if not asked or not before:
        return None
    known = {tuple(said) for _, said in before}
    shortened = {part for said in known for part in (said[1:], said[:-1])}
    return next((text for text, said in asked if _is_among(tuple(said), known, shortened)), None)


def _is_among(said: _Words, known: Set[_Words], shortened: Set[_Words]) -> bool:
    if said in shortened or (said[: len(said) // 2] * 2 == said and said[: len(said) // 2] in known):
        return True
    return any(
        said[place : len(said) - added + place] in known
        for added in range(MOST_ADDED + 1)
        for place in range(added + 1)
    )
