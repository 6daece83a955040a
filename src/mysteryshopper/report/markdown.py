"""`report.md`: the result for a pull request. What was said in a run can neither leave its cell nor close a fence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mysteryshopper.report.book import Book
from mysteryshopper.report.curves import panels
from mysteryshopper.report.curves_told import meaning_of, table_of
from mysteryshopper.report.index import OUTCOMES
from mysteryshopper.report.leaks_told import leak_audit
from mysteryshopper.report.notes import Note
from mysteryshopper.report.numbers import count
from mysteryshopper.report.optimization import CELLS, chapter
from mysteryshopper.report.standing import headline_names, is_of_system, standings
from mysteryshopper.report.tables import side_by_side
from mysteryshopper.report.text import one_line

_MARKS = re.compile(r"[\\`*_{}\[\]#|<>~$&]|(?<=\w):(?=//)|(?<=\bwww)\.|^[-+=](?=\s|$)")
_MENTION = re.compile(r"@(?=\w)")
_MOST_LOSSES = 10


def render_markdown(book: Book) -> str:
    """Return a report as Markdown: headline, warnings, table of systems, outcomes, what was lost, assertions."""
    first = [note for note in book.notes if note.about == "run"]
    parts = [f"# {_safe(book.title)}", _safe(book.headline.asked), *_notes(first), *_headline(book)]
    parts.extend(_notes([note for note in book.notes if note not in first]))
    parts.extend(_audit(book))
    parts.extend(["", "## Systems side by side", *_systems(book)])
    parts.extend(_curves(book))
    parts.extend(_prompts(book))
    parts.extend(["", "## How dialogues came out", *_outcomes(book)])
    parts.extend(["", "## What was lost", _safe(book.losses.sentence), *_lost(book)])
    if book.report.assertions:
        parts.extend(["", "## Assertions", *_assertions(book)])
    return "\n".join(_spaced(parts)) + "\n"


def _notes(notes: Sequence[Note]) -> list[str]:
    lines = [f"- {'**Mind:** ' if note.level == 'warning' else ''}{_safe(note.text, 1_000)}" for note in notes]
    return ["", *lines, ""] if lines else []


def _headline(book: Book) -> list[str]:
    lines = [
        f"**{_safe(answer.text, 1_000)}** {_safe(answer.beside, 1_000)}".rstrip() for answer in book.headline.answers
    ]
    if book.headline.more:
        lines.append(f"{count(book.headline.more)} more groups are in the table.")
    return [line for text in lines for line in (text, "")]


def _systems(book: Book) -> list[str]:
    metrics = book.report.metrics
    first = set(headline_names(metrics))
    chosen = [metric for metric in metrics if metric.name in first]
    chosen = [metric for metric in chosen if is_of_system(metric)] or chosen
    table = side_by_side(chosen, standings(metrics))
    if not table.rows:
        return ["No number could be measured."]
    head = ["metric", *(f"{_safe(one.name)}{' (control)' if one.control else ''}" for one in table.columns)]
    rows = []
    for row in table.rows:
        name = _safe(f"{row.name} ({row.rest})" if row.rest else row.name)
        cells = ("not measured" if one is None else f"{one.value} {one.interval}, n = {one.n}" for one in row.entries)
        rows.append([name, *(cell.replace(" ,", ",") for cell in cells)])
    return _table(head, rows)


def _audit(book: Book) -> list[str]:
    """Return what the leak audit found; nothing where there was none."""
    found = leak_audit(book.report)
    if found is None:
        return []
    lines = ["", "## What the leak audit found", *(f"- {_safe(text, 1_000)}" for text in found.sentences)]
    for table in (found.recall, found.units):
        head, *rows = ([_safe(cell) for cell in row] for row in table.rows)
        lines += ["", f"{table.caption}.", "", *_table(head, rows)]
    return lines


def _curves(book: Book) -> list[str]:
    """Return the tables of curves over rising noise, a table a measure; none where no noise rose."""
    found = panels(book.report.metrics)
    lines: list[str] = ["", "## Under rising noise"] if found else []
    for measure in dict.fromkeys(panel.measure for panel in found):
        own = [panel for panel in found if panel.measure == measure]
        head, *rows = table_of(own)
        lines += [f"{_safe(measure)} ({meaning_of(own[0])}); the trend is for a whole unit of rate.", ""]
        lines += [*_table(head, [[_safe(cell) for cell in row] for row in rows]), ""]
    return lines


def _prompts(book: Book) -> list[str]:
    """Return the rounds of a prompt optimisation; nothing where there was none."""
    found = chapter(book.report.store)
    if found is None:
        return []
    rows = [[one.name + (" (best)" if one.best else ""), one.result, *one.cells, one.dialogues] for one in found.rounds]
    heads = ("prompt", "result", *CELLS, "dialogues")
    return ["", "## Prompts", found.ended, "", *_table(heads, rows)]


def _outcomes(book: Book) -> list[str]:
    present = book.index.outcomes
    if not present:
        return ["No dialogue was kept."]
    rows = [
        [_safe(user) or "–", _safe(system) or "–", *(count(counts.get(key, 0)) for key in present)]
        for (user, system), counts in book.index.counts.items()
    ]
    return _table(["user", "system", *(OUTCOMES[key] for key in present)], rows)


def _lost(book: Book) -> list[str]:
    rows = [
        [row.fault, row.ended, _safe(row.user) or "–", _safe(row.system) or "–", count(row.units), _safe(example)]
        for row in book.losses.rows[:_MOST_LOSSES]
        for example in [row.examples[0] if row.examples else "–"]
    ]
    return ["", *_table(["fault", "ended", "user", "system", "units", "for example"], rows)] if rows else []


def _assertions(book: Book) -> list[str]:
    rows = [
        [_safe(text), "holds" if holds else "**fails**", _safe(reason)]
        for text, holds, reason in book.report.assertions
    ]
    return _table(["assertion", "result", "why"], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _safe(text: str, longest: int = 300) -> str:
    """Return a text on one line, with every character that Markdown could take for a mark written as itself."""
    line = _MENTION.sub("@\u200b", one_line(text, longest))  # nobody is called by what was said in a dialogue
    return _MARKS.sub(lambda match: f"\\{match[0]}", line)


def _spaced(parts: Sequence[str]) -> Iterable[str]:
    """Yield lines with an empty one after headings and before tables and lists, never two in a row."""
    last = ""
    for line in parts:
        starts = line[:2] in ("| ", "- ") and last[:2] != line[:2]
        if (starts or line.startswith("#") or last.startswith("#")) and last:
            yield ""
        elif not line and not last:
            continue
        yield line
        last = line
