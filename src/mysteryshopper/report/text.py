"""Texts from anywhere, made fit to be shown: nothing hidden, nothing endless, every character as text."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""C0 and C1 controls (all but tab and newline), embeddings and overrides of direction, surrogates, noncharacters."""

LONGEST = 20_000
"""Characters of one text that a page shows."""


def visible(text: str) -> str:
    """Return a text whose control characters can be seen and do nothing.

    Escape, bell and their like become control pictures (`␛`), a delete `␡`; C1 controls, embeddings and overrides of
    direction become their code in brackets (`[U+202E]`); lone surrogates become U+FFFD; a carriage return before a
    newline is dropped.
    """
    if text.isprintable():  # as most texts are, and no control is
        return text
    return _CONTROL.sub(_show, text.replace("\r\n", "\n"))


def one_line(text: str, longest: int = 300) -> str:
    """Return a text on one line: controls visible, white space folded, cut with `…` after `longest` characters."""
    line = " ".join(visible(text[: longest * 4]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def shorten(text: str, longest: int = LONGEST) -> tuple[str, int]:
    """Return the first `longest` characters of a text, controls visible, and how many characters are left out."""
    return visible(text[:longest]), max(len(text) - longest, 0)


def _show(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"[U+{code:04X}]"
