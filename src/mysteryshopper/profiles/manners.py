"""How generated people write: four traits of style, every combination used as evenly as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from random import Random

STYLES: Mapping[str, tuple[str, ...]] = {
    "formality": ("formal", "neutral", "casual"),
    "sentiment": ("positive", "neutral", "negative"),
    "conciseness": ("terse", "plain", "chatty"),
    "carelessness": ("careful", "hasty", "careless"),
}
"""The words that generated profiles use for each trait of `Profile.style`."""

COMBINATIONS: tuple[tuple[str, ...], ...] = tuple(product(*STYLES.values()))
"""All 81 of them."""


class Manners:
    """Draws styles so that no combination comes up again before all have, and each trait stays even on the way."""

    def __init__(self, rng: Random) -> None:
        """Make it with the randomness that settles ties."""
        self._rng = rng
        self._left: list[tuple[str, ...]] = []
        self._words: Counter[tuple[int, str]] = Counter()

    def draw(self) -> dict[str, str]:
        """Return the next person's style."""
        if not self._left:
            self._left = self._rng.sample(COMBINATIONS, len(COMBINATIONS))
        best = min(self._left, key=self._use)
        self._left.remove(best)
        self._words.update(enumerate(best))
        return dict(zip(STYLES, best, strict=True))

    def _use(self, combination: tuple[str, ...]) -> int:
        return sum(self._words[place, word] ** 2 for place, word in enumerate(combination))
