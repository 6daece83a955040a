"""Refusals: a model that declines to play its part, told apart from a person who says no."""

from __future__ import annotations

import re

_APOSTROPHES = str.maketrans("’‘ʼ´`", "'''''")
_WINDOW = 600
"""Characters from the start in which a refusal is looked for: models refuse at once or not at all."""

_UNABLE = (
    r"(?:can't|cannot|can not|won't|will not|am not able to|'m not able to|am unable to|'m unable to|"
    r"am not allowed to|'m not allowed to|am not going to|'m not going to|am not comfortable|'m not comfortable|"
    r"must decline to|have to decline to|decline to|refuse to)"
)
_ADVERB = r"(?:really|actually|honestly|personally|currently|directly|simply|just|in good conscience)"
_TASKS = (
    r"(?:help(?! (?:but|it|myself|feeling|thinking))|assist|comply|pretend|role-?\s?play|play the (?:role|part)|act as|"
    r"take on|impersonate|simulate|imitate|fulfil|provide|generate|produce|answer|respond to|engage|participate|"
    r"continue with|write|express|give (?:you )?(?:an? |my |any )?(?:answer|opinion|personal|advice|rating|preference)|"
    r"have (?:an? |any )?(?:personal|opinion|preference|feeling)|do (?:that|this) for you|"
    r"pretending|answering|helping|providing|acting|playing|sharing)"
)
_PATTERNS = re.compile(
    "|".join(
        (
            rf"\bi\s?{_UNABLE}\s(?:{_ADVERB}\s)?{_TASKS}",
            r"\b(?:as|i am|i'm|being)\s(?:just\s|only\s)?an?\s(?:ai|artificial intelligence|(?:large\s)?language model|"
            r"virtual assistant|chatbot)(?:\s(?:language\s)?(?:model|assistant|system|program|chatbot))?"
            r"(?:\s?[,.;:!]|\s(?:i|and|so|without|that|which|who|designed|created|developed|trained|made)\b|$)",
            r"\bi\s?(?:don't|do not) have (?:any\s|the\s)?(?:personal (?:preference|opinion|experience|taste|feeling)|"
            r"the ability to)",
            r"\b(?:against|violates?|contrary to|goes beyond) (?:my|our|the) (?:\w+\s){0,2}?"
            r"(?:guidelines|polic(?:y|ies)|programming|terms of (?:use|service))",
        )
    ),
    re.I,
)


_HINTS = (
    "not",
    "n't",
    "n`t",
    "unable",
    "decline",
    "refuse",
    "ai",
    "artificial",
    "language",
    "assistant",
    "chatbot",
    "guideline",
    "polic",
    "programming",
    "terms",
)
"""Whatever the patterns match holds one of these words, wherever spaces and line breaks are."""


def is_refusal(text: str) -> bool:
    """Whether a text declines the task itself, in English.

    Looked for are, near the start: being unable or unwilling to help, pretend, answer, rate and the like (not to
    accept, watch or buy: that is a person's no), speaking as an AI, having no personal preferences, and pointing to
    policies. `I'm afraid not` and `I can't accept that` are none. Other languages are not recognised.

    Args:
        text: A reply without its reasoning.

    Returns:
        True for a refusal; False where in doubt.
    """
    start = text[: 2 * _WINDOW]
    if not start.isascii():
        start = start.translate(_APOSTROPHES)
    if start.isascii() and not any(map(start.lower().__contains__, _HINTS)):
        return False  # most replies hold none of these words, and this is asked of every one
    head = " ".join(start.split())[:_WINDOW]
    return _PATTERNS.search(head.translate(_APOSTROPHES)) is not None
