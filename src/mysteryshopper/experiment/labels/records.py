"""What a sheet for people is made of, and the votes that come back."""

from __future__ import annotations

from dataclasses import dataclass

from mysteryshopper.core import Case, Json
from mysteryshopper.judges.observing import Sort

FOLDER = "labels"
"""Where a run keeps its sheets, their keys and people's votes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question on a sheet.

    Attributes:
        criterion: Name of the criterion.
        question: The question in a sentence.
        answers: How to answer, in words.
        sort: What votes are.
        labels: The labels allowed, for sort `label`.
        low: Lowest score, for sort `score`.
        high: Highest score.
    """

    criterion: str
    question: str
    answers: str
    sort: Sort
    labels: tuple[str, ...] = ()
    low: float = 1
    high: float = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing on one copy of a sheet.

    Attributes:
        item: Its code on the sheet, by which alone it can be told.
        case: The case behind it.
        swapped: The second exhibit is shown as A.
        facts: Of each item that is shown, its title and what the catalogue says of it; by title.
    """

    item: str
    case: Case
    swapped: bool
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> tuple[int, ...]:
        """Places of the case's exhibits in the order shown."""
        places = tuple(range(len(self.case.exhibits)))
        return places[::-1] if self.swapped else places


@dataclass(frozen=True, slots=True)
class Copy:
    """A sheet as one annotator gets it: the same things in an order, and with sides, of its own."""

    sheet: str
    annotator: str
    asked: tuple[Asked, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Vote:
    """One answer of one person, in terms of the run: nothing of the sheet's order is left in it.

    Attributes:
        sheet: Id of the sheet.
        annotator: Who voted.
        case: Id of the case.
        criterion: Name of the criterion.
        sort: What the value is.
        value: A score, a label, or for a pair 0 (its first exhibit), 1 or 0.5 (tie).
        cluster: Cluster of the case.
        user: Name of the user block.
        systems: Name of the system of each exhibit.
        low: Lowest score that could be given.
        high: Highest.
        labels: The labels that could be given.
        about: `users` where simulated users are judged, and `systems` names them.
        note: What the person noted.
    """

    sheet: str
    annotator: str
    case: str
    criterion: str
    sort: Sort
    value: Json
    cluster: str
    user: str = ""
    systems: tuple[str, ...] = ()
    low: float = 1
    high: float = 5
    labels: tuple[str, ...] = ()
    about: str = ""
    note: str = ""

    @property
    def pair(self) -> str:
        """The systems in words, whichever stood first."""
        return " vs ".join(sorted(self.systems))
