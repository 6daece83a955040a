"""What the readers of words share: text without decoration, clauses, labels before an answer, undecided words."""

from __future__ import annotations

import re
import unicodedata

EDGES = " \t\n\"'.,;:!?()[]{}<>-#"
"""What may stand around an answer without being part of it."""

_NEAR = 200
"""Characters around a place that belong to it; a bound, so that no reader is slow on a long reply."""

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’ʼ´", "'"),
        **dict.fromkeys("“”„«»「」", '"'),
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width ASCII
        "。": ".",
        "、": ",",
        "\u00a0": " ",
        "*": None,
        "`": None,
        "\u200b": None,
        "\ufeff": None,
    }
)
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}|>)[ \t]*", re.M)
_UNDERLINE = re.compile(r"(?<!\w)_{1,3}|_{1,3}(?!\w)")
_CLAUSE_END = re.compile(r"[.!?;:,()\n{}]+|\s-+\s|[–—]")
_FILLER = re.compile(
    r"(?:(?:well|actually|wait|oh|ah|and|hm+|then|rather|or|i mean|sorry|so|ok|okay|um+|uh|but|thanks|thank you)\s+)+"
)
_LABEL = (
    r"(?:(?:my|the|your|our)\s)?(?:final\s|overall\s)?(?:answer|response|reply|choice|decision|verdict|selection|pick)"
)
_LEADING_LABEL = re.compile(
    rf"\W*(?:(?:{_LABEL}|option|label|output|result|ranking|order|user|seeker|customer|assistant|yes\s?(?:/|or)\s?no)"
    r"\W{0,3}(?:is|would be|[:=?]|\s-)+\s*)",
    re.I,
)
_CUE = re.compile(rf"\b{_LABEL}[\s\"')\]]{{0,3}}(?:\sis|\swould be|[:=])+\s*", re.I)
_UNDECIDED = re.compile(
    r"\b(?:maybe|perhaps|possibly|unsure|undecided|not (?:quite |really )?(?:sure|certain)|depends|"
    r"don't know|do not know|dunno|no idea|hard to say|(?:can't|cannot|couldn't) (?:say|decide|tell|choose)|"
    r"either way|no opinion|no preference|neither|n/a)(?!\w)",
    re.I,
)
_NEGATION = re.compile(
    r"(?:n't|\b(?:not|never|cannot|no|without|neither|nor|nothing|hardly|refuse|rather than|instead of|over))(?!\w)",
    re.I,
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


def plain(text: str) -> str:
    """Return a text without Markdown decoration, with typographic quotes and full-width signs as ASCII, NFC."""
    text = unicodedata.normalize("NFC", text).translate(_SIGNS)
    return _UNDERLINE.sub("", _LINE_START.sub("", text))


def normal(text: str) -> str:
    """Return what two spellings of one short answer share: plain, case and spaces folded, without marks around it."""
    folded = " ".join(plain(text).split()).casefold()
    return folded.strip(EDGES) or folded


def unlabel(text: str) -> str:
    """Take leading labels such as `Answer:` or `My choice is` off a plain text."""
    for _ in range(3):
        label = _LEADING_LABEL.match(text)
        if label is None or label.end() == len(text):
            break
        text = text[label.end() :]
    return text


def cued(text: str) -> list[str]:
    """Return what follows each announcement of an answer (`Final answer: …`) in a plain text, to its line's end."""
    rests = (text[cue.end() : cue.end() + _NEAR].split("\n", 1)[0].strip(EDGES) for cue in _CUE.finditer(text))
    return [rest for rest in rests if rest]


def clauses(text: str) -> list[str]:
    """Return the clauses of a plain text, folded, without fillers such as `well` before them; empty ones left out."""
    parts = (" ".join(part.split()).casefold().strip(EDGES) for part in _CLAUSE_END.split(text))
    return [_FILLER.sub("", part, count=1) if _FILLER.match(part) else part for part in parts if part]


def is_undecided(text: str) -> bool:
    """Whether a text holds words of indecision (`maybe`, `not sure`, `it depends` …)."""
    return _UNDECIDED.search(text) is not None


def is_only_undecided(clause: str) -> bool:
    """Whether a clause says nothing but that the speaker is undecided."""
    return _UNDECIDED.fullmatch(re.sub(r"^(?:i'm|i am|i|it|that|it's)\s", "", clause)) is not None


def is_negated(text: str, at: int) -> bool:
    """Whether what stands at a position of a text is negated before it, in its own sentence."""
    before = text[max(0, at - _NEAR) : at]
    sentence = re.split(r"[.!?;\n]|\bbut\b", before)[-1]
    return _NEGATION.search(sentence) is not None


def is_foreign(text: str) -> bool:
    """Whether most letters of a text are of another script than the Latin one."""
    letters = [char for char in text[:2000] if char.isalpha()]
    return bool(letters) and 2 * sum(map(bool, map(_LATIN.match, letters))) < len(letters)
