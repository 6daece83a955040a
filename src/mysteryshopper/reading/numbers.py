"""Scores and stars: the number that a reply gives, as it was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.words import is_foreign, is_undecided, plain

_NEAR = 60
_WORDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_WORDS |= {"ten": 10}
_WORD = re.compile(
    rf"\b({'|'.join(_WORDS)})( and a half)?(?= stars?\b)|\A({'|'.join(_WORDS)})( and a half)?(?=\W*\Z)", re.I
)
_DIGITS = r"\d{1,12}(?:\.\d{1,12}|,\d{1,2})?"
_NUMBER = re.compile(
    rf"(?<![\w.,²³¹/])(?P<sign>[-+−]?)(?P<whole>{_DIGITS})(?P<half>½?)(?!\d)(?![.,]\d)"
    rf"(?:\s?(?:/|\s?\(?\s?(?:out )?of)\s?(?P<base>{_DIGITS})(?![\d]|[.,]\d|\s?/)\)?|(?P<percent>\s?%))?(?![\w²³¹])"
)
_GLYPHS = re.compile(r"(?:[★⭐☆✩✭🌟]\ufe0f?\s?){1,40}½?")
_LABEL = r"(?:score|rating|rate|stars?|grade|marks?|points|verdict|answer|value)"
_LABELLED = re.compile(rf"\b{_LABEL}[^\d\n:=]{{0,{_NEAR}}}(?:[:=]|\s[-–—]|\bis\b|\bof\b)\W{{0,4}}\Z", re.I)
_SPOKEN = re.compile(
    r"\b(?:give|gave|giving|rated?|rating|score|deserves?|earns?|gets?|assign|say|choose|award)\b[^.\n;!?]{0,40}\Z",
    re.I,
)
_LEAD_END = re.compile(
    r"\s*(?:\Z|[.,;:!)(\n]|[-–—]\s|\b(?:because|since|as|for)\b|(?:stars?|points?|pts)\b|[★⭐])", re.I
)
_LIST = re.compile(r"^\s*2[.)]\s", re.M)
_RANGE = re.compile(r"\s?(?:[-–—~]|to|or)\s?\d")
_RANGE_BEFORE = re.compile(r"(?:\d\s?[-–—~]|\bbetween|\d\s(?:to|or))\s?\Z")
_CHANGED = re.compile(r"\b(?:no,? wait|wait|scratch that|correction|actually|i mean|rather|make (?:it|that))\b", re.I)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a reply: its value on the scale asked for, where it stands, and whether it was converted."""

    value: Fraction
    start: int
    end: int
    converted: bool
    certain: bool
    range: bool


def read_score(reply: Reply, low: float, high: float) -> Reading[float]:
    """Read a number on a scale.

    Counted is a labelled number (`Score: 2`), one that the reply begins with or consists of, or one that is said to be
    given (`I'd give it a 4`); never a number that only occurs. It is taken as written, with decimal point or comma and
    in any script's digits. An explicit denominator is converted (`9/10` and `90%` on a scale to 5 are 4.5). Nothing is
    clamped, rescaled or read from words.

    Args:
        reply: What the model answered.
        low: The lowest value allowed.
        high: The highest value allowed; what a denominator converts to.

    Returns:
        The number. Out of range, or none: invalid. A range, or several that differ: ambiguous.
    """
    return _read(reply, low, high, stars=False)


def read_stars(reply: Reply, low: float = 1, high: float = 5) -> Reading[float]:
    """Read a star rating: as `read_score`, and also drawn (`★★★★☆`) or in words (`four stars`).

    Args:
        reply: What the model answered.
        low: The fewest stars allowed.
        high: The most stars allowed.

    Returns:
        The number of stars.
    """
    return _read(reply, low, high, stars=True)


