"""Carelessness by code: a text made careless at a chosen rate, by seed, in one way or in all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias, get_args

Slip: TypeAlias = Literal["insert", "delete", "substitute", "transpose"]
Noise: TypeAlias = Literal[
    "insert", "delete", "substitute", "transpose", "drop_word", "shuffle", "casing", "apostrophes", "mixed"
]

SLIPS: tuple[Slip, ...] = get_args(Slip)
"""Slips of the finger inside one word."""

NOISES: tuple[Noise, ...] = get_args(Noise)
"""All kinds of noise."""

WINDOW = 3
"""Words that one shuffle moves among themselves."""

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")
_PIECES = re.compile(r"\S+")
_OF_MIXED: tuple[Noise, ...] = (*SLIPS, "drop_word", "casing")


def perturb(text: str, kind: Noise, rate: float, rng: Random) -> str:
    """Return a text made careless.

    With one seed, what a low rate touches is touched the same way by every higher one, so that curves over rates are
    made of the same slips. At rate 0 the text comes back unchanged.

    Args:
        text: Any text; white space and punctuation are kept but where words move or go.
        kind: `insert` doubles a letter, `delete` drops one, `substitute` takes a neighbour on the keyboard (of Latin
            letters), `transpose` swaps two that differ: each in words of three letters or more. `drop_word` leaves a
            word out, never the last one that is left. `shuffle` moves the words of a window of three. `casing` turns a
            word's capitals over. `apostrophes` drops those inside words. `mixed` draws, for each word, a slip, a drop
            or casing.
        rate: Chance of each word (of each window, each apostrophe) to be touched, 0 to 1.
        rng: Draws; a fresh generator of the same seed gives the same text.
    """
    if kind == "shuffle":
        return _shuffled(text, rate, rng)
    if kind == "apostrophes":
        return _APOSTROPHE.sub(lambda found: "" if rng.random() < rate else found.group(), text)
    seen = {"dropped": 0, "words": len(_PIECES.findall(text))}

    def touch(found: re.Match[str]) -> str:
        word = found.group()
        chance, own = rng.random(), Random(rng.getrandbits(64))
        if chance >= rate:
            return word
        how = own.choice(_OF_MIXED) if kind == "mixed" else kind
        if how == "drop_word":
            if seen["dropped"] + 1 >= seen["words"]:
                return word
            seen["dropped"] += 1
            return ""
        if how == "casing":
            return word.swapcase()
        return _LETTERS.sub(lambda letters: slip(letters.group(), how, own), word, count=1)  # type: ignore[arg-type]

    changed = _PIECES.sub(touch, text)
    return re.sub(r"(?<=\S) {2,}(?=\S)", " ", changed).strip() if seen["dropped"] else changed


def slip(word: str, kind: Slip, rng: Random, place: int | None = None) -> str:
    """Return a word with one slip, not in its first letter; the word itself where that slip can't happen in it.

    Args:
        word: Two letters or more.
        kind: What goes wrong.
        rng: Draws the place and the neighbour.
        place: Where it goes wrong, from 1 (a swap there takes the first letter, too); drawn if None.
    """
    if kind == "transpose" and place is None:
        places = [at for at in range(2, len(word)) if word[at - 1] != word[at]]
        if not places:
            return word
        place = rng.choice(places)
    if place is None:
        place = rng.randrange(1, len(word))
    if kind == "substitute":
        near = neighbours().get(word[place].lower(), "")
        if not near:
            return word
        key = rng.choice(near)
        return word[:place] + (key.upper() if word[place].isupper() else key) + word[place + 1 :]
    if kind == "transpose":
        return word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :]
    return word[:place] + word[place + 1 :] if kind == "delete" else word[:place] + word[place] + word[place:]


@lru_cache(maxsize=1)
def neighbours() -> Mapping[str, str]:
    """Return the keys beside each letter on its row of a keyboard."""
    return {
        letter: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
        for row in _ROWS
        for place, letter in enumerate(row)
    }


def _shuffled(text: str, rate: float, rng: Random) -> str:
    """Return a text with the words of some windows moved among themselves, each word to another place."""
    found = list(_PIECES.finditer(text))
    words = [piece.group() for piece in found]
    for start in range(0, len(words), WINDOW):
        chance, turn = rng.random(), 1 + rng.randrange(WINDOW - 1)
        window = words[start : start + WINDOW]
        if chance < rate and len(window) > 1:
            turn %= len(window)
            turn = turn or 1
            words[start : start + WINDOW] = window[turn:] + window[:turn]
    pieces: list[str] = []
    end = 0
    for piece, word in zip(found, words, strict=True):
        pieces += [text[end : piece.start()], word]
        end = piece.end()
    return "".join([*pieces, text[end:]])
