"""Texts that a model wrote, made fit to be a prompt's value; and sets of problems without repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mysteryshopper.dialogue import clean
from mysteryshopper.dialogue.text import same_words, words
from mysteryshopper.optimize.story import Problem
from mysteryshopper.reading import strip_reasoning

NEAR = 0.95
"""Share of words, with their places, from which two prompts are nearly the same."""

_ALIKE = 0.6
"""Share of words in common (Jaccard) from which two problems are one."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BREAKS = re.compile(r"\n{3,}")
_FENCED = re.compile(r"\A```[\w-]*\n(.*?)\n?```\Z", re.S)
_END = re.compile(r"[.!?](?=\s)|\n")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text as it may be used, and whether it had to be cut."""

    text: str
    cut: bool


def fit(text: str, longest: int) -> Fitted:
    """Return a text without reasoning, a code fence around all of it, and control characters, and not too long.

    A text that is too long is cut at the last end of a line or sentence in its last third, else where the limit is.
    Everything else stays as it was written, braces and marks included: it is a value, never a template.

    Args:
        text: What was written.
        longest: Most characters.
    """
    kept, _ = strip_reasoning(text)
    kept = _CONTROL.sub("", clean(kept)[0].replace("\r\n", "\n")).strip()
    if (fenced := _FENCED.match(kept)) is not None:
        kept = fenced[1].strip()
    kept = _BREAKS.sub("\n\n", kept)
    if len(kept) <= longest:
        return Fitted(kept, False)
    ends = [found.end() for found in _END.finditer(kept, 2 * longest // 3, longest)]
    return Fitted(kept[: ends[-1] if ends else longest].rstrip(), True)


def likeness(one: str, other: str) -> float:
    """Return how much two texts share, from 0 to 1: twice the words in common, in their order, over all words."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def problem_set(found: Iterable[tuple[str, Sequence[str]]]) -> tuple[Problem, ...]:
    """Return what was wrong with a batch, each thing once, most frequent first.

    Two problems are one if they differ in letter case, punctuation and spaces only, or have most of their words in
    common. The first wording stays.

    Args:
        found: Id of a dialogue, and the problems found in it.
    """
    kept: list[tuple[str, frozenset[str], list[str]]] = []
    for dialogue, texts in found:
        for text in texts:
            told = frozenset(words(text))
            same = next((one for one in kept if _alike(one[0], one[1], text, told)), None)
            if same is None:
                kept.append((text, told, [dialogue]))
            elif dialogue not in same[2]:
                same[2].append(dialogue)
    ranked = sorted(kept, key=lambda one: -len(one[2]))  # stable: as they were found
    return tuple(Problem(text, len(dialogues), dialogues[0]) for text, _, dialogues in ranked)


def _alike(text: str, told: frozenset[str], other: str, said: frozenset[str]) -> bool:
    if same_words(text) == same_words(other):
        return True
    both = told | said
    return bool(both) and len(told & said) / len(both) >= _ALIKE
