r"""Large patterns, tried only where they may match: RE2 says in one pass over a text which of them may.

RE2 knows no lookaround, so it gets the patterns without any, which match whatever the patterns do and perhaps more.
It reads letters and word ends as ASCII only; a text with others is left to `re` alone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cached_property
from typing import Protocol

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[()]|\s+|[^\\\[()\s]+", re.DOTALL)
_SPACE = r"\s\v\x1c-\x1f"
"""What `\\s` means to `re` in ASCII; to RE2 it is less."""

_OURS = {r"\ ": " ", r"\#": "#", r"\Z": r"\z", r"\s": f"[{_SPACE}]"}

_MEMORY = 64 << 20
"""Most bytes of one screen: with a quarter of it, the texts of a real dialogue drove each other's states out."""


class _Set(Protocol):
    def Match(self, text: str) -> list[int] | None: ...  # noqa: N802 - RE2's name


class Screen:
    """Patterns that are held against the same texts, and what one look at a text says of them all."""

    def __init__(self) -> None:
        """Make it without patterns."""
        self._sources: list[str] = []
        self._last: tuple[str | None, Container[int]] = (None, ())

    def pattern(self, source: str, *, lines: bool = False) -> Pattern:
        """Return a verbose regular expression for texts in lower case, to be screened together with the others.

        With `lines`, `^` and `$` are the ends of lines. It is compiled when a text is first held against it.
        """
        self.__dict__.pop("_set", None)
        self._last = None, ()
        self._sources.append(("(?m)" if lines else "") + without_lookaround(source))
        return Pattern(source, lines, self, len(self._sources) - 1)

    def lets_pass(self, text: str, place: int) -> bool:
        """Whether the pattern at a place may match a text; an answer is kept until another text comes."""
        if not text.isascii():
            return True
        last, passed = self._last
        if last is not text:
            passed = self._set.Match(text) or ()
            self._last = text, passed
        return place in passed

    @cached_property
    def _set(self) -> _Set:
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY
        screen = re2.Set.SearchSet(options)
        for source in self._sources:
            screen.Add(source)
        screen.Compile()
        found: _Set = screen
        return found


class Pattern:
    """A large pattern behind a screen; see `Screen.pattern`."""

    def __init__(self, source: str, lines: bool, screen: Screen, place: int) -> None:
        """Make it."""
        self._source = source
        self._lines = lines
        self._screen = screen
        self._place = place

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, or None."""
        return self._exact.search(text) if self._screen.lets_pass(text, self._place) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return all matches that do not overlap."""
        return self._exact.finditer(text) if self._screen.lets_pass(text, self._place) else iter(())

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        return re.compile(self._source, re.VERBOSE | (re.MULTILINE if self._lines else 0))


SCREEN = Screen()
"""What all large patterns of the detectors stand behind: a turn is held against each of them."""


def without_lookaround(source: str) -> str:
    """Return a verbose pattern as RE2 reads it, with its lookaheads and lookbehinds left out."""
    kept: list[str] = []
    depth = skipped_from = 0
    for found in _PARTS.finditer(source):
        part = found.group()
        opens = part.startswith("(")
        depth += opens
        if opens and len(part) > 1 and not skipped_from:
            skipped_from = depth
        if not skipped_from and not part.isspace():
            kept.append(_translated(part))
        if part == ")":
            skipped_from = 0 if skipped_from == depth else skipped_from
            depth -= 1
    return "".join(kept)


def _translated(part: str) -> str:
    if part.startswith("["):
        return part.replace(r"\s", _SPACE)
    return _OURS.get(part, part)
