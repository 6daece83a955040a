"""What a set of profiles covers: attributes, values, manners, difficulty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from mysteryshopper.core import Profile
from mysteryshopper.items import fold_value
from mysteryshopper.profiles.manners import COMBINATIONS, STYLES
from mysteryshopper.profiles.stock import Stock


@dataclass(frozen=True)
class Coverage:
    """What generated profiles cover.

    Attributes:
        profiles: How many there are.
        wishes: By attribute, how many wish for it (required or preferred).
        values: By attribute, how many of its values somebody wishes for, and how many at least `least` items have.
        styles: By trait of style, how many write so.
        combinations: How many combinations of style occur, and how many there are.
        difficulty: How many wishes few, some and many items meet.
        items: Least, median and greatest number of items, not known to the person, that meet the constraints.
        hidden: How many profiles hold something back.
        seen: How many know some items already.
    """

    profiles: int
    wishes: Mapping[str, int]
    values: Mapping[str, tuple[int, int]]
    styles: Mapping[str, Mapping[str, int]]
    combinations: tuple[int, int]
    difficulty: Mapping[str, int]
    items: tuple[int, float, int]
    hidden: int
    seen: int

    def rows(self) -> list[tuple[str, str]]:
        """Return it as rows of a table: what, and how much of it."""
        rows = [("profiles", f"{self.profiles:,}")]
        for name, count in self.wishes.items():
            used, there = self.values[name]
            rows.append((f"wish for {name}", f"{count:,}, {used:,} different values; {there:,} could be required"))
        low, middle, high = self.items
        rows.append(("items that meet a wish", f"{low:,} to {high:,}, median {middle:g}"))
        rows.append(("difficulty", _listed(self.difficulty)))
        rows.append(("hold something back", f"{self.hidden:,}"))
        rows.append(("know some items", f"{self.seen:,}"))
        rows += [(trait, _listed(words)) for trait, words in self.styles.items()]
        used, there = self.combinations
        rows.append(("combinations of style", f"{used:,} of {there:,}"))
        return rows


def covered(profiles: Sequence[Profile], stock: Stock, least: int) -> Coverage:
    """Return what generated profiles cover of a catalogue.

    Args:
        profiles: At least one.
        stock: The items the wishes are about.
        least: Items that a value must have to be required.
    """
    wishes: Counter[str] = Counter(dict.fromkeys(stock.values, 0))
    values: dict[str, set[str]] = {name: set() for name in stock.values}
    for profile in profiles:
        for name in {**profile.attributes, **profile.prefers}:
            wishes[name] += 1
            told = (*profile.attributes.get(name, ()), *profile.prefers.get(name, ()))
            values[name].update(map(fold_value, told))
    met = sorted(int(profile.notes["items"]) for profile in profiles)
    combinations = {tuple(profile.style.values()) for profile in profiles}
    return Coverage(
        profiles=len(profiles),
        wishes=dict(wishes),
        values={name: (len(found), len(stock.common(name, least))) for name, found in values.items()},
        styles={
            trait: {word: sum(profile.style[trait] == word for profile in profiles) for word in words}
            for trait, words in STYLES.items()
        },
        combinations=(len(combinations), len(COMBINATIONS)),
        difficulty=dict(Counter(str(profile.notes["difficulty"]) for profile in profiles)),
        items=(met[0], median(met), met[-1]),
        hidden=sum(bool(profile.hidden) for profile in profiles),
        seen=sum(bool(profile.seen) for profile in profiles),
    )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in counts.items())
