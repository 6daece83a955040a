r"""Large patterns, tried only where they may match: RE2 says in one pass over a text that most of them do not.

RE2 knows no lookaround, so it gets the pattern without any, which matches whatever the pattern does and perhaps more.
It reads letters and word ends as ASCII only; a text with others is left to `re` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[()]|\s+|[^\\\[()\s]+", re.DOTALL)
_SPACE = r"\s\v\x1c-\x1f"
"""What `\\s` means to `re` in ASCII; to RE2 it is less."""

_OURS = {r"\ ": " ", r"\#": "#", r"\Z": r"\z", r"\s": f"[{_SPACE}]"}

_MEMORY = 16 << 20


class _Set(Protocol):
    def Match(self, text: str) -> list[int] | None: ...  # noqa: N802 - RE2's name


class Pattern:
    """A verbose regular expression for texts in lower case."""

    def __init__(self, source: str, *, lines: bool = False) -> None:
        """Make it; with `lines`, `^` and `$` are the ends of lines. It is compiled when a text is first held to it."""
        self._source = source
        self._lines = lines

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, or None."""
        return self._exact.search(text) if self._may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return all matches that do not overlap."""
        return self._exact.finditer(text) if self._may_match(text) else iter(())

    def _may_match(self, text: str) -> bool:
        return not text.isascii() or bool(self._screen.Match(text))

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        return re.compile(self._source, re.VERBOSE | (re.MULTILINE if self._lines else 0))

    @cached_property
    def _screen(self) -> _Set:
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY
        screen = re2.Set.SearchSet(options)
        screen.Add(("(?m)" if self._lines else "") + without_lookaround(self._source))
        screen.Compile()
        found: _Set = screen
        return found


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
