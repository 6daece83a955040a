"""What can be counted of how a person writes, turn by turn, in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mysteryshopper.dialogue.styles.signs import pattern
from mysteryshopper.dialogue.styles.spelling import Dictionary, letters
from mysteryshopper.metrics import words

_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_CONTRACTION = re.compile(r"(?<=[a-z])'(?:t|s|m|re|ve|ll|d)\b")
_BARE_I = re.compile(r"(?<![\w'’])i(?![\w])")
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}|[!?]{2,}|\.\.\.|…")
_FACES = re.compile(r"(?:(?<=\s)|^)[:;=8x]-?[)(dp3/|]+(?=\s|$)|<3|[\U0001F300-\U0001FAFF\u2600-\u27BF]")
TITLE = "\ufffc"
"""Stands in a turn where a title was taken out: it is no word, but begins or ends the turn as the title did."""

_SAFE = "it"
"""Stands where a moodless word stood, so that the words around it keep their places."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What was counted of one person's turns.

    Attributes:
        turns: Turns with a word in them.
        words: Mean number of words in a turn; None without a turn.
        formality: (formal - informal) / (formal + informal) signs, from -1 to 1; 0 without any sign, None without a
            turn. Informal are contractions (with their apostrophe or without), words and spellings of chat, a small
            `i`, a turn that begins small or ends without a stop, drawn-out letters and marks, faces; formal are words
            and phrases of letters and counters, full forms among them.
        sentiment: Mean over sentences of VADER's compound score, -1 to 1, words that only carry a request left out.
        misspelt: Share of the words of three letters or more that no dictionary holds; None without such a word.
    """

    turns: int
    words: float | None
    formality: float | None
    sentiment: float | None
    misspelt: float | None


def writing_of(turns: Sequence[str], dictionary: Dictionary, said: Collection[str] = ()) -> Writing:
    """Count what can be counted of a person's turns.

    Args:
        turns: What the person wrote, `TITLE` where a title was taken out; English.
        dictionary: Which words are no slips.
        said: Words that the other side wrote, which are no slips either.
    """
    spoken = [turn for turn in turns if words(turn)]
    if not spoken:
        return Writing(0, None, None, None, None)
    checked = dictionary.checked(word for turn in spoken for word in letters(turn))
    wrong = dictionary.unknown(checked, said)
    return Writing(
        len(spoken),
        sum(len(words(turn)) for turn in spoken) / len(spoken),
        _formality(spoken),
        _sentiment(spoken),
        len(wrong) / len(checked) if checked else None,
    )


def _formality(turns: Sequence[str]) -> float:
    formal = informal = 0
    for turn in turns:
        plain = turn.strip().replace("’", "'")
        low = plain.lower()
        formal += len(pattern("formal").findall(low))
        informal += len(pattern("informal").findall(low)) + len(pattern("bare").findall(low))
        informal += len(_CONTRACTION.findall(low)) + len(_BARE_I.findall(plain)) + len(_DRAWN_OUT.findall(low))
        informal += len(_FACES.findall(low)) + plain[:1].islower()
        informal += plain[-1:].isalnum() or plain.endswith(TITLE)
    return (formal - informal) / (formal + informal) if formal + informal else 0.0


def _sentiment(turns: Sequence[str]) -> float | None:
    score = _vader()
    found = [
        score(pattern("moodless").sub(_SAFE, sentence.lower().replace("’", "'")))
        for turn in turns
        for sentence in _SENTENCE.findall(turn)
        if words(sentence)
    ]
    return sum(found) / len(found) if found else None


@lru_cache(maxsize=1)
def _vader() -> Callable[[str], float]:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # its lexicon takes a moment

    analyser: Any = SentimentIntensityAnalyzer()
    return lambda text: float(analyser.polarity_scores(text)["compound"])
