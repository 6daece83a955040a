"""Titles as people write them: the year taken off, and a key that is equal for the same title."""

from __future__ import annotations

import re
import unicodedata

_MARKS = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼʹ′`´＇", "'"),
        **dict.fromkeys("“”„‟″«»「」『』＂", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("™®©", None),
    }
)
_EDGES = " \"'.,;:!?-*_~、。·"
_BRACKETED = re.compile(r"[(（\[［]([^()（）\[\]［］]*)[)）\]］]")
_YEARS = re.compile(r"(?<!\d)(\d{4})(?!\d)(?:\s*[-‐‑‒–—―−~/]\s*\d{2,4}(?!\d))?")
_WORD = re.compile(r"[^\W\d_]+")
_KINDS = frozenset(["tv", "film", "movie", "series", "mini", "miniseries", "video", "short", "circa", "ca", "c"])
_ARTICLE = re.compile(
    "the|an?|les?|la|une?|el|los|las|una|il|lo|gli|i|uno|der|die|das|eine?|den|det|de|het|een|ett|en|os?|as"
)
_ROMAN = {name: str(n) for n, name in enumerate(("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), start=2)}


def split_year(text: str) -> tuple[str, int | None]:
    """Take the year off a title.

    The year is the last four-digit number in (half- or full-width) brackets, of a range its first year. A bracket that
    holds nothing but a year (or a year and a word such as `film`) goes before one whose number is part of an alias.

    Args:
        text: A title such as `Salt Clock, The (2004)`.

    Returns:
        The title without the year's bracket and with spaces folded, and the year; `None` where there is none. A title
        that is nothing but its bracket stays whole, without a year.
    """
    pure = year_brackets(text)
    if pure:
        start, end, year = pure[-1]
        title = _tidy(f"{text[:start]} {text[end:]}")
        return (title, year) if title.strip(_EDGES) else (_tidy(text), None)
    for bracket in reversed(list(_BRACKETED.finditer(text))):
        years = list(_YEARS.finditer(bracket.group(1)))
        if years:
            kept = _without(bracket, years[-1])
            return _tidy(f"{text[: bracket.start()]} {kept} {text[bracket.end() :]}"), int(years[-1].group(1))
    return _tidy(text), None


def year_brackets(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and year of the brackets in a text that hold a year and nothing else (but a word as `film`)."""
    found = []
    for bracket in _BRACKETED.finditer(text):
        years = list(_YEARS.finditer(bracket.group(1)))
        if years and all(word.casefold() in _KINDS for word in _WORD.findall(bracket.group(1))):
            found.append((bracket.start(), bracket.end(), int(years[-1].group(1))))
    return found


def title_key(title: str) -> str:
    """Return a text that is equal for two spellings of one title and different for different titles.

    Folded are letter case, Unicode forms (NFKC), invisible and direction marks, typographic quotes and dashes, spaces,
    punctuation around the title, a trailing article (`Matrix, The` is `The Matrix`), and a final Roman numeral from II
    to X (`Part II` is `Part 2`). A sequel's number, an article and an alias in brackets stay. The year does too: take
    it off with `split_year` first.

    Args:
        title: A title without its year.

    Returns:
        The key; empty only for a title without any visible character.
    """
    text = _INVISIBLE.sub("", title)
    text = text.translate(_ALIKE)  # before NFKC, which would make letters of some of these signs
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_ALIKE)
    text = _fold_spaces(text)
    text = _strip_edges(_article_first(_strip_edges(text)))
    head, space, last = text.rpartition(" ")
    return head + space + _ROMAN.get(last, last) if head and not _ARTICLE.fullmatch(head) else text


def _without(bracket: re.Match[str], year: re.Match[str]) -> str:
    """Return a bracket without the year in it."""
    whole, inner = bracket.group(), bracket.group(1)
    return whole[0] + _fold_spaces(f"{inner[: year.start()]} {inner[year.end() :]}").strip(" ,;") + whole[-1]


def _article_first(text: str) -> str:
    """Move a trailing article to the front, unless the title starts with one already."""
    head, comma, last = text.rpartition(",")
    head, last = head.strip(), last.strip()
    if not comma or not head or _ARTICLE.fullmatch(head.split(" ", 1)[0]) or head.startswith("l'"):
        return text
    if last in ("l", "l'"):
        return f"l'{head}"
    return f"{last} {head}" if _ARTICLE.fullmatch(last) else text


def _strip_edges(text: str) -> str:
    return text.strip(_EDGES) or text


def _tidy(text: str) -> str:
    """Fold spaces and drop invisible marks at both ends (inside, they may hold an emoji together)."""
    return _fold_spaces(text).strip(_MARKS).strip()


def _fold_spaces(text: str) -> str:
    return " ".join(text.split())
