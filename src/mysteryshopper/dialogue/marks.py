"""Which of the items shown are what this user wanted: told to the user by the loop, never to the system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mysteryshopper.core import Goal, Item, ItemRef, Shown

Find: TypeAlias = Callable[[str], "Item | None"]
"""Looks up an item of the catalogue by its id."""

Mark: TypeAlias = Callable[[ItemRef], Shown]
"""Marks one item that was shown."""


def marker(goal: Goal, find: Find | None = None) -> Mark:
    """Return what marks items for a goal.

    With targets, an item is wanted if its id is a target's; one without an id, if its title and year are a target's
    (it is then given that id). Without targets, an item is wanted if it meets all constraints; None (not known) where
    the catalogue does not hold it. An empty goal wants nothing in particular: None.

    Args:
        goal: What would satisfy the wish.
        find: Looks items up by id; needed for constraints.
    """
    if goal.targets:
        return _by_target(goal.targets)
    if goal.constraints and find is not None:
        return _by_constraints(goal, find)
    return Shown


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


def _by_constraints(goal: Goal, find: Find) -> Mark:
    from mysteryshopper.items import meets

    def mark(ref: ItemRef) -> Shown:
        item = find(ref.id) if ref.id is not None else None
        return Shown(ref, None if item is None else meets(item, goal.constraints))

    return mark
