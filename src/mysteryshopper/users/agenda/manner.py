"""How a user speaks: drawn once from profile and seed, the same through the dialogue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from mysteryshopper.core import Profile
from mysteryshopper.users.agenda.lexicon import Lexicon, lexicon
from mysteryshopper.users.agenda.options import AgendaOptions
from mysteryshopper.users.agenda.phrasebook import Marks
from mysteryshopper.users.styles import TRAITS, style_name

_TALKS = {"concise": "terse", "moderate": "plain", "verbose": "chatty"}
_TONES_BY_STYLE = {"formal": "formal", "neutral": "neutral", "informal": "casual"}
_TYPOS = {"careful": 0.0, "hasty": 0.03, "careless": 0.09}
_TONES = (1, 6, 3)
_MOODS = {"positive": 1, "neutral": 0, "negative": -1}
_LETTERS = {"terse": "t", "plain": "", "chatty": "c", "formal": "f", "neutral": "", "casual": "i"}


@dataclass(frozen=True, slots=True)
class Manner:
    """A way of speaking.

    Attributes:
        talk: Terse, plain or chatty.
        tone: Formal, neutral or casual.
        mood: Where the mood starts: 1, 0 or -1.
        typos: Share of words mistyped.
        lower: Writes in lower case.
        shortens: Shortens words (pls, u).
        drops: Leaves out full stops at the end and apostrophes.
        greets: Says hello.
        polite: Says thanks.
        tails: Ends turns with a smiley or the like.
        noun: The word for what is wanted.
        words: The vocabulary.
    """

    talk: str
    tone: str
    mood: int
    typos: float
    lower: bool
    shortens: bool
    drops: bool
    greets: bool
    polite: bool
    tails: bool
    noun: str
    words: Lexicon

    @property
    def marks(self) -> Marks:
        """Letters of the phrases that suit this speaker."""
        return self.words.marks.union(_LETTERS[self.talk] + _LETTERS[self.tone])


def draw_manner(
    profile: Profile, domain: str, options: AgendaOptions, seed: int, words: Lexicon | None = None
) -> Manner:
    """Return the manner of a user: what the profile's style says, and chance for the rest.

    Args:
        profile: The person.
        domain: What is wanted, in a word or two.
        options: Options of the user.
        seed: Seed of what is drawn.
        words: The vocabulary; by default that of the file.
    """
    style = tuple((trait, profile.style.get(trait, "")) for trait in TRAITS)
    return _drawn(style, domain, options.chattiness, options.typos, seed, words or lexicon())


@lru_cache(maxsize=4096)
def _drawn(
    style: tuple[tuple[str, str], ...], domain: str, chattiness: float, typos: float, seed: int, words: Lexicon
) -> Manner:
    said = {trait: style_name(trait, word) if word else None for trait, word in style}
    chance = Random(seed)
    talk = _TALKS[said["conciseness"]] if said["conciseness"] else _talk(chattiness, chance)
    tone = (
        _TONES_BY_STYLE[said["formality"]]
        if said["formality"]
        else chance.choices(("formal", "neutral", "casual"), _TONES)[0]
    )
    sentiment = said["sentiment"] or chance.choices(("positive", "neutral", "negative"), (3, 5, 1))[0]
    care = said["carelessness"]
    casual, formal, hasty = tone == "casual", tone == "formal", care in ("hasty", "careless")
    return Manner(
        talk=talk,
        tone=tone,
        mood=_MOODS[sentiment],
        typos=_TYPOS[care] if care else typos * chance.uniform(0, 2),
        lower=not formal and chance.random() < (0.5 if casual else 0.03) + 0.15 * hasty,
        shortens=casual and chance.random() < 0.4,
        drops=not formal and chance.random() < (0.7 if casual else 0.4) + 0.15 * hasty,
        greets=chance.random() < {"terse": 0.25, "plain": 0.5, "chatty": 0.7}[talk] + 0.2 * formal,
        polite=chance.random() < {"positive": 0.9, "neutral": 0.7, "negative": 0.3}[sentiment],
        tails=casual and chance.random() < 0.4,
        noun=chance.choice(words.nouns(domain)),
        words=words,
    )


def _talk(chattiness: float, chance: Random) -> str:
    drawn = chance.random()
    if drawn < chattiness:
        return "chatty"
    return "plain" if drawn < chattiness + (1 - chattiness) / 2 else "terse"
