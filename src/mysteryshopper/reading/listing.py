"""Lists as models write them: lines with their markers off, and an item told apart from what is said about it."""

from __future__ import annotations

import re
import unicodedata

_MARKER = re.compile(
    r"[ \t>]*(?:[*_]{0,3}(?:\d{1,3}[.)、](?!\d)|\d{1,2}:(?=\s)|[(\[]\d{1,2}[)\]]|#\d{1,3}\b[.:)]?)[*_]{0,3}"
    r"|[-–—+](?=[\s\"“*_\[《])|\*(?=\s)|[•·‣▪◦])[ \t]*"
)
_FENCE = re.compile(r"^[ \t]*```.*$", re.M)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_PAIRS = {
    '"': '"',
    "“": "”",
    "„": "“",
    "«": "»",
    "《": "》",
    "「": "」",
    "『": "』",
    "<": ">",
    "‘": "’",
    "'": "'",
    "`": "`",
}
_AFTER_SINGLE = re.compile(r"\s*(?:\Z|[(（,;.–—-])")
_BOLD = re.compile(r"(\*{1,3}|_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")


def lines(text: str) -> list[str]:
    """Return the non-empty lines of a text, spaces folded, without code fences, Markdown links as their texts."""
    text = _LINK.sub(r"\1", _FENCE.sub("", unicodedata.normalize("NFC", text)))
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def unmark(line: str) -> tuple[str, bool]:
    """Take a list marker (`1.`, `2)`, `-`, `•` …) off a line; also say whether there was one."""
    marker = _MARKER.match(line)
    return (line[marker.end() :].strip(), True) if marker else (line, False)


def opening_span(text: str) -> tuple[str, str] | None:
    """Return what emphasis or quotation marks at the start of a text hold, and the rest; None where there are none.

    Emphasis around quotation marks, and the other way round, is taken off too.
    """
    bold = _BOLD.match(text)
    if bold:
        inner, rest = bold.group(2), text[bold.end() :]
    else:
        closer = _PAIRS.get(text[:1], "")
        end = _closing(text, closer) if closer else -1
        if end < 2:
            return None
        inner, rest = text[1:end], text[end + 1 :]
        if closer in "'’" and not _AFTER_SINGLE.match(rest):
            return None
    nested = opening_span(inner) if len(inner) < len(text) else None
    if nested and not nested[1].strip(" .,:;"):
        return nested[0], rest
    return inner.strip(), rest


def _closing(text: str, closer: str) -> int:
    """Return where the closing mark stands; an apostrophe inside a word is none."""
    at = 1
    while (at := text.find(closer, at, 300)) != -1:
        if not text[at + 1 : at + 2].isalnum():
            return at
        at += 1
    return -1
