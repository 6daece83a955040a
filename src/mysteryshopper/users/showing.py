"""What a user makes of the items that were just shown."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.core import Item, Shown, UserView
from mysteryshopper.items import Catalog


def just_shown(view: UserView) -> tuple[Shown, ...]:
    """Return the items that the system showed in its last turn, as marked for this user."""
    count = 0
    for message in reversed(view.history.messages):
        if message.side == "user":
            break
        if message.author == "system":
            count += len(message.items)
    return view.shown[len(view.shown) - count :]


def titles(items: Sequence[Shown], *, mine: bool) -> list[str]:
    """Return titles, with years, of the items that carry this mark; repeats and items without a title left out."""
    marked = (shown.item for shown in items if shown.mine is mine and shown.item.title)
    return list(dict.fromkeys(f"{item.title} ({item.year})" if item.year else item.title for item in marked))


def taken(view: UserView, text: str) -> tuple[str, ...]:
    """Return the ids of what a user takes who ends content.

    The wanted items among those just shown; without any, the just shown items that the text names; without any, the
    wanted items of the last turn that showed some.
    """
    last = just_shown(view)
    if wanted := _ids(last, mine=True):
        return wanted
    if named := _named(last, text):
        return named
    return _ids(view.shown, mine=True)[-1:]


def _ids(items: Sequence[Shown], *, mine: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown.item.id for shown in items if shown.mine is mine and shown.item.id is not None))


def _named(items: Sequence[Shown], text: str) -> tuple[str, ...]:
    known = {
        shown.item.id: Item(shown.item.id, shown.item.title, shown.item.year)
        for shown in items
        if shown.item.id is not None and shown.item.title
    }
    if not known:
        return ()
    return tuple(dict.fromkeys(Catalog(known.values()).mentions(text)))
