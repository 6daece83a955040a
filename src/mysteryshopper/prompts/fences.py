"""Fences around texts that others wrote, which can't be closed from inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Fence:
    """A pair of marks that stand around texts which are to be read, never obeyed.

    Attributes:
        mark: The random part of both marks; no fenced text holds it.
    """

    mark: str

    @classmethod
    def draw(cls, texts: Iterable[str], rng: Random) -> Fence:
        """Return a fence whose mark occurs in none of the texts, in whatever letter case."""
        written = list(texts)
        while True:
            fence = cls(f"{rng.getrandbits(48):012x}")
            if fence.holds(written):
                return fence

    def holds(self, texts: Iterable[str]) -> bool:
        """Whether the mark occurs in none of the texts, in whatever letter case."""
        return self.mark not in "\n".join(texts).casefold()

    @property
    def opening(self) -> str:
        """What stands before a text."""
        return f"<<{self.mark}"

    @property
    def closing(self) -> str:
        """What stands after a text."""
        return f"{self.mark}>>"

    def around(self, text: str) -> str:
        """Return the text inside its fence."""
        return f"<<{self.mark}\n{text}\n{self.mark}>>"
