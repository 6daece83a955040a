"""Wishes drawn from what items have: met by some of them, not by most."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Literal

from mysteryshopper.core import DataError, Item
from mysteryshopper.items import fold_value
from mysteryshopper.profiles.block import MadeProfiles
from mysteryshopper.profiles.decks import Balance, Deck
from mysteryshopper.profiles.stock import Stock

Difficulty = Literal["hard", "medium", "easy"]

_TRIES = 30
_EITHER = 0.2
"""Chance that a second value would do as well."""
_MOST_SHARE = 0.12
_MOST_OF_FEW, _SHARE_OF_FEW = 48, 1 / 3
"""A wish that more of the items meet is none; of few items, up to so many, and such a share, may meet it."""
_STEP = 4
"""A hard wish is met by up to so many times `least` items, a medium one by up to that squared; in small catalogues by
fewer, so that all three sorts occur."""


@dataclass(frozen=True)
class Wished:
    """A wish.

    Attributes:
        hard: Constraints: values by attribute.
        soft: Preferences.
        places: Places of the items that meet the constraints.
        difficulty: How many these are.
    """

    hard: dict[str, tuple[str, ...]]
    soft: dict[str, tuple[str, ...]]
    places: frozenset[int]
    difficulty: Difficulty


class Wanting:
    """Draws wishes; what was wished for least so far goes first."""

    def __init__(self, stock: Stock, settings: MadeProfiles, rng: Random, single: Collection[str] = ()) -> None:
        """Make it for a catalogue.

        Args:
            stock: The items.
            settings: Bounds of the wishes.
            rng: Draws how hard each is.
            single: Attributes of which one value is wished for, never one or another.

        Raises:
            DataError: No value is held by `least` items.
        """
        self._stock = stock
        self._settings = settings
        self._single = frozenset(single)
        few = min(_MOST_OF_FEW, int(_SHARE_OF_FEW * len(stock.items)))
        most = max(settings.least, int(_MOST_SHARE * len(stock.items)), few)
        room = most / settings.least
        step = _STEP if room >= _STEP**2 else room ** (1 / 3)
        low, middle = (max(settings.least, int(settings.least * step**power)) for power in (1, 2))
        self._bands: dict[Difficulty, tuple[int, int]] = {
            "hard": (settings.least, low),
            "medium": (low, middle),
            "easy": (middle, most),
        }
        self._common = {name: set(map(fold_value, stock.common(name, settings.least))) for name in stock.values}
        self._offers = [self._offer(item) for item in stock.items]
        self._places = [place for place, offer in enumerate(self._offers) if offer]
        if not self._places:
            raise DataError(
                f"no value of an attribute is held by {settings.least} items, so no wish can be made; give more items"
                " the same values, or lower `least`"
            )
        self._difficulty: Deck[Difficulty] = Deck(tuple(self._bands), rng)
        self._names: Balance[str] = Balance()
        self._values: Balance[tuple[str, str]] = Balance()

    def draw(self, rng: Random) -> Wished:
        """Return the next wish.

        Raises:
            DataError: After many tries there is none that `least` items meet and most don't.
        """
        wanted = self._difficulty.draw()
        low, high = self._bands[wanted]
        tries = (self._try(rng, wanted, tried // (2 * _TRIES)) for tried in range(_TRIES * 4))
        best: tuple[float, Item, dict[str, tuple[str, ...]], set[int]] | None = None
        for tried, (item, hard, places) in enumerate(tries):
            if not self._settings.least <= len(places) <= self._bands["easy"][1]:
                continue
            off = max(low - len(places), len(places) - high, 0) / max(1, len(places))
            if best is None or off < best[0]:
                best = off, item, hard, places
            if best[0] == 0 or tried >= _TRIES:
                break
        if best is None:
            raise DataError(
                f"no wish was found that at least {self._settings.least} of {len(self._stock.items)} items meet, and at"
                f" most {self._bands['easy'][1]}; give the items more attributes, or change `least`"
            )
        _, item, hard, places = best
        soft = self._soft(item, hard, rng)
        self._count(hard)
        self._count(soft)
        return Wished(hard, soft, frozenset(places), self._called(len(places)))

    def _try(self, rng: Random, wanted: Difficulty, more: int) -> tuple[Item, dict[str, tuple[str, ...]], set[int]]:
        """Draw a wish; with `more` constraints than this difficulty starts with, after many tries without one."""
        place = rng.choice(self._places)
        item, offer = self._stock.items[place], self._offers[place]
        names = self._names.order(offer, rng)
        few = {"hard": self._settings.hard, "medium": rng.randint(1, self._settings.hard), "easy": 1}[wanted]
        hard = {}
        for name in names[: min(few + more, self._settings.hard)]:
            value = self._values.least(offer[name], rng)[1]
            hard[name] = (value, *self._second(name, value, rng))
        return item, hard, self._stock.meeting(hard)

    def _second(self, name: str, value: str, rng: Random) -> tuple[str, ...]:
        if name in self._single:
            return ()
        common = self._stock.common(name, self._settings.least)
        if common in ([], [value]) or rng.random() >= _EITHER:
            return ()
        return (rng.choice([other for other in common if other != value]),)

    def _soft(self, item: Item, hard: dict[str, tuple[str, ...]], rng: Random) -> dict[str, tuple[str, ...]]:
        names = [name for name, values in item.attributes.items() if name not in hard and any(map(fold_value, values))]
        picked = self._names.order(names, rng)[: rng.randint(0, self._settings.soft)]
        return {name: (rng.choice([value for value in item.attributes[name] if fold_value(value)]),) for name in picked}

    def _offer(self, item: Item) -> dict[str, list[tuple[str, str]]]:
        """Return what may be required of an item, as pairs by attribute; attributes without any are left out."""
        kept = {
            name: [(name, value) for value in values if fold_value(value) in self._common.get(name, ())]
            for name, values in item.attributes.items()
        }
        return {name: pairs for name, pairs in kept.items() if pairs}

    def _count(self, wish: dict[str, tuple[str, ...]]) -> None:
        self._names.counts.update(list(wish))
        self._values.counts.update((name, value) for name, values in wish.items() for value in values)

    def _called(self, met: int) -> Difficulty:
        return next((name for name, (_, high) in self._bands.items() if met <= high), "easy")
