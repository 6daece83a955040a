"""What a person's words say of a catalogue's values: which are named, and whether they are wanted or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import ahocorasick
import yaml

from mysteryshopper.items import fold_value
from mysteryshopper.items.folding import Folded, fold
from mysteryshopper.systems.attribute_table import AttributeTable, Pair

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_SHORTEST = 3
_FAR = 60  # characters between a `no` and what it may be said to
_ARTICLES = r"(?:(?:any|an?|the|no|not|more|even)\s+)*"
_JOINED = re.compile(rf"\s*,?\s*(?:/|&|\b(?:and|or|nor)\b)\s*{_ARTICLES}|\s+")
_COMMA = re.compile(rf"\s*,\s*{_ARTICLES}")
_STOP = re.compile(r"[,.!?;:\n()]|\s[-–—]\s")
_OF_AN_ITEM = re.compile(
    r"(?:\b(?:is|are|was|were|be)|'s|'re|\bthem)\s+(?:(?:all|just|really|quite|simply|a bit)\s+)?\Z"
    r"|\b(?:isn't|aren't)\b[^.?!]*\Z"
)
_AFTER = re.compile(
    r"\s*(?:films?|movies?|books?|ones?|stuff)?\s*(?:(?:is|are|was|were)(?:n't| not\b|nt\b)|ain't|\b(?:is|are) out\b)"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A value in a text.

    Attributes:
        pairs: What it may stand for: one value, or one of several attributes (a star who also directs).
        wanted: False where it was said no to.
        denied: It was said of something that it does not have this value (`it's not a comedy`).
    """

    pairs: tuple[Pair, ...]
    wanted: bool
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one message of a person says.

    Attributes:
        values: The values named, in order, none inside a title.
        items: Ids of the items named.
        changes: The person changes their mind: what is named now stands in place of what was named before.
    """

    values: tuple[Heard, ...]
    items: tuple[str, ...]
    changes: bool


class Hearing:
    """Finds the values of a catalogue, and names of its items, in what a person says; one pass of an automaton each.

    Values are whole words in any letter case, in the plural too, and by some other words (`sci-fi`). A name of one word
    counts only with a capital. A `no` reaches to the value behind it and on through a list (`no war or horror`).
    """

    def __init__(
        self, catalog: Catalog, table: AttributeTable, same: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Build the automaton over the values of a catalogue.

        Args:
            catalog: The items.
            table: Their attributes.
            same: Other words for values beside those of `cues.yaml`, by value in lower case.
        """
        self._catalog = catalog
        cues = _cues()
        self._pairs: dict[str, dict[Pair, None]] = {}
        self._names: set[str] = set()
        others: Mapping[str, Sequence[str]] = {**cues["same"], **(same or {})}
        for name in table.names:
            values = [pair for pair in table.wording if pair[0] == name]
            plain = 2 * sum(" " not in value for _, value in values) > len(values)
            for pair in values:
                self._add(pair, plain, others.get(pair[1], ()))
        self._automaton = ahocorasick.Automaton()
        for form in self._pairs:
            self._automaton.add_word(form, form)
        if self._pairs:
            self._automaton.make_automaton()
        self._neutral = _any_of(cues["no_no"])
        self._bare = _any_of(cues["bare_no"])
        self._verbal = _any_of(cues["verbal_no"])
        self._turns = _any_of(cues["turns"])
        self._pronouns = _any_of([*cues["turns"], *cues["pronouns"]])
        self._changes = _any_of(cues["changes"])
        self.hear = lru_cache(maxsize=4096)(self._hear)

    def _add(self, pair: Pair, plain: bool, others: Iterable[str]) -> None:
        forms = [fold(pair[1]).text.strip(), *others]
        if plain:
            forms += [plural for form in forms[:1] for plural in _plurals(form)]
        for form in forms:
            if len(form) >= _SHORTEST:
                self._pairs.setdefault(form, {})[pair] = None
                if not plain and " " not in form:
                    self._names.add(form)

    def _hear(self, text: str) -> Utterance:
        """Return what a message says."""
        titles = self._catalog.mention_spans(text)
        folded = fold(text)
        spans = list(self._spans(folded, [(start, end) for start, end, _ in titles]))
        refused = self._refused(folded.text, spans)
        values = tuple(
            Heard(
                tuple(self._pairs[folded.text[start:end]]),
                (start, end) not in refused,
                refused.get((start, end), False),
            )
            for start, end in spans
        )
        items = tuple(dict.fromkeys(name for _, _, name in titles))
        return Utterance(values, items, bool(self._changes.search(folded.text)))

    def _spans(self, folded: Folded, titles: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield where values stand, the longest of overlapping ones, in order."""
        if not self._pairs:
            return
        found = [(last + 1 - len(form), last + 1) for last, form in self._automaton.iter(folded.text)]
        kept: list[tuple[int, int]] = []
        for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
            if any(start < right and left < end for left, right in kept) or not self._counts(folded, start, end):
                continue
            left, right = folded.span(start, end)
            if not any(left < stop and begin < right for begin, stop in titles):
                kept.append((start, end))
        yield from sorted(kept)

    def _counts(self, folded: Folded, start: int, end: int) -> bool:
        text = folded.text
        if (start and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum()):
            return False
        return text[start:end] not in self._names or folded.original[folded.span(start, end)[0]].isupper()

    def _refused(self, text: str, spans: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bool]:
        """Return the spans of the values that are said no to, and whether they are only denied to something."""
        if not spans:
            return {}
        spoken = self._neutral.sub(lambda found: " " * len(found[0]), text)
        cues = [
            (found.start(), found.end(), turns)
            for pattern, turns in ((self._verbal, self._turns), (self._bare, self._pronouns))
            for found in pattern.finditer(spoken)
        ]
        refused: dict[tuple[int, int], bool] = {}
        listed: list[tuple[int, int]] = []  # behind a refused one and a comma: a list goes on if an `or` comes later
        before, denied = 0, False
        for start, end in spans:
            joins = before in {stop for _, stop in (*refused, *listed)}
            link = spoken[before:start] if joins else "."
            reached = [at for at, cue, turns in cues if before <= cue <= start and _reaches(spoken[cue:start], turns)]
            if reached or _AFTER.match(spoken, end):
                denied = bool(reached) and _OF_AN_ITEM.search(spoken[: max(reached)]) is not None
                refused[start, end] = denied
                listed = []
            elif _JOINED.fullmatch(link):
                refused.update(dict.fromkeys((*listed, (start, end)), denied))
                listed = []
            else:
                listed = [*listed, (start, end)] if _COMMA.fullmatch(link) else []
            before = end
        return refused


def _reaches(between: str, turns: re.Pattern[str]) -> bool:
    """Whether a `no` reaches a value: what stands between them is short, and nothing in it turns the talk."""
    return len(between) <= _FAR and _STOP.search(between) is None and turns.search(between) is None


@lru_cache(maxsize=1)
def _cues() -> Mapping[str, Any]:
    content: Mapping[str, Any] = yaml.safe_load((files(__package__) / "cues.yaml").read_text("utf-8"))
    return content


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return what finds any of the phrases as whole words, with or without apostrophes, the longest first."""
    longest = sorted(map(fold_value, phrases), key=len, reverse=True)
    found = "|".join(re.escape(phrase).replace("'", "'?") for phrase in longest)
    return re.compile(rf"(?<!\w)(?:{found})(?![\w'])")


def _plurals(word: str) -> list[str]:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [] if word.endswith("s") else [f"{word}s"]
