"""What an agenda user makes of the system's words: what was asked, offered, or left unsaid. No model, English only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from mysteryshopper.core import UserView
from mysteryshopper.users.agenda.lexicon import Lexicon, lexicon

_MOST = 4000
"""Characters of a reply that are read; the end counts, where questions stand."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_OPEN_WORD = 3
"""So many words at the beginning of a question may hold the word that makes it an open one."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A system turn as understood.

    Attributes:
        asked: Attributes that a question is about, by the names that the wish uses where it has them.
        values: (attribute, value) pairs that a question offers, where it names no attribute.
        openly: It asks what is wanted, without naming an attribute.
        liked: It asks for something liked before.
        offers: It offers to suggest or to tell more.
        other: It asks something else; `wh` where the question is no yes-or-no question.
        greets: It only says hello.
        said: It says anything at all.
    """

    asked: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    openly: bool = False
    liked: bool = False
    offers: bool = False
    other: str = ""
    greets: bool = False
    said: bool = False

    @property
    def question(self) -> bool:
        """Whether anything was asked."""
        return bool(self.asked or self.values or self.openly or self.liked or self.offers or self.other)


def last_words(view: UserView) -> str:
    """Return what the system said since the user's last turn, titles of the items shown with it taken out."""
    said: list[str] = []
    for message in reversed(view.history.messages):
        if message.side == "user":
            break
        text = message.text
        for item in message.items:
            if item.title:
                text = text.replace(item.title, " ")
        said.append(text)
    return "\n".join(reversed(said))


def listen(text: str, wish: Mapping[str, tuple[str, ...]], words: Lexicon | None = None) -> Heard:
    """Return what a system turn says to a person.

    Args:
        text: The words of the system.
        wish: The person's wish: values by attribute.
        words: The vocabulary; by default that of the file.
    """
    words = words or lexicon()
    text = text[-_MOST:].casefold().replace("’", "'")
    if not any(letter.isalpha() for letter in text):
        return Heard()
    sentences = [found.group().strip() for found in _SENTENCE.finditer(text)]
    questions = [sentence for sentence in sentences if _asks(sentence, words)]
    if not questions:
        greets = len(text) < 80 and words.pattern("greets").search(text) is not None
        return Heard(greets=greets, said=True)
    own = _own(wish, words)
    strange = [name for name in wish if not words.entry(name).written]
    asked: dict[str, None] = {}
    values: dict[tuple[str, str], None] = {}
    openly = liked = offers = False
    other = ""
    for question in questions:
        names, found = words.find(question)
        asked_here = [*_own_names(question, strange), *(own.get(name, name) for name in names)]
        offered = [*((own.get(name, name), value) for name, value in found), *_own_values(question, wish)]
        if asked_here:
            asked.update(dict.fromkeys(asked_here))
        elif words.pattern("asks_for_liked").search(question):
            liked = True
        elif words.pattern("offers").search(question):
            offers = True
        elif offered:
            values.update(dict.fromkeys(offered))
        elif words.pattern("asks_openly").search(question):
            openly = True
        else:
            start = " ".join(question.split()[:_OPEN_WORD])
            other = "wh" if words.pattern("open_words").search(start) else "polar"
    return Heard(tuple(asked), tuple(values), openly, liked, offers, other, said=True)


def _asks(sentence: str, words: Lexicon) -> bool:
    return sentence.endswith("?") or words.pattern("requests").match(sentence) is not None


def _own(wish: Collection[str], words: Lexicon) -> dict[str, str]:
    """Return the wish's own name of an attribute by the name that the vocabulary has."""
    names = {words.entry(name).name: name for name in reversed(tuple(wish))}
    if "author" in names:
        names.setdefault("writer", names["author"])
    if "writer" in names:
        names.setdefault("author", names["writer"])
    if "decade" in names:
        names.setdefault("year", names["decade"])
    if "year" in names:
        names.setdefault("decade", names["year"])
    return names


def _own_names(question: str, wish: Iterable[str]) -> list[str]:
    return [name for name in wish if _stands_in(name.casefold().replace("_", " "), question)]


def _own_values(question: str, wish: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [
        (name, value) for name, values in wish.items() for value in values if _stands_in(value.casefold(), question)
    ]


def _stands_in(word: str, text: str) -> bool:
    place = text.find(word) if word else -1
    while place >= 0:
        end = place + len(word)
        before, after = text[place - 1 : place], text[end : end + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        place = text.find(word, place + 1)
    return False
