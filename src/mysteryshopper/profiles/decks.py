"""Draws that spread evenly: every value comes up before one comes up again, in an order of chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Deck(Generic[T]):
    """A deck of cards, shuffled anew when it is used up. Later draws never change earlier ones."""

    def __init__(self, cards: Sequence[T], rng: Random) -> None:
        """Make it from its cards; at least one."""
        self._cards = list(cards)
        self._rng = rng
        self._left: list[T] = []

    def draw(self) -> T:
        """Return the next card."""
        if not self._left:
            self._left = self._rng.sample(self._cards, len(self._cards))
        return self._left.pop()


class Balance(Generic[T]):
    """Counts what was drawn, and takes what was drawn least."""

    def __init__(self) -> None:
        """Make it with nothing drawn."""
        self.counts: Counter[T] = Counter()

    def least(self, among: Iterable[T], rng: Random) -> T:
        """Return one of the values drawn least so far, and don't count it yet.

        Raises:
            ValueError: There is none.
        """
        values = list(among)
        fewest = min(self.counts[value] for value in values)
        return rng.choice([value for value in values if self.counts[value] == fewest])

    def order(self, among: Iterable[T], rng: Random) -> list[T]:
        """Return the values, those drawn least first, equal ones in an order of chance."""
        return sorted(among, key=lambda value: (self.counts[value], rng.random()))
