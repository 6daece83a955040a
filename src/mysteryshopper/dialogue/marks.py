"""Which of the items shown are what this user wanted, and what they lack: told to the user, never to the system."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from mysteryshopper.core import Goal, Item, ItemRef, Profile, Shown

Find: TypeAlias = Callable[[str], "Item | None"]
"""Looks up an item of the catalogue by its id."""

Mark: TypeAlias = Callable[[ItemRef], Shown]
"""Marks one item that was shown."""


def marker(goal: Goal, find: Find | None = None, profile: Profile | None = None) -> Mark:
    """Return what marks items for a goal.

    With targets, an item is wanted if its id is a target's; one without an id, if its title and year are a target's
    (it is then given that id). Without targets, an item is wanted if it meets all constraints; None (not known) where
    the catalogue does not hold it. An empty goal wants nothing in particular: None.

    Whatever the goal, an item that is known also carries the names of the attributes of the profile's wish, required or
    preferred, that it does not meet (see `items.meets`), in the profile's order.

    Args:
        goal: What would satisfy the wish.
        find: Looks items up by id; needed for constraints, and to tell what an item that is no target misses.
        profile: Whose wish it is; None tells nothing about what is missed.
    """
    mark = _by_target(goal.targets) if goal.targets else _by_constraints(goal, find)
    if profile is None or not (profile.attributes or profile.prefers):
        return mark
    missed = _missing([*profile.attributes.items(), *profile.prefers.items()])
    targets = {target.id: target for target in goal.targets}

    def complete(ref: ItemRef) -> Shown:
        shown = mark(ref)
        name = shown.item.id
        item = None if name is None else (find(name) if find is not None else None) or targets.get(name)
        names = () if item is None else missed(item)
        return replace(shown, misses=names) if names else shown

    return complete


def _by_target(targets: tuple[Item, ...]) -> Mark:
    from mysteryshopper.reading import split_year, title_key

    ids = {target.id for target in targets}
    keys = {title_key(name): target for target in targets for name in (target.title, *target.aliases)}

    def mark(ref: ItemRef) -> Shown:
        if ref.id is not None:
            return Shown(ref, ref.id in ids)
        title, year = split_year(ref.title)
        year = ref.year if ref.year is not None else year
        target = keys.get(title_key(title)) if title else None
        if target is None or (year is not None and target.year is not None and abs(year - target.year) > 1):
            return Shown(ref, False)
        return Shown(ItemRef(target.id, ref.title, ref.year), True)

    return mark


def _by_constraints(goal: Goal, find: Find | None) -> Mark:
    if not goal.constraints or find is None:
        return Shown
    missed = _missing(goal.constraints.items())

    def mark(ref: ItemRef) -> Shown:
        item = find(ref.id) if ref.id is not None else None
        return Shown(ref, None if item is None else not missed(item))

    return mark


def _missing(wish: Iterable[tuple[str, Iterable[str]]]) -> Callable[[Item], tuple[str, ...]]:
    """Return what names the attributes that an item does not meet, as `items.meets` has it; values are folded once."""
    from mysteryshopper.items import fold_values

    wanted = [(name, fold_values(tuple(values))) for name, values in wish]

    def missed(item: Item) -> tuple[str, ...]:
        held = item.attributes
        names = (name for name, values in wanted if values.isdisjoint(fold_values(tuple(held.get(name, ())))))
        return tuple(dict.fromkeys(names))

    return missed
