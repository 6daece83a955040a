"""Words, in any script, without a model."""

from __future__ import annotations

import re
import unicodedata

_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration mark and zero
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_APOSTROPHES = str.maketrans("’ʼ‐‑", "''--")


def words(text: str) -> list[str]:
    """Split a text into words, case folded, NFC.

    A word is a run of letters, digits and their marks, with single apostrophes or hyphens inside (`don't`, `sci-fi`).
    In scripts that write no spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar, Tibetan) every character is
    one, with its marks: finer than words, but never a whole sentence. Punctuation, symbols and emoji are none.
    """
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).translate(_APOSTROPHES)
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    word = joint = ""
    after_single = False  # right behind a character that is a word by itself, whose marks follow
    for char in text:
        category = unicodedata.category(char)[0]
        if category == "M" and after_single:
            found[-1] += char
            continue
        after_single = category in "LN" and _is_unspaced(char)
        if after_single:
            found += [word, char]
            word = joint = ""
        elif category in "LN" or (category == "M" and word and not joint):
            word += joint + char
            joint = ""
        elif char in "'-" and word and not joint:
            joint = char
        else:
            found.append(word)
            word = joint = ""
    return [one for one in (*found, word) if one]


def _is_unspaced(char: str) -> bool:
    code = ord(char)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)
