"""A ranking of known candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mysteryshopper.core import Status
from mysteryshopper.reading.json_values import last_list
from mysteryshopper.reading.listing import lines, opening_span, unmark
from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.titles import split_year, title_key
from mysteryshopper.reading.words import normal, unlabel

_SEPARATOR = re.compile(r"\s*(?:,|;|，|；|、|\||\s>\s|≻|→)\s*")
_REMARK = re.compile(r"\s+[-–—]+\s+|:\s+|\s+\((?!\d{4})")
_LONGEST = 300


class _Candidates:
    """Candidates by what a reply may call them: their text, or their title where that is unique."""

    def __init__(self, candidates: Sequence[str]) -> None:
        self._texts: dict[str, str | None] = {}
        self._titles: dict[str, str | None] = {}
        for candidate in dict.fromkeys(candidates):
            _put(self._texts, normal(candidate), candidate)
            _put(self._titles, title_key(split_year(candidate)[0]), candidate)
        self._found: dict[str, str | None] = {}
        self._exact = dict.fromkeys(candidates)
        self.most_parts = max((len(_SEPARATOR.split(candidate)) for candidate in candidates), default=1)
        self._years = {candidate: split_year(candidate)[1] for candidate in self._exact}

    def find(self, text: str) -> str | None:
        """Return the candidate that a text names, or None; never one of two that it could be."""
        text = text.strip()
        if text in self._exact:
            return text
        if len(text) > _LONGEST:
            return None
        if text not in self._found:
            self._found[text] = self._look_up(text)
        return self._found[text]

    def _look_up(self, text: str) -> str | None:
        key = normal(text)
        if key in self._texts:
            return self._texts[key]
        title, year = split_year(text)
        found = self._titles.get(title_key(title))
        if found is None or (year is not None and self._years[found] not in (None, year)):
            return None
        return found


def read_ranking(reply: Reply, candidates: Sequence[str]) -> Reading[list[str]]:
    """Read an order of candidates, best first.

    The reply may be a JSON list, one candidate a line (numbered or not), or one line with separators. A candidate is
    named by its text (letter case and punctuation around it don't matter), or by its title without the year where only
    one candidate has that title. Ids are texts: `7` is not `007`.

    Args:
        reply: What the model answered.
        candidates: What was to be ranked: ids or titles.

    Returns:
        The known candidates, each at its first place, spelt as given. `notes` counts what was `repeated`, `unknown` (no
        candidate) and `missing` (candidates not ranked). Repaired where something was repeated or unknown; invalid
        where no candidate is known.
    """
    opened = open_reply(reply)
    if opened.status:
        return opened.fail(opened.status)
    known = _Candidates(candidates)
    found: dict[str, None] = {}
    notes = {"repeated": 0, "unknown": 0, "missing": 0}
    for candidate in _named(opened.text, known):
        if candidate is None:
            notes["unknown"] += 1
        elif candidate in found:
            notes["repeated"] += 1
        else:
            found[candidate] = None
    if not found:
        return opened.fail("refused" if is_refusal(opened.text) else "invalid")
    notes["missing"] = len(set(candidates)) - len(found)
    status: Status = "repaired" if notes["repeated"] or notes["unknown"] else "ok"
    return Reading(list(found), status, opened.raw, {name: count for name, count in notes.items() if count})


def _named(text: str, known: _Candidates) -> Iterator[str | None]:
    """Yield what each entry of a reply names: a candidate, or None."""
    values = last_list(text) if "[" in text else None
    if values and all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
        yield from (known.find(str(value)) for value in values)
        return
    rows = lines(text)
    marked = [row for row in rows if unmark(row)[1]]
    entries = marked if len(marked) > 1 else rows
    if len(entries) > 1:
        for entry in entries:
            found = _entry(entry, known)
            if found is not None or entry in marked or not _is_chatter(entry, entries):
                yield found
    elif entries:
        row = unlabel(entries[0])
        whole = known.find(row) or known.find(unmark(row)[0])
        yield from [whole] if whole is not None else _split(row, known)


def _entry(row: str, known: _Candidates) -> str | None:
    """Return what one line names: as a whole, without its marker, or without a remark."""
    text = unmark(row)[0]
    found = known.find(row) or known.find(text)
    if found is not None:
        return found
    span = opening_span(text)
    return (known.find(span[0]) if span else None) or known.find(_without_remark(text))


def _split(row: str, known: _Candidates) -> Iterator[str | None]:
    """Yield what the parts of one line name, the longest runs of parts first: candidates may hold separators."""
    parts: list[tuple[int, int]] = []
    at = 0
    for separator in _SEPARATOR.finditer(row):
        parts.append((at, separator.start()))
        at = separator.end()
    parts.append((at, len(row)))
    first = 0
    while first < len(parts):
        start, end = parts[first]
        last, found = first, None
        if row[start:end].strip(" ."):
            for last in range(min(len(parts), first + known.most_parts) - 1, first, -1):
                begin, end = parts[last]
                found = known.find(row[start:begin] + _without_remark(row[begin:end]))
                if found is not None:
                    break
            else:
                last, found = first, _entry(row[slice(*parts[first])], known)
            yield found
        first = last + 1


def _without_remark(text: str) -> str:
    return _REMARK.split(text[:_LONGEST], maxsplit=1)[0]


def _is_chatter(row: str, rows: Sequence[str]) -> bool:
    """Whether an unmarked line that names nothing is an introduction or a closing remark, not an entry."""
    return row.endswith(":") or ((row is rows[0] or row is rows[-1]) and len(row.split()) > 3)


def _put(names: dict[str, str | None], key: str, candidate: str) -> None:
    """File a candidate under a name; a name that two share stands for neither."""
    if key:
        names[key] = None if key in names else candidate
