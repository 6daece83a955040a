"""One line of a list of titles: where a title ends, and what is a remark about it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mysteryshopper.reading.listing import opening_span, unmark
from mysteryshopper.reading.titles import split_year, year_brackets

Title = tuple[str, int | None]

_NEAR = 500
_CHATTER = re.compile(
    r"(?:sure|okay|ok|certainly|of course|absolutely|great|thanks|thank you|here (?:are|is|you)|i\b(?! [^a-z])|"
    r"i'[a-z]+|these|those|this|hope|enjoy|let me|based on|note|please|both|all of|since you|if you|"
    r"you|my|some|also|yes|no|how about|what about)\b",
    re.I,
)
_NOTHING = re.compile(r"(?:none|nothing|n/a|no (?:recommendations?|titles?|movies?|films?|items?|idea))\W*", re.I)
_GREETING = re.compile(r"\A(?:sure|okay|ok|certainly|of course|absolutely|great)(?: thing)?[!.:]\s+", re.I)
_LEAD_IN = re.compile(  # its words are in small letters where those of a title would not be
    r"(?:(?:[Aa]nd|or|[Aa]lso|then|[Mm]aybe|[Pp]erhaps|[Ff]inally|plus|as well as|followed by)\s+)?"
    r"(?:(?:I|I'd|[Ww]e|[Yy]ou)\s+(?:(?:would|can|could|might|may|should|will|really|also|highly|strongly|definitely)\s+)"
    r"{0,3}(?:recommend|suggest|say|try|watch|like|enjoy|love|see|read|consider|check out)"
    r"(?:\s+(?:watching|reading|trying))?|[Hh]ow about|[Ww]hat about|try|watch|check out|consider|such as)"
    r"\s+(?:either\s+)?(?=[\"'“‘«《(A-Z0-9]|[^\x00-\x7f])"
)
_SEPARATED = re.compile(r"\s*(?:[,;、，；/&|.!]|and\b|or\b|\Z)")
_JOINT = re.compile(r"\s*(?:[,;、，；/&|.!]|[-–—]\s)?\s*(?:(?:and|or|also|then)\s+)?(?=\S)")
_REMARK_WORD = re.compile(
    r"(?:an?|the|which|that|with|by|from|for|also|another|like|similar|directed|starring|based|its?|not|but|is|was|"
    r"as|in|on|remake|sequel|prequel|even|especially|because|about|featuring|where|who|set)\b"
)
_REMARK = re.compile(r"\s+[-–—]+\s+(?=[a-z(]|[^\n]*[.!]\Z)|[:;]\s+(?=[a-z]+\W+\w+\W+\w)|:\s+(?=[a-z]+\W*\Z)")
_BRACKETED_REMARK = re.compile(
    r"\s+[(（](?!a\.?k\.?a\b)(?:[a-z][^()（）]*|TV [Ss]eries|[Mm]ini[- ]?[Ss]eries)[)）]\s*\Z"
)
_ENDS_QUOTED = re.compile(r"[\"“*]([^\"“”*]{1,250})[\"”*]{1,3}\s*\Z")
_QUOTED = re.compile(
    r'"([^"\n]{1,250})"|“([^“”\n]{1,250})”|«([^«»\n]{1,250})»|《([^《》\n]{1,250})》|「([^「」\n]{1,250})」'
)
_COMMA = re.compile(r"\s*[,;，；、]\s*")
_SENTENCE_END = re.compile(r"(?:(?<=[a-z]{3}[.!])|(?<=\?))\s+(?=[A-Z])")


def titles_in(row: str) -> list[Title]:
    """Return the titles of one line or list entry: mostly one, several where several years stand in it."""
    span = opening_span(row)
    if span:
        inner, rest = span
        years = year_brackets(rest)
        small = inner[:1].islower()
        if years and not rest[: years[0][0]].strip(" *_\"',:-–—") and not year_brackets(inner):
            return [(_clean(inner), years[0][2]), *_after(rest[years[0][1] :], small)]
        title, year = split_year(inner)
        return [(_clean(title), year), *_after(rest, small)]
    years = year_brackets(row)
    if not years:
        title, year = split_year(_clean(_without_remark(row)))
        return [(title, year)]
    head = _GREETING.sub("", row[: years[0][0]], count=1)
    before, colon, after = head.rpartition(":")
    if colon and _CHATTER.match(before) and _is_prose(before):
        head = after.strip()
    first = _clean(_without_lead_in(head))
    return [(first, years[0][2]), *_after(row[years[0][1] :], first[:1].islower())]


def quoted(row: str) -> list[Title]:
    """Return what stands in double quotation marks in a line, as titles."""
    return [split_year(next(filter(None, match.groups()))) for match in _QUOTED.finditer(row)]


def separated(row: str) -> list[Title]:
    """Return the parts of a line between commas, as titles; the `and` before the last is dropped."""
    parts = _COMMA.split(row.strip().removesuffix("."))
    if len(parts) > 2:
        parts[-1] = re.sub(r"\A(?:and|or)\s+", "", parts[-1])
    return [split_year(_clean(part)) for part in parts if part]


def run_in(row: str) -> list[Title]:
    """Return the titles of sentences that introduce a list in words (`Here are some for you: …`, `How about …`)."""
    found: list[Title] = []
    for sentence in _SENTENCE_END.split(row):
        before, colon, after = sentence.partition(": ")
        if not (colon and _is_prose(before) and len(before.split()) > 2):
            after = _without_lead_in(sentence)
            if after == sentence:
                continue
        titles = separated(after)
        if len(titles) > 1 and 2 * sum(title[:1].islower() for title, _ in titles) < len(titles):
            found += titles
    return found


def is_chatter(row: str, *, alone: bool) -> bool:
    """Whether a line without marker, year and opening quotes is something else than a title.

    Args:
        row: The line.
        alone: It is the whole reply.
    """
    words = len(row.split())
    return (
        row.endswith(":")
        or (alone and _NOTHING.fullmatch(row) is not None)
        or (_CHATTER.match(row) is not None and (words > 6 or row[-1] in ".!?") and _is_prose(row))
        or (words > 12 and row[-1] in ".!?" and (not alone or _is_prose(row)))
    )


def _is_prose(text: str) -> bool:
    """Whether most words after the first, brackets aside, begin with a small letter, as they would not in a title."""
    rest = re.sub(r"\([^()]{0,250}\)", "", text).split()[1:]
    return 2 * sum(word[0].islower() for word in rest) > len(rest)


def _after(rest: str, small: bool) -> Iterator[Title]:
    """Yield the dated titles that follow the first one in a line; remarks in between are skipped."""
    at = 0
    for start, end, year in year_brackets(rest):
        between, at = rest[at:start].lstrip("\"'”*_`>»》 "), end
        ends_quoted = _ENDS_QUOTED.search(between[-_NEAR:])
        if ends_quoted:
            yield _clean(ends_quoted.group(1)), year
            continue
        joint = _JOINT.match(between)
        text = _without_lead_in(unmark(between[joint.end() :] if joint else between)[0])
        if _SEPARATED.match(between) and text and (small or not _REMARK_WORD.match(text)):
            yield _clean(text), year


def _without_lead_in(text: str) -> str:
    lead_in = _LEAD_IN.match(text)
    return text[lead_in.end() :] if lead_in else text


def _without_remark(row: str) -> str:
    """Cut a line where a remark begins; nothing inside brackets begins one."""
    for remark in _REMARK.finditer(row):
        title = row[: remark.start()]
        if title.count("(") == title.count(")"):
            return _BRACKETED_REMARK.sub("", title) or title
    return _BRACKETED_REMARK.sub("", row) or row


def _clean(text: str) -> str:
    """Take decoration, quotation marks and separators off the ends of a title."""
    text = unmark(text.strip())[0] if text[:1] not in "([" else text
    text = text.strip(' \t*_`"“”«»《》「」<>|,;').rstrip(" :-–—")
    if len(text) > 1 and text[0] in "'‘" and text[-1] in "'’":
        text = text[1:-1]
    return " ".join(text.split())
