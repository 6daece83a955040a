"""One of several options, by its text or its letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.words import (
    clauses,
    cued,
    is_foreign,
    is_negated,
    is_undecided,
    normal,
    plain,
    unlabel,
)

_ONLY_LETTER = re.compile(r"\W*(?:(?:option|choice|answer|letter)\s*)?\W{0,3}([A-Za-z])\W*", re.I)
_MARKED_LETTER = re.compile(r"\W{0,3}(?:([A-Za-z])[)\]]|([A-Z])[.:]|([A-Z])\s-)\s*(\S.*)")
_NAMED_LETTER = re.compile(r"\b(?:[Oo]ption|OPTION|[Cc]hoice|[Ll]etter)\s*[\"'(\[]?([A-Z])(?![\w'])")
_SPOKEN_LETTER = re.compile(
    r"\b(?:[Aa]nswer|choose|pick|select|prefer|with|is|be|say)[:=]?\s{0,3}[\"'(\[]?([A-Z])"
    r"(?=[\"')\]]?\s*(?:[.,;:!]|$|\n|\b(?:because|since|as|for)\b))",
)
_BRACKETED_LETTER = re.compile(r"[(\[]([A-Z])[)\]]")
_LONGEST = 2000
"""Characters of the longest text that is compared with the options as a whole."""
_EITHER_LETTER = re.compile(r"(?<![\w'])([A-Z])\s*(?:or|and|/|&)\s*([A-Z])(?![\w'])")


@dataclass(frozen=True, slots=True)
class _Options:
    """Options as they may be named in a reply: places by folded text, and by upper-case letter."""

    keys: Mapping[str, frozenset[int]]
    letters: Mapping[str, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Options:
        keys: dict[str, frozenset[int]] = {}
        for place, text in enumerate(texts):
            key = normal(text)
            keys[key] = keys.get(key, frozenset()) | {place}
        keys.pop("", None)
        own = {key.upper(): min(places) for key, places in keys.items() if _is_letter(key)}
        return cls(keys, own or {chr(ord("A") + place): place for place in range(min(len(texts), 26))})

    def named(self, text: str) -> frozenset[int] | None:
        """Return the places of the options that a whole text names; empty for a letter that names none."""
        if len(text) > _LONGEST:
            return None
        equal = self.keys.get(normal(text))
        letter = None if equal else _ONLY_LETTER.fullmatch(text)
        if letter is None:
            return equal
        place = self.letters.get(letter.group(1).upper())
        return frozenset() if place is None else frozenset({place})

    def mentioned(self, text: str) -> tuple[set[int], bool]:
        """Return the places of the options mentioned in a plain text, and whether some mention was negated."""
        places: set[int] = set()
        negated = False
        for at, named in (*self._texts_in(text), *self._letters_in(text)):
            if is_negated(text, at):
                negated = True
            else:
                places |= named
        return places, negated

    def _texts_in(self, text: str) -> list[tuple[int, frozenset[int]]]:
        wordy = sorted((key for key in self.keys if not _is_letter(key)), key=len, reverse=True)
        if not wordy:
            return []
        spaced = "|".join(re.escape(key).replace(r"\ ", r"\s+") for key in wordy)
        found = re.finditer(rf"(?<!\w)(?:{spaced})(?!\w)", text.casefold())
        return [(at.start(), self.keys[" ".join(at.group().split())]) for at in found]

    def _letters_in(self, text: str) -> list[tuple[int, frozenset[int]]]:
        patterns = (_NAMED_LETTER, _SPOKEN_LETTER, _BRACKETED_LETTER, _EITHER_LETTER)
        found = [at for pattern in patterns for at in pattern.finditer(text)]
        letters = ((at.start(), letter) for at in found for letter in at.groups())
        return [(at, frozenset({self.letters[letter]})) for at, letter in letters if letter in self.letters]


def _is_letter(key: str) -> bool:
    return len(key) == 1 and "a" <= key <= "z"


def read_choice(reply: Reply, options: Sequence[str]) -> Reading[str]:
    """Read which option was chosen.

    An option is named by its text, in whole words and any letter case, or by its letter (a, b, c … in the options'
    order; where options are letters themselves, by that letter). `I` and `A` as English words name nothing. A mention
    that is negated (`I can't accept that`) never counts as the choice.

    Args:
        reply: What the model answered.
        options: The options' texts. Two that differ in case or punctuation only can't be told apart.

    Returns:
        The option's text as given. Several options named, or one in doubt or only negated: ambiguous. None: invalid.
    """
    opened = open_reply(reply, short=True)
    if opened.status:
        return opened.fail(opened.status)
    known = _Options.of(options)
    text = plain(opened.text)
    whole = known.named(unlabel(text))
    if whole:
        return Reading(options[min(whole)], "ok", opened.raw) if len(whole) == 1 else opened.fail("ambiguous")
    if is_refusal(opened.text):
        return opened.fail("refused")
    if whole is not None:
        return opened.fail("invalid")
    places, doubtful = _find(text, known)
    if len(places) == 1:
        return Reading(options[places.pop()], "ok", opened.raw)
    if places or doubtful or is_undecided(text):
        return opened.fail("ambiguous")
    return opened.fail("unsupported" if is_foreign(text) and not is_foreign("".join(options)) else "invalid")


def _find(text: str, known: _Options) -> tuple[set[int], bool]:
    """Return the places of the options a plain text settles on, and whether it is in doubt where there is none."""
    announced = [_settled(part, known) for part in cued(text)]
    places = set[int]().union(*(places for places, _ in announced))
    if places:
        return places, False
    parts = clauses(text)
    exact = set[int]().union(*(known.named(part) or () for part in parts if len(part) > 1))
    lead = known.named(parts[0]) if parts else None
    if len(exact) > 1:
        return exact, True
    if lead and exact <= lead:
        return set(lead), False
    return _settled(unlabel(text), known)


def _settled(text: str, known: _Options) -> tuple[set[int], bool]:
    """Return the places of the options that a part of a reply names, and whether it is in doubt."""
    whole = known.named(text)
    if whole:
        return set(whole), False
    marked = _MARKED_LETTER.match(text)
    places, negated = known.mentioned(text)
    if marked:
        letter = next(group for group in marked.groups()[:3] if group)
        place = known.letters.get(letter.upper())
        return (places | {place} if place is not None else places), negated
    if len(places) == 1 and any(is_undecided(part) for part in clauses(text)[:1]):
        return set(), True
    return places, negated
