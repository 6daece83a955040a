"""What follows a title in a text: its year, or the number that makes it another title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mysteryshopper.items.folding import Folded
from mysteryshopper.reading import split_year

_CLOSERS = r"[\"'*_~!?.]*"
_BRACKETS = re.compile(rf"{_CLOSERS},?{_CLOSERS}((?: ?[(\[][^()\[\]\n]{{1,60}}[)\]]){{1,2}})")
_BARE_YEAR = re.compile(rf"{_CLOSERS} (\d{{4}})(?![\w%]|[.,]\d)")
_WORDS = "two|three|four|five|six|seven|eight|nine|ten"
_NUMERAL = rf"\d{{1,3}}(?:\.\d+)?|iii?|iv|vi{{0,3}}|ix|x|{_WORDS}"
_PART = r"(?:part|pt\.?|chapter|volume|vol\.?|episode|book|no\.?|number|\#)"
_SEQUEL = re.compile(rf"(?: ?[:,-])? ?{_PART} ?(?P<part>{_NUMERAL}|i|one)(?!\w)|[ -](?P<number>{_NUMERAL})(?!\w)")
_COUNTED = re.compile(
    r" ?/ ?\d| ?%|[ -](?:more|times?|stars?|thumbs|out of"
    r"|nights?|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?)\b"
)
_FILM_YEARS = range(1870, 2040)
"""Years that a bare number of four digits may be; others belong to a title, as in `Harbour 2071`."""
_NUMBERED = re.compile(rf" ?[(\[](?:{_PART} ?)?(?:{_NUMERAL})[)\]]")


@dataclass(frozen=True, slots=True)
class Following:
    """What stands behind a title: `year` in brackets, `bare_year` without them, `sequel` where a number follows."""

    year: int | None = None
    bare_year: int | None = None
    sequel: bool = False

    @property
    def dated(self) -> bool:
        """Whether a year follows."""
        return self.year is not None or self.bare_year is not None


NOTHING = Following()


def following(folded: Folded, end: int) -> Following:
    """Read what follows a title that ends at `end` of a folded text."""
    text = folded.text
    if end >= len(text):
        return NOTHING
    if _NUMBERED.match(text, end):
        return Following(sequel=True)
    if brackets := _BRACKETS.match(text, end):
        year = split_year("x" + brackets.group(1))[1]
        if year is not None:
            return Following(year=year)
    if bare := _BARE_YEAR.match(text, end):
        year = int(bare.group(1))
        return Following(bare_year=year) if year in _FILM_YEARS else Following(sequel=True)
    if (number := _SEQUEL.match(text, end)) and not _only_counts(folded, number):
        return Following(sequel=True)
    return NOTHING


def _only_counts(folded: Folded, number: re.Match[str]) -> bool:
    """Whether a number after a title counts something else (`I saw it 3 times`), or is just a small letter."""
    if number.group("number") is None:
        return False
    if number.group("number") in ("v", "x"):
        start, end = folded.span(*number.span("number"))
        return not folded.original[start:end].isupper()
    return _COUNTED.match(folded.text, number.end()) is not None