def _read(reply: Reply, low: float, high: float, *, stars: bool) -> Reading[float]:
    opened = open_reply(reply, short=True)
    if opened.status:
        return opened.fail(opened.status)
    text = _without_scale(plain(opened.text).strip(" \t\n\"'[]{}"), low, high)
    numbers = _numbers(text, high)
    if stars:
        numbers += _stars(text)
    certain = [number for number in numbers if number.certain]
    if is_refusal(opened.text) and not any(_LABELLED.search(text[: number.start]) for number in certain):
        return opened.fail("refused")
    values = {number.value for number in certain}
    if len(values) > 1 or any(number.range for number in certain) or _changed(text, numbers, certain):
        return opened.fail("ambiguous")
    if not values:
        doubtful = len({number.value for number in numbers}) > 1 or is_undecided(text)
        return opened.fail(
            "unsupported" if is_foreign(text) and not numbers else "ambiguous" if doubtful else "invalid"
        )
    value = float(values.pop())
    if not low <= value <= high:
        return opened.fail("invalid")
    return Reading(value, "repaired" if certain[0].converted else "ok", opened.raw)


def _without_scale(text: str, low: float, high: float) -> str:
    """Take mentions of the scale asked for (`1-5`, `from 1 to 5`) out of a text."""
    scale = rf"(?<![\w.,])(?:from )?{low:g}\s?(?:-|–|—|to|\.\.)\s?{high:g}(?:\s?(?=scale\b))?(?![\w/])(?![.,]\d)"
    return re.sub(scale, "", text) if re.sub(scale, "", text).strip(" .:;,()") else text


def _numbers(text: str, high: float) -> list[_Number]:
    return [_number(text, match, high) for match in _NUMBER.finditer(text)]


def _number(text: str, match: re.Match[str], high: float) -> _Number:
    value = _fraction(match["whole"]) + (Fraction(1, 2) if match["half"] else 0)
    if match["sign"] in ("-", "−"):
        value = -value
    base = Fraction(100) if match["percent"] else _fraction(match["base"]) if match["base"] else None
    if base is not None:
        value = value * Fraction(high) / base if base else Fraction(-(10**12))  # out of every range
    start, end = match.span()
    before, after = text[max(0, start - 2 * _NEAR) : start], text[end : end + _NEAR]
    converted = "," in match["whole"] or bool(match["half"]) or (base is not None and base != Fraction(high))
    leads = not before.strip(" (") and (_LEAD_END.match(after) is not None) and not _LIST.search(text)
    spoken = _SPOKEN.search(before) is not None or (match["base"] is not None and _LEAD_END.match(after) is not None)
    certain = leads or _LABELLED.search(before) is not None or spoken
    ranged = _RANGE.match(after) is not None or _RANGE_BEFORE.search(before) is not None
    return _Number(value, start, end, converted, certain, ranged)


def _stars(text: str) -> list[_Number]:
    """Return the ratings that are drawn as stars or written in words."""
    found: list[_Number] = []
    for match in _GLYPHS.finditer(text):
        drawn = match.group()
        if re.search(r"\d\s?\Z", text[: match.start()][-3:]):
            continue
        value = Fraction(sum(drawn.count(full) for full in "★⭐🌟")) + (Fraction(1, 2) if "½" in drawn else 0)
        found.append(_Number(value, match.start(), match.end(), False, True, False))
    for match in _WORD.finditer(text):
        word, half = (match[1], match[2]) if match[1] else (match[3], match[4])
        value = _WORDS[word.casefold()] + Fraction(1 if half else 0, 2)
        before = text[: match.start()][-2 * _NEAR :]
        certain = not before.strip(" (") or bool(_SPOKEN.search(before) or _LABELLED.search(before))
        found.append(_Number(value, match.start(), match.end(), True, certain, False))
    return found


def _changed(text: str, numbers: list[_Number], certain: list[_Number]) -> bool:
    """Whether the reply takes its number back: words such as `no wait`, and another number after them."""
    if not certain:
        return False
    first = certain[0]
    change = _CHANGED.search(text, first.end)
    return change is not None and any(n.start > change.start() and n.value != first.value for n in numbers)


def _fraction(digits: str) -> Fraction:
    """Return the number that decimal digits of any script write."""
    return Fraction("".join(str(int(char)) if char.isdecimal() else "." for char in digits))
