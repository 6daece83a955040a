"""What is made of records, kept for the last few of them: neighbours often share parts, as units of one turn do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

_MOST = 64


class LastFew(Generic[A, B]):
    """Makes one thing of another, only once where the very same object comes again soon."""

    def __init__(self, make: Callable[[A], B]) -> None:
        """Make it empty; `make` depends on what it is given alone."""
        self._make = make
        self._kept: dict[int, tuple[A, B]] = {}  # by identity, which holds as long as the object is kept, too

    def of(self, given: A) -> B:
        """Return what is made of an object."""
        known = self._kept.get(id(given))
        if known is not None:
            return known[1]
        made = self._make(given)
        if len(self._kept) >= _MOST:
            self._kept.clear()
        self._kept[id(given)] = given, made
        return made
