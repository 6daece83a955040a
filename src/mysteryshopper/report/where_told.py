"""Where a number was taken, as a person would say it: in free chat, without leaks, with the user plain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mysteryshopper.report.text import one_line

_SAID: Mapping[tuple[str, str], str] = {
    ("setting", "original"): "on the histories as they are",
    ("setting", "attribute"): "when asked about attributes",
    ("setting", "free"): "in free chat",
    ("leaks", "all"): "leaks included",
    ("leaks", "free"): "without leaks",
    ("list", "shown"): "of the items shown",
    ("list", "ranked"): "of the ranking",
}
_FORMS: Mapping[str, str] = {"setting": "in the setting {}", "leaks": "leaks {}", "user": "with the user {}"}
_OTHER = "for {key} {value}"


def told_where(group: Iterable[tuple[str, str]]) -> str:
    """Return a group (without its system) in words, the setting first, then leaks, users, and all else as it came.

    Returns:
        An empty text for an empty group. Names are made safe to show; they stand as they were given.
    """
    order = {key: place for place, key in enumerate(_FORMS)}
    parts = sorted(group, key=lambda part: order.get(part[0], len(order)))
    return ", ".join(_part(key, value) for key, value in parts)


def told_first(group: Iterable[tuple[str, str]]) -> str:
    """Return the same as a sentence begins: with a capital letter; names keep theirs."""
    text = told_where(group)
    return text[:1].upper() + text[1:]


def _part(key: str, value: str) -> str:
    if (said := _SAID.get((key, value))) is not None:
        return said
    form = _FORMS.get(key)
    name = one_line(value)
    return form.format(name) if form is not None else _OTHER.format(key=one_line(key), value=name)
