"""What an agenda user makes of the items just shown: which it would take, which it knows, and what they lack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from mysteryshopper.core import ItemRef, Profile, Shown, UserView
from mysteryshopper.reading import split_year, title_key
from mysteryshopper.users.agenda.memory import Memory, wished
from mysteryshopper.users.showing import just_shown


@dataclass(frozen=True)
class Seen:
    """The items just shown, sorted.

    Attributes:
        items: All of them, as shown.
        wanted: Those that are what the user wants and does not know yet, those that miss fewest preferences first.
        familiar: Those that the user has seen or likes already.
        disliked: Those that the user is known to dislike.
        again: Whether all of them were shown before.
        lacking: An attribute of the wish that all of them are known to lack; empty if there is none.
        lacks: Else an attribute that the first of them lacks, as (attribute, item).
        unknown: Whether nothing is known about any of them.
    """

    items: tuple[Shown, ...]
    wanted: tuple[Shown, ...] = ()
    familiar: tuple[Shown, ...] = ()
    disliked: tuple[Shown, ...] = ()
    again: bool = False
    lacking: str = ""
    lacks: tuple[str, Shown] | None = None
    unknown: bool = False


def look(view: UserView, memory: Memory) -> Seen:
    """Return what the user makes of the items that the system showed in its last turn."""
    items = just_shown(view)
    profile = view.scenario.profile
    if not items:
        return Seen(())
    before = {shown.item for shown in view.shown[: len(view.shown) - len(items)]}
    familiar = tuple(shown for shown in items if _names((*profile.seen, *profile.likes)).hold(shown.item))
    disliked = tuple(shown for shown in items if _names(profile.dislikes).hold(shown.item))
    passed = {shown.item for shown in (*familiar, *disliked)}
    wanted = [shown for shown in items if shown.mine and shown.item.id is not None and shown.item not in passed]
    wanted.sort(key=lambda shown: len(soft_misses(shown, profile, memory)))
    if not wanted and not profile.attributes and not profile.prefers:
        wanted = [shown for shown in items if shown.mine is None and shown.item.id and shown.item not in passed]
    missing = [(shown, name) for shown in items for name in _missing(shown, profile, memory)]
    counts = Counter(name for _, name in missing)
    told = set(memory.told)
    common = sorted((name for name, count in counts.items() if count == len(items)), key=lambda name: name in told)
    return Seen(
        items,
        tuple(wanted),
        familiar,
        disliked,
        again=all(shown.item in before for shown in items),
        lacking=common[0] if common else "",
        lacks=next(((name, shown) for shown, name in missing if shown is items[0]), None),
        unknown=all(shown.mine is None for shown in items),
    )


def soft_misses(shown: Shown, profile: Profile, memory: Memory) -> tuple[str, ...]:
    """Return the preferences, not given up, that an item is known to miss."""
    return tuple(
        name
        for name in shown.misses
        if name in profile.prefers and name not in profile.attributes and name not in memory.dropped
    )


def _missing(shown: Shown, profile: Profile, memory: Memory) -> list[str]:
    """Return what an item that is not wanted lacks, constraints first."""
    wish = wished(profile)
    missed = [name for name in shown.misses if name in wish and name not in memory.dropped]
    return [name for name in missed if name in profile.attributes] or missed


@dataclass(frozen=True)
class _Names:
    """Ids and titles of items, ready to be compared with."""

    ids: frozenset[str]
    years: dict[str, set[int | None]]

    def hold(self, item: ItemRef) -> bool:
        """Whether an item is among them: its id, or its title with a year that fits."""
        if item.id in self.ids:
            return True
        if not self.years or not item.title:
            return False
        bare, year = split_year(item.title)
        years = self.years.get(title_key(bare))
        year = item.year if item.year is not None else year
        return years is not None and (year is None or None in years or year in years)


@lru_cache(maxsize=4096)
def _names(names: tuple[str, ...]) -> _Names:
    years: dict[str, set[int | None]] = {}
    for name in names:
        bare, year = split_year(name)
        years.setdefault(title_key(bare), set()).add(year)
    return _Names(frozenset(names), years)
