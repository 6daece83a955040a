"""Facts that a system states of catalogued items, held against the catalogue."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Item
from mysteryshopper.items import fold_value
from mysteryshopper.judges.rules.facts import Facts, Named
from mysteryshopper.judges.rules.found import Found, share, untold
from mysteryshopper.judges.rules.speech import Heard, Phrases, Speech, hear
from mysteryshopper.judges.rules.turns import Turn

_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_REACH = 6
_NAMES = {"director": ("director",), "star": ("star", "actor", "cast"), "writer": ("writer", "author")}
"""What catalogues call the people that a claim may be about."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A value said of an item; `holds` is None where the catalogue can't tell."""

    item: Item
    attribute: str
    value: str
    holds: bool | None


def no_contradiction(turns: Sequence[Turn], facts: Facts, speech: Speech, complete: Collection[str]) -> Found:
    """Return the share of facts stated that the catalogue bears out, of those it can tell.

    A sentence is about the one item it names, or, where it names none and begins with `it` or `this`, about the only
    one that the turn named before. Values after a denial, and sentences about several items, are passed over.

    Args:
        turns: All turns.
        facts: The catalogue.
        speech: Phrases that lead in a fact.
        complete: Attributes that the catalogue lists in full. Of others (a cast) it holds a part: what it does not list
            is neither borne out nor contradicted.
    """
    if facts.catalog is None:
        return untold("there is no catalogue to hold claims against")
    bad, n = [], 0
    for turn in turns:
        if turn.side != "system" or not turn.judged:
            continue
        for claim in claims(turn, facts, speech, complete):
            if claim.holds is None:
                continue
            n += 1
            if not claim.holds:
                bad.append(turn.where(f"says {claim.value} of {claim.item.title}, and the catalogue {_has(claim)}"))
    return share(bad, n, "the system stated no fact that the catalogue can tell")


def claims(turn: Turn, facts: Facts, speech: Speech, complete: Collection[str]) -> Iterator[Claim]:
    """Yield the facts that a system turn states of catalogued items."""
    if not turn.named:
        return
    about: Item | None = None
    starts = [0, *(found.end() for found in _SENTENCE.finditer(turn.heard.text))]
    for start, end in zip(starts, [*starts[1:], len(turn.heard.text)], strict=True):
        named = [name for name in turn.named if start <= name.start < end]
        heard = hear(turn.heard.text[start:end])
        if len(named) == 1 and named[0].item is not None:
            about = named[0].item
            yield from _of(about, _without(heard, named[0]), facts, speech, complete)
        elif not named and about is not None and speech.refers.intersection(heard.words[:1]):
            yield from _of(about, heard, facts, speech, complete)
        elif named:
            about = None


def _of(item: Item, heard: Heard, facts: Facts, speech: Speech, complete: Collection[str]) -> Iterator[Claim]:
    for _, end in speech.released.places(heard):
        years = [word for word in heard.words[end : end + 2] if _YEAR.match(word)]
        if years and item.year is not None and not speech.denied(heard.words, end):
            yield Claim(item, "year", years[0], abs(int(years[0]) - item.year) <= 1)
    leads = (speech.directed, speech.starring, speech.written, speech.is_a)
    values = list(facts.values(heard)) if any(phrases.find(heard) for phrases in leads) else []
    for role, phrases in (("director", speech.directed), ("star", speech.starring), ("writer", speech.written)):
        names = _NAMES[role]
        for place, words, found in _behind(phrases, heard, values):
            known = [name for name in names if item.attributes.get(name)]
            if any(name in found for name in names) and known and not speech.denied(heard.words, place):
                yield _claim(item, known, words, found, role in complete)
    for place, words, found in _behind(speech.is_a, heard, values):
        known = [name for name in ("genre",) if name in found and item.attributes.get(name)]
        if known and not speech.denied(heard.words, place):
            yield _claim(item, known, words, found, "genre" in complete)


def _claim(item: Item, known: Sequence[str], words: str, found: Mapping[str, frozenset[str]], complete: bool) -> Claim:
    values = frozenset().union(*found.values())
    holds = any(fold_value(value) in values for name in known for value in item.attributes[name])
    return Claim(item, known[0], words, True if holds else False if complete else None)


def _behind(
    phrases: Phrases, heard: Heard, values: Sequence[tuple[int, str, Mapping[str, frozenset[str]]]]
) -> Iterator[tuple[int, str, Mapping[str, frozenset[str]]]]:
    """Yield each value that stands within a few words behind a phrase, once."""
    seen: set[int] = set()
    for _, end in phrases.places(heard):
        for place, words, found in values:
            if end <= place < end + _REACH and place not in seen:
                seen.add(place)
                yield place, words, found


def _without(heard: Heard, named: Named) -> Heard:
    """Return a sentence without the title in it, whose words are no claim."""
    place = heard.text.casefold().find(named.title.casefold())
    return heard if place < 0 else hear(f"{heard.text[:place]} {heard.text[place + len(named.title) :]}")


def _has(claim: Claim) -> str:
    if claim.attribute == "year":
        return f"has {claim.item.year}"
    return f"has {', '.join(claim.item.attributes[claim.attribute][:5])}"
