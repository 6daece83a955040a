"""What a user makes of the items that were just shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mysteryshopper.core import Item, Shown, UserView
from mysteryshopper.items import Catalog


def just_shown(view: UserView) -> tuple[Shown, ...]:
    """Return the items that the system showed in its last turn, as marked for this user."""
    if not view.shown:
        return ()
    count = 0
    for message in reversed(view.history.messages):
        if message.side == "user":
            break
        if message.author == "system":
            count += len(message.items)
    return view.shown[len(view.shown) - count :]


def heard(view: UserView) -> str:
    """Return what the system said since this side spoke last."""
    texts: list[str] = []
    for message in reversed(view.history.messages):
        if message.side == "user":
            break
        texts.append(message.text)
    return "\n".join(reversed(texts))


def named(items: Sequence[Shown], *, mine: bool) -> tuple[dict[str, Any], ...]:
    """Return the items that carry this mark as `{"title", "misses"}`, the title with its year.

    Repeats and items without a title are left out.
    """
    if not items:
        return ()
    marked = {
        f"{shown.item.title} ({shown.item.year})" if shown.item.year else shown.item.title: shown.misses
        for shown in items
        if shown.mine is mine and shown.item.title
    }
    return tuple({"title": title, "misses": list(misses)} for title, misses in marked.items())


def taken(view: UserView, text: str) -> tuple[str, ...]:
    """Return the ids of what a user takes who ends content.

    The wanted items among those just shown; without any, the just shown items that the text names; without any, the
    wanted items of the last turn that showed some.
    """
    last = just_shown(view)
    if hits := wanted(last):
        return hits
    if told := _told(last, text):
        return told
    return wanted(view.shown)[-1:]


def wanted(items: Sequence[Shown]) -> tuple[str, ...]:
    """Return the ids of the items that are what the user wanted, in order, each once."""
    return tuple(dict.fromkeys(shown.item.id for shown in items if shown.mine and shown.item.id is not None))


def _told(items: Sequence[Shown], text: str) -> tuple[str, ...]:
    known = {
        shown.item.id: Item(shown.item.id, shown.item.title, shown.item.year)
        for shown in items
        if shown.item.id is not None and shown.item.title
    }
    if not known:
        return ()
    return tuple(dict.fromkeys(Catalog(known.values()).mentions(text)))
