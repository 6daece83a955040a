"""How a text is typed: lower case, shortened words, missing apostrophes, slips of the finger. Titles stay whole."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from mysteryshopper.users.agenda.lexicon import lexicon
from mysteryshopper.users.agenda.manner import Manner
from mysteryshopper.users.noise import Slip, slip

FIRST_MARK = 0xE000
"""Titles stand in a text as single characters from this one on, until it is typed."""

_SLIPS: tuple[Slip, ...] = ("substitute", "transpose", "delete", "insert")
_WORD = re.compile(r"[A-Za-z]{3,}(?![\ue000-\uf8ff])")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeio]|u(?!ni|s[eu]|k\b|sa\b))", re.IGNORECASE)
_SHORTENED = 0.4
_TAIL = 0.25
_APOSTROPHE = re.compile(r"(?<=[a-z])'(?=(?:t|s|m|re|ve|ll|d)\b)", re.IGNORECASE)


def type_out(text: str, manner: Manner, mood: int, titles: list[str], rng: Random) -> str:
    """Return a text as this person types it, with the titles put in.

    Args:
        text: Correct text, with a character from `FIRST_MARK` on for each title.
        manner: How the person writes.
        mood: Chooses among tails.
        titles: What the marks stand for; never changed.
        rng: Draws slips.
    """
    text = _ARTICLE.sub(r"\1n ", text)
    if manner.tone == "formal":
        text = _replaced(text, "contractions", rng, 1.0)
    elif manner.shortens:
        text = _replaced(text, "shortenings", rng, _SHORTENED)
    if manner.lower:
        text = text.lower()
    if manner.drops:
        text = _APOSTROPHE.sub("", text).removesuffix(".")
    if manner.typos:
        text = mistype(text, manner.typos, rng)
    if manner.tails and rng.random() < _TAIL:
        tails = lexicon().data["tails"]["good" if mood > 0 else "bad" if mood < 0 else "plain"]
        text = text.removesuffix(".") + str(rng.choice(tails))
    for place, title in enumerate(titles):
        text = text.replace(chr(FIRST_MARK + place), title)
    return text


def mistype(text: str, rate: float, rng: Random) -> str:
    """Return a text with about this share of its words (of three letters or more) mistyped.

    A slip is a neighbouring key, two letters swapped, one left out, or one doubled; each is as likely. Digits, signs
    and shorter words stay as they are.
    """
    return _WORD.sub(lambda found: _slip(found.group(), rng) if rng.random() < rate else found.group(), text)


def _slip(word: str, rng: Random) -> str:
    place = rng.randrange(1, len(word))
    return slip(word, _SLIPS[rng.randrange(4)], rng, place)


def _replaced(text: str, table: str, rng: Random, chance: float) -> str:
    entries: dict[str, str | list[str]] = lexicon().data[table]

    def replace(found: re.Match[str]) -> str:
        word = found.group()
        to = entries.get(word) or entries.get(word.lower()) or entries.get(word[0].upper() + word[1:])
        if to is None or (chance < 1 and rng.random() >= chance):
            return word
        new = to if isinstance(to, str) else rng.choice(to)
        return new[0].upper() + new[1:] if word[0].isupper() else new

    return _table_pattern(table).sub(replace, text)


@lru_cache(maxsize=4)
def _table_pattern(table: str) -> re.Pattern[str]:
    ordered = sorted(lexicon().data[table], key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, ordered))})(?![\w'])", re.IGNORECASE)
