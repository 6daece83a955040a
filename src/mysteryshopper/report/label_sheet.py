"""The page beside a sheet for people: what is on it, to read; who spoke is not told, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mysteryshopper import __version__
from mysteryshopper.core import Message
from mysteryshopper.experiment.labels import Copy, Entry
from mysteryshopper.judges.showing import lines
from mysteryshopper.report.templating import content_hash, environment, read_part
from mysteryshopper.report.text import one_line, shorten

_WHOLE = 1 << 62  # a person reads all of it
_WHO = {"person": "Person", "recommender": "Recommender", "note": "About the person", "tool": "Tool", "gap": ""}


@dataclass(frozen=True, slots=True)
class _Said:
    """One message as the page shows it."""

    side: str
    who: str
    text: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Shown:
    """One thing of the sheet: its code, what came before, each side with its letter, and what is known of the items."""

    item: str
    before: tuple[_Said, ...]
    sides: tuple[tuple[str, tuple[_Said, ...]], ...]
    facts: tuple[tuple[str, str], ...]


def render_label_sheet(copy: Copy) -> str:
    """Return the page of one copy of a sheet as HTML text; it names neither systems nor cases."""
    style = read_part("report.css") + read_part("compare.css")
    return (
        environment()
        .get_template("label.html.j2")
        .render(
            style=Markup(style),  # noqa: S704 - our files
            style_hash=content_hash(style),
            version=__version__,
            copy=copy,
            is_pair=len(copy.entries[0].shown) == 2,
            asked=[
                (one_line(one.criterion), one_line(one.question, 2_000), one_line(one.answers)) for one in copy.asked
            ],
            entries=[_shown(entry) for entry in copy.entries],
        )
    )


def _shown(entry: Entry) -> _Shown:
    letters = ("A", "B") if len(entry.shown) == 2 else ("",)
    sides = tuple(
        (letter, _said(entry.case.exhibits[place].messages)) for letter, place in zip(letters, entry.shown, strict=True)
    )
    facts = tuple((one_line(name), one_line(told, 2_000)) for name, told in entry.facts)
    return _Shown(entry.item, _said(entry.case.context), sides, facts)


def _said(messages: Sequence[Message]) -> tuple[_Said, ...]:
    return tuple(
        _Said(
            "user" if line.who == "person" else "system",
            _WHO[line.who],
            shorten(line.text.replace("\n    ", "\n"))[0],
            tuple(map(one_line, line.items)),
        )
        for line in lines(messages, limit=_WHOLE, longest=_WHOLE)
    )
