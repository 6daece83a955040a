"""The pages themselves: HTML files that open from disk and fetch nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mysteryshopper import __version__
from mysteryshopper.report.book import Book, Gathered, make_book, tokens, vocabulary
from mysteryshopper.report.dialogues import DialogueView
from mysteryshopper.report.index import MOST_DIALOGUES, MOST_SHOWN, OUTCOMES
from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.markdown import render_markdown
from mysteryshopper.report.numbers import count
from mysteryshopper.report.plots import Drawing, draw
from mysteryshopper.report.sections import sections
from mysteryshopper.report.templating import content_hash, environment, read_part
from mysteryshopper.report.text import shorten

_PLOTS = "plots"
_MOST_LINKS = 200


def write_report(path: str | Path, report: ReportInput, ahead: Gathered | None = None) -> Path:
    """Write a report: the page, further pages of dialogues, `report.md` and `plots/` beside it.

    Older files of these names are replaced, and pages that this report no longer has are removed.

    Args:
        path: The first page's file; the others are named after it.
        report: What it is made from.
        ahead: What it shows of dialogues, if `write_further_pages` wrote the further pages from it.

    Returns:
        The path written.
    """
    target = Path(path)
    book = make_book(report, ahead)
    drawings = draw(book.figures)
    _write_plots(target.parent / _PLOTS, drawings)
    names = _page_names(target.name, len(book.pages))
    shown = book.views()
    _write_page(target, _first(book, next(shown), names, drawings))
    if ahead is None:
        _write_further(target, book, shown, names)
    for old in target.parent.glob(f"{target.stem}-dialogues-*{target.suffix}"):
        if old.name not in names:
            old.unlink()
    _write(target.with_suffix(".md"), render_markdown(book).encode("utf-8", "replace"))
    return target


def write_further_pages(path: str | Path, report: ReportInput) -> Gathered:
    """Write all pages of a report but the first: those hold dialogues alone, and no number.

    Args:
        path: The first page's file, which is not written.
        report: What it is made from; its metrics don't matter.

    Returns:
        What the report shows of dialogues, with the rulings that the first page needs.
    """
    target = Path(path)
    book = make_book(report)
    shown = book.views()
    next(shown)
    _write_further(target, book, shown, _page_names(target.name, len(book.pages)))
    first = {book.index.ids[place] for place in book.pages[0]}
    kept = {name: found for name, found in book.opinions.by_dialogue.items() if name in first}
    return Gathered(book.index, book.pages, replace(book.opinions, by_dialogue=kept))


def _write_further(target: Path, book: Book, pages: Iterable[Sequence[DialogueView]], names: Sequence[str]) -> None:
    for number, shown in enumerate(pages, 1):
        _write_page(target.with_name(names[number]), _further(book, shown, names, number))


def _write_page(path: Path, text: str) -> None:
    _write(path, text.encode("utf-8", "replace"))


def render_report(report: ReportInput, drawings: Sequence[Drawing] = ()) -> str:
    """Return the first page of a report as HTML text, with these plots.

    Equal inputs give equal text: it holds no time of day and no path.
    """
    book = make_book(report)
    return _first(book, next(book.views()), _page_names("report.html", len(book.pages)), drawings)


def _first(book: Book, shown: Sequence[DialogueView], names: Sequence[str], drawings: Sequence[Drawing]) -> str:
    experiment = shorten(book.report.experiment, 100_000)
    # both are ours: the drawings hold shapes and text alone
    plots = [(drawing.figure, Markup(drawing.inline)) for drawing in drawings]  # noqa: S704
    return _render(
        "report.html.j2",
        book,
        shown,
        names,
        0,
        **sections(book),
        plots=plots,
        experiment=experiment,
        links=_links(book, names),
        outcomes=OUTCOMES,
    )


def _further(book: Book, shown: Sequence[DialogueView], names: Sequence[str], number: int) -> str:
    return _render("dialogues.html.j2", book, shown, names, number)


def _render(
    template: str, book: Book, shown: Sequence[DialogueView], names: Sequence[str], number: int, **more: Any
) -> str:
    style, script = read_part("report.css"), read_part("report.js")
    words = vocabulary(shown)
    hrefs = _hrefs(book, names, number)
    siblings = book.index.siblings()
    return (
        environment()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - our file
            script=Markup(script),  # noqa: S704 - our file
            style_hash=content_hash(style),
            script_hash=content_hash(script),
            version=__version__,
            count=count,
            book=book,
            title=book.title,
            protocol=book.protocol,
            seed=book.report.summary.get("seed"),
            losses=book.losses,
            shown=shown,
            tokens=[tokens(one, words) for one in shown],
            choices={key: list(found.items()) for key, found in words.items() if len(found) > 1},
            siblings=[_siblings(book, one, siblings, hrefs) for one in shown],
            names=names,
            number=number,
            most_dialogues=MOST_DIALOGUES,
            most_shown=MOST_SHOWN,
            **more,
        )
    )


def _siblings(
    book: Book, one: DialogueView, siblings: Mapping[str, Sequence[int]], hrefs: Mapping[int, str]
) -> list[tuple[str, str, str]]:
    """Return system, outcome and link of the other dialogues about the same wish."""
    entries = book.index.entries
    others = [entries[place] for place in siblings.get(one.entry.wish, ()) if entries[place] is not one.entry]
    places = [place for place in siblings.get(one.entry.wish, ()) if entries[place] is not one.entry]
    return [
        (entry.system or entry.label, OUTCOMES[entry.outcome], hrefs[place])
        for entry, place in zip(others[:8], places[:8], strict=True)
    ]


def _hrefs(book: Book, names: Sequence[str], here: int) -> dict[int, str]:
    """Return the link to every shown dialogue, as written on page `here`."""
    return {
        place: ("" if page == here else names[page]) + f"#{book.index.entries[place].anchor}"
        for page, places in enumerate(book.pages)
        for place in places
    }


def _links(book: Book, names: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return links to the first dialogues of every outcome, as label and target."""
    hrefs = _hrefs(book, names, 0)
    found: dict[str, list[tuple[str, str]]] = {key: [] for key in book.index.outcomes}
    for place in book.index.chosen:
        entry = book.index.entries[place]
        if len(found[entry.outcome]) < _MOST_LINKS:
            found[entry.outcome].append((entry.label, hrefs[place]))
    return found


def _page_names(first: str, number: int) -> list[str]:
    stem, dot, suffix = first.rpartition(".")
    stem = stem if dot else first
    return [first, *(f"{stem}-dialogues-{page}{dot}{suffix if dot else ''}" for page in range(2, number + 1))]


def _write_plots(folder: Path, drawings: Sequence[Drawing]) -> None:
    names = {f"{drawing.figure.name}{suffix}" for drawing in drawings for suffix in (".svg", ".png")}
    if folder.is_dir():
        for old in folder.iterdir():
            if old.suffix in (".svg", ".png") and old.name not in names:
                old.unlink()
    elif drawings:
        folder.mkdir()
    for drawing in drawings:
        _write(folder / f"{drawing.figure.name}.svg", drawing.svg.encode())
        _write(folder / f"{drawing.figure.name}.png", drawing.png)


def _write(path: Path, content: bytes) -> None:
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(content)
    os.replace(draft, path)
