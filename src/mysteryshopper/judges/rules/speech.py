"""English as the rules judge hears it: which phrases of a file beside this one a text holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en",)
"""Languages with a file of phrases; in others, criteria that hear words are unsupported."""

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "'"})
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_STAMMER = re.compile(r"\b([^\W\d_]+)(?:\s+\1\b){2,}|\b([^\W\d_]+)\s+\2\b.{0,60}?\b([^\W\d_]+)\s+\3\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heard:
    """A text, and its words in lower case between single spaces, with a space before and behind."""

    text: str
    words: tuple[str, ...]
    line: str

    @property
    def asks(self) -> bool:
        """Whether it holds a question mark."""
        return "?" in self.text or "？" in self.text


def hear(text: str) -> Heard:
    """Return a text with its words."""
    words = tuple(_WORD.findall(text.translate(_APOSTROPHES).casefold()))
    return Heard(text, words, f" {' '.join(words)} ")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without those that hold no word."""
    return [part for part in _SENTENCE.split(text) if _WORD.search(part)]


def stammers(text: str) -> bool:
    """Whether a word stands three times in a row, or two words stand twice in a row: no sentence does."""
    return _STAMMER.search(text) is not None


class Phrases:
    """Phrases of one category, found whole."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Compile them; a `*` stands for any letters and apostrophes."""
        parts = sorted((re.escape(phrase).replace(r"\*", r"[\w']*").replace(r"\ ", " ") for phrase in phrases), key=len)
        self._pattern = re.compile(f" (?:{'|'.join(reversed(parts))})(?= )")

    def find(self, heard: Heard) -> str:
        """Return the first of them that a text holds; empty if none."""
        found = self._pattern.search(heard.line)
        return found.group().strip() if found else ""

    def cut(self, heard: Heard) -> Heard:
        """Return a text without them."""
        return hear(self._pattern.sub("", heard.line)) if self.find(heard) else heard

    def places(self, heard: Heard) -> list[tuple[int, int]]:
        """Return where they begin and end, in words."""
        return [
            (heard.line.count(" ", 0, found.start()), heard.line.count(" ", 0, found.end()))
            for found in self._pattern.finditer(heard.line)
        ]


@dataclass(frozen=True, slots=True)
class Speech:
    """All phrases of a language, by category, as its file describes them."""

    requests: Phrases
    things: Phrases
    tells: Phrases
    about: Mapping[str, Phrases]
    about_last: Mapping[str, str]
    thanks: Phrases
    accepts: Phrases
    complaints: Phrases
    seen: Phrases
    goodbyes: Phrases
    asks_back: Phrases
    directed: Phrases
    starring: Phrases
    released: Phrases
    written: Phrases
    is_a: Phrases
    asks: frozenset[str]
    asks_yes_no: frozenset[str]
    lists_asked: frozenset[str]
    points: frozenset[str]
    refers: frozenset[str]
    denies: frozenset[str]
    headless: re.Pattern[str]
    small: frozenset[str]
    kinds: Mapping[str, tuple[str, ...]]

    def is_question(self, heard: Heard) -> bool:
        """Whether a text asks something: by its mark, or by its first word."""
        return heard.asks or (heard.words[:1] != () and heard.words[0] in self.asks | self.asks_yes_no)

    def about_what(self, heard: Heard) -> str:
        """Return which fact of an item a text asks for; empty if none."""
        found = next((kind for kind, phrases in self.about.items() if phrases.find(heard)), "")
        return found or (self.about_last.get(heard.words[-1], "") if heard.words and self.is_question(heard) else "")

    def denied(self, words: tuple[str, ...], place: int) -> bool:
        """Whether one of the three words before a place denies what follows."""
        before = words[max(0, place - 3) : place]
        return any(word in self.denies for word in before)

    def content(self, heard: Heard) -> frozenset[str]:
        """Return the words of a text that carry a wish of their own."""
        return frozenset(heard.words) - self.small


@cache
def english() -> Speech:
    """Return the phrases of English."""
    import yaml

    text = files("mysteryshopper.judges.rules").joinpath("english.yaml").read_text(encoding="utf-8")
    said = yaml.safe_load(text)
    alone = ("asks", "asks_yes_no", "lists_asked", "points", "refers", "denies", "small")
    sets = {name: frozenset(said[name]) for name in alone}
    heard = ("requests", "things", "tells", "thanks", "accepts", "complaints", "seen", "goodbyes", "asks_back")
    stated = ("directed", "starring", "released", "written", "is_a")
    parts: dict[str, Any] = {**sets, **{name: Phrases(said[name]) for name in (*heard, *stated)}}
    return Speech(
        **parts,
        about_last={word: kind for kind, words in said["about_last"].items() for word in words},
        about={kind: Phrases(words) for kind, words in said["about"].items()},
        headless=re.compile(rf"^\s*(?:{'|'.join(said['headless'])})\b(?!.*\?\s*$)"),
        kinds={word: tuple(values) for word, values in said["kinds"].items()},
    )
