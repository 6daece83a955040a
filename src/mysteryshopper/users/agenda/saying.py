"""From acts to words: a turn is composed of phrases for its acts, with a reaction before and a remark behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from mysteryshopper.users.agenda.fingers import FIRST_MARK, type_out
from mysteryshopper.users.agenda.manner import Manner
from mysteryshopper.users.agenda.phrasebook import Marks, phrasebook

_REACTION = {"terse": 0.1, "plain": 0.3, "chatty": 0.5}
_CHAT = {"terse": 0.0, "plain": 0.05, "chatty": 0.4}
_GOOD = frozenset({"accept", "settle"})
_BAD = frozenset({"critique", "reject", "seen", "disliked", "repeated", "unknown", "hold_out"})
_TALK = frozenset({"answer", "about", "dont_mind", "dont_mind_any", "agree", "deny", "inform", "soft"})
_REMARKED = frozenset({"open", "open_any", "inform", "answer", "about"})
_SMALL = frozenset(
    {
        "a",
        "any",
        "anything",
        "are",
        "but",
        "close",
        "could",
        "do",
        "every",
        "how",
        "is",
        "it",
        "it's",
        "its",
        "let",
        "me",
    }
    | {"no", "none", "not", "of", "that", "that's", "the", "these", "they're", "this", "those", "what", "would"}
)
"""First words that are no names, and so go in lower case behind a comma."""


@dataclass(frozen=True)
class Act:
    """One thing that is done in a turn.

    Attributes:
        name: Section of the phrases.
        slots: What its phrases are filled with, titles left out.
        titles: Titles of items by slot; they are never changed.
        several: Whether it is about several items; None where it is about none.
    """

    name: str
    slots: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    several: bool | None = None


def say(
    acts: Sequence[Act], manner: Manner, mood: int, used: Sequence[int], rng: Random
) -> tuple[str, tuple[int, ...]]:
    """Return the words of some acts, and the numbers of the phrases said so far, these included."""
    speech = _Speech(manner, mood, list(used), rng)
    for place, act in enumerate(acts):
        text = speech.phrase(act)
        if place == 0 and act.name != "hello":
            text = speech.after_reaction(act, text)
        speech.sentences.append(text)
        if act.name in _REMARKED and rng.random() < _CHAT[manner.talk]:
            speech.sentences.append(speech.phrase(Act("chat")))
    text = " ".join(_stopped(sentence) for sentence in speech.sentences if sentence)
    return type_out(text, manner, mood, speech.titles, rng), tuple(speech.used)


@dataclass
class _Speech:
    """A turn in the making."""

    manner: Manner
    mood: int
    used: list[int]
    rng: Random
    sentences: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def phrase(self, act: Act) -> str:
        """Return one phrase for an act, titles as marks, beginning with a capital."""
        slots = {**act.slots, "noun": self.manner.noun, "known": self.manner.words.known}
        for name, title in act.titles.items():
            slots[name] = chr(FIRST_MARK + len(self.titles))
            self.titles.append(title)
        picked = phrasebook().pick(act.name, self._marks(act), slots, self.used, self.rng)
        self.used.append(picked.number)
        return _capital(picked.fill(slots, self.rng))

    def after_reaction(self, act: Act, text: str) -> str:
        """Return a text with a short reaction before it, sometimes."""
        kind = "good" if act.name in _GOOD else "bad" if act.name in _BAD else "talk" if act.name in _TALK else ""
        if not kind or self.rng.random() >= _REACTION[self.manner.talk]:
            return text
        reaction = self.phrase(Act(f"reaction_{kind}"))
        if _word(reaction) == _word(text):
            return text
        if _word(text) in _SMALL and self.rng.random() < 0.7:
            return f"{reaction}, {text[0].lower()}{text[1:]}"
        return f"{reaction}{self.rng.choice(('.', '!', '...') if kind != 'bad' else ('.', '...'))} {text}"

    def _marks(self, act: Act) -> Marks:
        mood = {"w"} if self.mood > 0 else {"g"} if self.mood < 0 else set()
        number = set() if act.several is None else {"p"} if act.several else {"s"}
        return self.manner.marks | mood | number


def _word(text: str) -> str:
    return text.split(" ", 1)[0].rstrip(",.!?").lower()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _stopped(text: str) -> str:
    return text if text[-1] in ".!?…:)" else text + "."
