"""The phrases: read once, chosen by who speaks, none twice while others are left."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from random import Random
from typing import Any, TypeAlias

Marks: TypeAlias = frozenset[str]

_LINE = re.compile(r"(?:\[([a-z]+)\] )?(.*)", re.DOTALL)
_PART = re.compile(r"\(([^()]*)\)|\{(\w+)\}")
_TUNED = 2
"""How much more often a phrase is taken for each mark that it shares with the speaker."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say something.

    Attributes:
        number: Its number among all phrases.
        marks: Letters that the speaker and the occasion must have.
        parts: Its pieces: a slot's name, or texts of which one is taken.
        slots: Names of its slots.
    """

    number: int
    marks: Marks
    parts: tuple[str | tuple[str, ...], ...]
    slots: Marks

    def fill(self, slots: Mapping[str, str], rng: Random) -> str:
        """Return the text; what fills a slot is never searched for slots again."""
        return "".join(
            slots[part] if isinstance(part, str) else part[0] if len(part) == 1 else rng.choice(part)
            for part in self.parts
        )


@dataclass(frozen=True)
class Phrasebook:
    """All phrases by what they do, and the label of the file."""

    phrases: Mapping[str, tuple[Phrase, ...]]
    label: str

    def pick(self, action: str, marks: Marks, slots: Collection[str], used: Collection[int], rng: Random) -> Phrase:
        """Return a phrase fit for a speaker, an unused one if there is one.

        Args:
            action: What it shall do; a section of the file.
            marks: Letters of the speaker and the occasion.
            slots: Slots that can be filled.
            used: Numbers of the phrases that were said before.
            rng: Draws it.

        Raises:
            KeyError: There is no such section.
        """
        fit, weights = _fit(action, marks, frozenset(slots))
        if used:
            fresh = [place for place, phrase in enumerate(fit) if phrase.number not in used]
            if fresh:
                return fit[rng.choices(fresh, [weights[place] for place in fresh])[0]]
        return rng.choices(fit, weights)[0]


@lru_cache(maxsize=1)
def phrasebook() -> Phrasebook:
    """Return the phrases of the file beside this module."""
    source = read_data("phrases.yaml")
    sections: dict[str, tuple[Phrase, ...]] = {}
    number = 0
    for action, lines in parse(source).items():
        sections[action] = tuple(_phrase(line, number + place) for place, line in enumerate(lines))
        number += len(lines)
    whole = source + read_data("vocabulary.yaml")
    return Phrasebook(sections, f"users/agenda@{blake2b(whole.encode(), digest_size=4).hexdigest()}")


def read_data(name: str) -> str:
    """Return the text of a data file beside this module."""
    return files(__package__).joinpath(name).read_text("utf-8")


def parse(source: str) -> dict[str, Any]:
    """Return the mapping that a YAML text holds."""
    import yaml

    loaded: dict[str, Any] = yaml.load(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    return loaded


@lru_cache(maxsize=4096)
def _fit(action: str, marks: Marks, slots: Marks) -> tuple[tuple[Phrase, ...], tuple[int, ...]]:
    fit = tuple(phrase for phrase in phrasebook().phrases[action] if phrase.marks <= marks and phrase.slots <= slots)
    return fit, tuple(1 + _TUNED * len(phrase.marks - _OCCASION) for phrase in fit)


_OCCASION: Marks = frozenset("spe")


def _phrase(line: str, number: int) -> Phrase:
    found = _LINE.fullmatch(line)
    assert found is not None  # noqa: S101 - it fits every text
    text = found.group(2)
    parts: list[str | tuple[str, ...]] = []
    end = 0
    for part in _PART.finditer(text):
        if part.start() > end:
            parts.append((text[end : part.start()],))
        parts.append(part.group(2) or tuple(part.group(1).split("|")))
        end = part.end()
    if end < len(text):
        parts.append((text[end:],))
    slots = frozenset(part for part in parts if isinstance(part, str))
    return Phrase(number, frozenset(found.group(1) or ""), tuple(parts), slots)
