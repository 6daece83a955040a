"""What a detector looks at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from mysteryshopper.core import Message, Side
from mysteryshopper.dialogue.detectors.features import Piece, split_pieces
from mysteryshopper.dialogue.detectors.patterns import Pattern
from mysteryshopper.dialogue.text import spaced_words

_LETTERS = re.compile(r"[a-z]+")
_MOST = 20_000
"""Characters of a turn that are looked at: people write less, and patterns stay quick."""


@dataclass(frozen=True)
class Utterance:
    """One turn of a user with all that a detector may judge it by.

    Attributes:
        text: What the user says.
        history: What was said before, oldest first.
        end: Whether and how the user ends the dialogue with it.
        shown: How many items the system has shown so far.
        language: The user's language (BCP 47).
        instructions: Sentences of the prompt behind the turn that no person would say.
    """

    text: str
    history: tuple[Message, ...] = ()
    end: Literal["done", "gave_up"] | None = None
    shown: int = 0
    language: str = "en"
    instructions: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The text as far as it is looked at."""
        return self.text[:_MOST]

    @property
    def plain(self) -> str:
        """The text as far as it is looked at, with straight apostrophes."""
        return self.head.replace("’", "'")

    @cached_property
    def lowered(self) -> str:
        """`plain` in lower case, which patterns are tried on: that is much quicker than to ignore case."""
        return self.plain.lower()

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All runs of Latin letters in the text, in lower case; `I'm` is two."""
        return frozenset(_LETTERS.findall(self.lowered))

    @property
    def words(self) -> str:
        """The words of the text as far as it is looked at, in lower case, with one space between."""
        return spaced_words(self.head)

    def found(self, pattern: Pattern) -> str | None:
        """Return the words that a pattern in lower case matches, as they were written."""
        match = pattern.search(self.lowered)
        return None if match is None else self.plain[match.start() : match.end()]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The text and its sentences, with the features they are weighed by."""
        return tuple(split_pieces(self.head))

    def turns(self, side: Side) -> list[str]:
        """Return the turns of one side before this one, runs of its messages joined; empty ones left out."""
        return [text for speaker, text in spoken(self.history) if speaker == side and text.strip()]


def spoken(messages: Iterable[Message]) -> list[tuple[Side, str]]:
    """Return a dialogue's turns: runs of messages of one side, joined by line ends."""
    turns: list[tuple[Side, str]] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        side = message.side
        if turns and turns[-1][0] == side:
            turns[-1] = (side, f"{turns[-1][1]}\n{message.text}")
        else:
            turns.append((side, message.text))
    return turns
