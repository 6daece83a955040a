"""Titles found in running text: one pass of an Aho-Corasick automaton, then the rules of what counts as a mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import ahocorasick

from mysteryshopper.items.common import REPLIES
from mysteryshopper.items.folding import Folded, fold
from mysteryshopper.items.following import following
from mysteryshopper.items.forms import Strength, spellings, unspaced
from mysteryshopper.items.matching import NOT_FOUND, Match, choose

_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|(?<!\w)'([^\n]{1,80}?)'(?!\w)|[《〈]([^》〉\n]{1,80})[》〉]")
_LISTED = re.compile(r"^[ \t]*(?:\d{1,3}[.):]|[-*+•·])[ \t]+(.+)$", re.MULTILINE)
_YEARS = re.compile(r"[\"'*_~]*,?[\"'*_~]*(?: ?[(\[][^()\[\]\n]*\d{4}[^()\[\]\n]*[)\]]| \d{4}(?!\w))")
_ARTICLES = ("the", "a", "an")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])[\s\"'“”*_()\[\]-]*\Z")
_OPENERS = " \t\"'.,;:!?*_~()[]"
_EDGES = " \t\n\r\"'.,;:!?*_~。"


@dataclass(frozen=True, slots=True)
class Found:
    """A title in a text.

    Attributes:
        start: Where it begins in the original text.
        end: Where it ends there, its year left out.
        ids: Items that go by this title, in catalogue order.
        year: The year that follows it, if any.
        match: Which of them is meant: one, or none because it is `ambiguous`.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    year: int | None
    match: Match


