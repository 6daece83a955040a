"""Lists of titles, as models write them: numbered, in one line, decorated, with remarks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mysteryshopper.core import Json
from mysteryshopper.reading.json_values import last_list
from mysteryshopper.reading.listing import lines, opening_span, unmark
from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.title_lines import Title, is_chatter, quoted, run_in, separated, titles_in
from mysteryshopper.reading.titles import split_year, title_key, year_brackets

_LONGEST = 250
_JSON = re.compile(r"""\[\s*["'{]""")


def read_titles(reply: Reply, limit: int | None = None, exclude: Sequence[str] = ()) -> Reading[list[Title]]:
    """Read a list of titles, each with its year where one stands in brackets.

    Lists may be numbered, bulleted, one title a line, in one line, or a JSON list. Where there are markers, lines
    without are chatter. In one line a title ends at its year, so that commas inside titles do no harm; only where there
    are neither years nor quotation marks it is split at commas. Remarks after a title are dropped, also those in
    brackets that begin with a small letter; an alias in brackets stays.

    Args:
        reply: What the model answered.
        limit: How many titles are wanted; more are dropped and counted as `extra`.
        exclude: Titles that were given in the prompt; dropped and counted as `in_prompt`. Repetitions are `repeated`.
            A year only tells titles apart where both have one.

    Returns:
        Pairs of title and year, in the reply's order; empty if all were dropped. No title at all: invalid.
        Whether titles exist is not asked here.
    """
    opened = open_reply(reply)
    if opened.status:
        return opened.fail(opened.status)
    found = _from_json(opened.text)
    if found is None:
        rows = lines(opened.text)
        marked = [rest for rest, has_marker in map(unmark, rows) if has_marker]
        if not marked and is_refusal(opened.text):
            return opened.fail("refused")
        found = [title for row in marked for title in titles_in(row)] if marked else _from_plain(rows)
        if not found and is_refusal(opened.text):
            return opened.fail("refused")
    titles = [(text, year) for text, year in found if any(map(str.isalnum, text)) and len(text) <= _LONGEST]
    notes = {"malformed": len(found) - len(titles)}
    if not titles:
        return Reading(None, "invalid", opened.raw, {name: count for name, count in notes.items() if count})
    seen, given = _Seen(), _Seen()
    for text in exclude:
        given.add(*split_year(text))
    kept: list[Title] = []
    for text, year in titles:
        dropped = "in_prompt" if given.holds(text, year) else "repeated" if seen.holds(text, year) else ""
        if not dropped and limit is not None and len(kept) >= limit:
            dropped = "extra"
        seen.add(text, year)
        if dropped:
            notes[dropped] = notes.get(dropped, 0) + 1
        else:
            kept.append((text, year))
    return Reading(kept, "ok", opened.raw, {name: count for name, count in notes.items() if count})


class _Seen:
    """Titles met so far; years tell two apart only where both are known."""

    def __init__(self) -> None:
        self._years: dict[str, set[int | None]] = {}

    def add(self, title: str, year: int | None) -> None:
        self._years.setdefault(title_key(title), set()).add(year)

    def holds(self, title: str, year: int | None) -> bool:
        years = self._years.get(title_key(title), set())
        return bool(years) and (year is None or None in years or year in years)


def _from_json(text: str) -> list[Title] | None:
    """Return the titles of a JSON list of texts, or of objects with a title; None where there is no such list."""
    values = last_list(text) if _JSON.search(text) else None
    if not values:
        return None
    titles = [_from_value(value) for value in values]
    return None if None in titles else [title for title in titles if title is not None]


def _from_value(value: Json) -> Title | None:
    if isinstance(value, dict):
        name, year = value.get("title", value.get("name")), value.get("year")
        if not isinstance(name, str):
            return None
        title, own = split_year(name)
        return title, year if isinstance(year, int) and not isinstance(year, bool) else own
    return split_year(value) if isinstance(value, str) else None


def _from_plain(rows: Sequence[str]) -> list[Title]:
    """Return the titles of lines without markers."""
    found: list[Title] = []
    loose: list[str] = []
    for row in rows:
        if year_brackets(row):
            found += titles_in(row)
        elif opening_span(row):
            found += quoted(row) or titles_in(row)
        elif is_chatter(row, alone=len(rows) == 1):
            found += quoted(row) or run_in(row)
        else:
            loose.append(row)
    if len(loose) == 1 and not found:
        return quoted(loose[0]) or run_in(loose[0]) or separated(loose[0])
    return found + [title for row in loose for title in titles_in(row)]
