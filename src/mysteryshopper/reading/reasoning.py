"""Reasoning that a model wrote into its answer, taken out of it."""

from __future__ import annotations

import re

_TAG = re.compile(r"<\s*(/?)\s*(?:think|thinking|thought|thoughts|reasoning)\s*>", re.I)


def strip_reasoning(text: str) -> tuple[str, bool]:
    """Take reasoning in tags (`<think>`, `<thinking>`, `<thought>`, `<reasoning>`) out of a text.

    A closing tag alone ends reasoning that began with the text; an opening tag inside reasoning is part of it.

    Args:
        text: What the model wrote.

    Returns:
        The text outside reasoning (as it came where there is none, else without spaces at its ends), and whether
        reasoning was left unclosed: then the answer was cut, and what is returned is only what stood before it.
    """
    if "<" not in text or _TAG.search(text) is None:
        return text, False
    kept: list[str] = []
    at = 0
    inside = False
    for tag in _TAG.finditer(text):
        closing = bool(tag.group(1))
        if closing:
            if not inside:
                kept.clear()
            inside = False
            at = tag.end()
        elif not inside:
            kept.append(text[at : tag.start()])
            inside = True
    if not inside:
        kept.append(text[at:])
    return "".join(kept).strip(), inside