class Scanner:
    """Finds titles in texts. Built once from keys and the ids and years of the items that go by them."""

    def __init__(self, keys: Mapping[str, tuple[tuple[str, ...], Strength]], years: Mapping[str, int | None]) -> None:
        """Build the automaton.

        Args:
            keys: For each title key the ids of its items, and how much it needs around it to be a mention.
            years: Years by item id.
        """
        self._years = years
        self._forms: dict[str, tuple[tuple[str, ...], Strength]] = {}
        for key, (ids, strength) in keys.items():
            for form in spellings(key):
                self._forms.setdefault(form, (ids, strength))
        self._automaton = ahocorasick.Automaton()
        for form, (_, strength) in self._forms.items():
            if strength > Strength.WEAK:
                self._automaton.add_word(form, form)
        self._strong = len(self._automaton) > 0
        if self._strong:
            self._automaton.make_automaton()
        weak = [form for form, (_, strength) in self._forms.items() if strength < Strength.STRONG]
        self._longest_weak = max((form.count(" ") + 1 for form in weak), default=0)
        self._longest = max(map(len, self._forms), default=0) + 20

    def find(self, text: str) -> list[Found]:
        """Return the titles in a text in order, never overlapping: of overlapping ones the longest counts.

        A title whose year fits none of its items, or that a number makes another title, is left out, and so is all
        that lies inside it, but for a title with the very year that ends there too (`the Lantern (1998)` where the
        catalogue holds `The Lantern (1950)` and `Lantern (1998)`).
        """
        folded = fold(text)
        spans = {*self._strong_spans(folded), *self._weak_spans(folded)}
        if not spans:
            return []
        kept: list[Found] = []
        dead: list[tuple[Found, bool]] = []
        for start, end in sorted(spans, key=lambda span: (-self._weight(folded, *span), span)):
            found, sequel = self._read(folded, start, end)
            if any(found.start < other.end and other.start < found.end for other in kept):
                continue
            if sequel or found.match.status == "not_found":
                dead.append((found, sequel))
            elif not any(_hides(other, hard, found) for other, hard in dead):
                kept.append(found)
        return sorted(kept, key=lambda found: found.start)

    def _weight(self, folded: Folded, start: int, end: int) -> int:
        """Return a title's length, without its article where that and a word are all there is."""
        form = folded.text[start:end]
        return end - start - (form.find(" ") + 1 if self._forms[form][1] is Strength.CASED else 0)

    def _read(self, folded: Folded, start: int, end: int) -> tuple[Found, bool]:
        ids, strength = self._forms[folded.text[start:end]]
        after = following(folded, end)
        year = after.year if after.year is not None else after.bare_year
        match = choose(ids, self._years, year)
        if match.status == "year_off_by_one" and (after.year is None or strength < Strength.STRONG):
            match = NOT_FOUND  # a year without brackets, or one that makes the mention, has to fit exactly
        return Found(*folded.span(start, end), ids, year, match), after.sequel

    def _strong_spans(self, folded: Folded) -> Iterator[tuple[int, int]]:
        if not self._strong:
            return
        text = folded.text
        for last, form in self._automaton.iter(text):
            start, end = last + 1 - len(form), last + 1
            if not _bounded(text, start, end):
                continue
            if self._forms[form][1] is Strength.CASED and not self._cased(folded, start, end):
                continue
            yield start, end

    def _cased(self, folded: Folded, start: int, end: int) -> bool:
        """Whether a year follows, every word has a capital, or the first one has inside a sentence."""
        if following(folded, end).dated:
            return True
        left, right = folded.span(start, end)
        words = [
            word for word in re.findall(r"[^\W_][\w']*", folded.original[left:right]) if word.lower() not in _ARTICLES
        ]
        capital = [not word[0].islower() for word in words]
        return all(capital) or (capital[0] and _SENTENCE_START.search(folded.original, 0, left) is None)

    def _weak_spans(self, folded: Folded) -> Iterator[tuple[int, int]]:
        text = folded.text
        if not text.rstrip(_EDGES.replace("?", "")).endswith("?"):
            yield from (span for span in self._if_weak(text, 0, len(text)) if text[slice(*span)] not in REPLIES)
        if "'" in text or '"' in text or "《" in text or "〈" in text:
            for quoted in _QUOTED.finditer(text):
                yield from self._if_weak(text, *quoted.span(quoted.lastindex or 0))
        if "\n" in text or text[:1] in "-*+•·123456789":
            for line in _LISTED.finditer(text):
                yield from self._if_weak(text, *line.span(1))
        for year in _YEARS.finditer(text) if self._longest_weak else ():
            yield from self._before(folded, year.start())

    def _if_weak(self, text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
        """Return the span without its edges if all of it is a title."""
        if end - start > self._longest:
            return ()
        if text.startswith((":", ";"), start):
            return ()  # a face, as in `:D`
        while start < end and text[start] in _EDGES:
            start += 1
        while start < end and text[end - 1] in _EDGES:
            end -= 1
        return ((start, end),) if text[start:end] in self._forms else ()

    def _before(self, folded: Folded, end: int) -> Iterator[tuple[int, int]]:
        """Yield the titles that end where a year begins."""
        text = folded.text
        while end > 0 and text[end - 1] in _EDGES:
            end -= 1
        start, is_dated = end, None
        for _ in range(self._longest_weak):
            start = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start))
            left = start + 1
            while left < end and text[left] in _OPENERS:
                left += 1
            if text[left:end] in self._forms:
                is_dated = following(folded, end).dated if is_dated is None else is_dated
                if not is_dated:
                    return
                yield left, end
            if start < 0:
                return


def _hides(other: Found, sequel: bool, found: Found) -> bool:
    """Whether a title that names no item hides another one that lies inside it."""
    if not (other.start <= found.start and found.end <= other.end):
        return False
    exact = found.year is not None and found.match.status == "ok"
    return sequel or not exact or found.end != other.end


def _bounded(text: str, start: int, end: int) -> bool:
    """Whether no word goes on at either side; scripts without spaces have no such bounds."""
    left = start == 0 or not text[start - 1].isalnum() or unspaced(text[start])
    return left and (end == len(text) or not text[end].isalnum() or unspaced(text[end - 1]))
