"""Planted faults: what a simulated user must not say, made from turns that people wrote.

Every kind has wording variants of two sorts: `tune`, which the detectors were made with, and `held_out`, which recall
is measured on and nothing was made with. An earlier held-out set is spent: it is part of `tune` now. The present one is
by two hands, both of which had read the patterns before; recall in the field may be lower. `clean` holds turns without
a fault, worded as language models word them, in the same two sorts, and in a third: `cued`, innocent uses of the words
that leaks are known by.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, Literal

from mysteryshopper.core import Message
from mysteryshopper.dialogue.detectors import Utterance
from mysteryshopper.dialogue.text import words

Variants = Literal["tune", "held_out"]

_SLOT = re.compile(r"\{([A-Za-z]+\d?)\}")

_LEAST_AGAIN = 5


@dataclass(frozen=True, slots=True)
class Planted:
    """One faulty turn, and the detector that must find it."""

    detector: str
    utterance: Utterance


def plant(
    dialogues: Sequence[Sequence[Message]], rng: Random, each: int = 200, variants: Variants = "held_out"
) -> Iterator[Planted]:
    """Yield `each` planted faults of every kind, at random places of dialogues between people.

    Args:
        dialogues: Dialogues whose user turns are clean.
        rng: Chooses places and words.
        each: How many faults of each kind; the wording variants take turns.
        variants: Which wordings to use.

    Raises:
        ValueError: No dialogue has a user turn of some length after a system turn and an earlier user turn.
    """
    book = _book()
    places = _places(dialogues)
    if not places:
        raise ValueError("there is no user turn to plant a fault in; give dialogues with two turns of each side")
    for detector, wordings in book["faults"].items():
        for number in range(each):
            wording = wordings[variants][number % len(wordings[variants])]
            yield Planted(detector, _faulty(detector, wording, rng.choice(places), rng, book))


def clean_turns(rng: Random, variants: Variants = "held_out") -> Iterator[str]:
    """Yield turns that a model may well say in a seeker's place, one for every wording.

    Args:
        rng: Chooses titles and genres.
        variants: Which wordings to use.
    """
    book = _book()
    place = _Place("", "", "", ())
    for wording in book["clean"][variants]:
        yield _filled(wording, place, rng, book)


@dataclass(frozen=True, slots=True)
class _Place:
    """A clean user turn of a dialogue, with what came before."""

    clean: str
    again: str
    system: str
    history: tuple[Message, ...]


def _places(dialogues: Sequence[Sequence[Message]]) -> list[_Place]:
    places = []
    for dialogue in dialogues:
        for place, message in enumerate(dialogue):
            before = dialogue[:place]
            mine = [one.text for one in before if one.side == "user" and len(words(one.text)) >= _LEAST_AGAIN]
            theirs = [one.text for one in before if one.side == "system" and len(words(one.text)) >= 2]
            if message.side == "user" and len(words(message.text)) >= 2 and mine and theirs:
                places.append(_Place(message.text, mine[-1], theirs[-1], tuple(before)))
    return places


def _faulty(detector: str, wording: str, place: _Place, rng: Random, book: Mapping[str, Any]) -> Utterance:
    head, _, rest = wording.partition(": ")
    if detector == "early_end":
        asked = (Message("user", place.again), Message("assistant", "What do you feel like watching?"))
        return Utterance(_filled(rest, place, rng, book), () if head == "first" else asked, end="done")
    if detector == "language_mismatch":
        return Utterance(_filled(rest, place, rng, book), place.history, language=head)
    text = _filled(wording, place, rng, book)
    return Utterance(text, place.history, instructions=tuple(book["instructions"]))


def _filled(wording: str, place: _Place, rng: Random, book: Mapping[str, Any]) -> str:
    """Return a wording with its slots filled; what is filled in is never searched for slots again."""
    titles = rng.sample(book["titles"], 3)
    slots = {
        "clean": place.clean,
        "again": place.again,
        "AGAIN": place.again.upper(),
        "system": place.system,
        "title": titles[0],
        "title2": titles[1],
        "title3": titles[2],
        "genre": rng.choice(book["genres"]),
        "instruction": rng.choice(book["instructions"]),
    }
    return _SLOT.sub(lambda found: slots[found[1]], wording)


@lru_cache(maxsize=1)
def _book() -> dict[str, Any]:
    book: dict[str, Any] = json.loads(files(__package__).joinpath("planted.json").read_text("utf-8"))
    return book
