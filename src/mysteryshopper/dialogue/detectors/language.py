"""A user who writes in another script than their language's."""

from __future__ import annotations

import unicodedata

from mysteryshopper.dialogue.detectors.utterance import Utterance

LEAST_LETTERS = 8
"""Letters in foreign scripts below which a turn is too short to tell (a title, a name); ideographs count three."""

_SCRIPTS = {
    "ar": ("ARABIC",),
    "bg": ("CYRILLIC",),
    "el": ("GREEK",),
    "fa": ("ARABIC",),
    "he": ("HEBREW",),
    "hi": ("DEVANAGARI",),
    "ja": ("HIRAGANA", "KATAKANA", "CJK"),
    "ko": ("HANGUL",),
    "mr": ("DEVANAGARI",),
    "ru": ("CYRILLIC",),
    "th": ("THAI",),
    "uk": ("CYRILLIC",),
    "ur": ("ARABIC",),
    "zh": ("CJK",),
}


def language_mismatch(utterance: Utterance) -> str | None:
    """Return the turn if fewer than a fifth of its letters are of the script its user's language is written in.

    This tells scripts apart, not the languages that share one: a French turn of an English user passes. Languages
    without an own entry are taken to be written in Latin letters. Japanese without kana counts as Chinese.
    """
    language = utterance.language.casefold().partition("-")[0]
    scripts = _SCRIPTS.get(language, ("LATIN",))
    if "LATIN" in scripts and utterance.head.isascii():
        return None
    own = foreign = 0
    kana = False
    for letter in utterance.head:
        if not letter.isalpha():
            continue
        script = _script(letter)
        kana = kana or script in ("HIRAGANA", "KATAKANA")
        if script in scripts:
            own += 1
        else:
            foreign += 3 if script in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL") else 1
    if kana and language == "zh":
        return utterance.text
    if foreign < LEAST_LETTERS:
        return None
    return utterance.text if own < 0.2 * (own + foreign) else None


def _script(letter: str) -> str:
    if letter.isascii():
        return "LATIN"
    return unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
