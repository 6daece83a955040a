"""The chapter of a prompt optimisation: what each round changed, how it came out, and what went wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from mysteryshopper.core import Store
from mysteryshopper.optimize.story import ENDS, NOTES, Round, Story, name_of, read_story
from mysteryshopper.report.numbers import count
from mysteryshopper.report.text import one_line, shorten

Change = Literal["same", "gone", "new"]

CELLS = ("won", "lost", "tie", "inconsistent", "not read", "dropped", "forfeits")
"""What the cells of a round hold."""

_PIECE = re.compile(r"\n|[^\S\n]+|[^\s\w]|\w+")
_MANY = 2_000
_MOST_PROBLEMS = 12


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text in a comparison of two prompts."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """One round as shown.

    Attributes:
        name: `initial`, or its number in words.
        result: How it came out, in a few words.
        best: Its prompt is the best one.
        remarks: What is to be noted of it.
        cells: Numbers of pairs, as `CELLS` names them; dashes where no dialogues were held.
        dialogues: Dialogues that went well, and those that were lost by fault.
        changes: Its text against that of the prompt it was written from.
        problems: What was wrong with its dialogues, with the number of dialogues; None where nobody looked.
    """

    name: str
    result: str
    best: bool
    remarks: tuple[str, ...]
    cells: tuple[str, ...]
    dialogues: str
    changes: tuple[Piece, ...]
    problems: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True, slots=True)
class Chapter:
    """An optimisation as shown.

    Attributes:
        best: Name of the best prompt's round.
        ended: Why it ended, in a sentence.
        initial: The text it began with.
        changes: The best prompt against the initial one.
        rounds: All rounds.
    """

    best: str
    ended: str
    initial: str
    changes: tuple[Piece, ...]
    rounds: tuple[RoundView, ...]


def chapter(store: Store) -> Chapter | None:
    """Return the chapter of a run; None where it is no optimisation, or has no prompt yet."""
    story = read_story(store)
    if story is None or not story.rounds:
        return None
    first, best = story.rounds[0], story.rounds[story.best]
    return Chapter(
        name_of(story.best),
        ENDS[story.ended],
        shorten(first.prompt)[0],
        compared(first.prompt, best.prompt),
        tuple(_view(one, story) for one in story.rounds),
    )


def compared(old: str, new: str) -> tuple[Piece, ...]:
    """Return a text as changes of another, word by word; a space or line between two changes belongs to them."""
    one, other = _PIECE.findall(shorten(old)[0]), _PIECE.findall(shorten(new)[0])
    pieces: list[Piece] = []
    # Spaces and, in long texts, the commonest words are no anchors: trying all the places they stand in takes long.
    matcher = SequenceMatcher(str.isspace, one, other, autojunk=len(other) > _MANY)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(one[i1:i2])))
            continue
        if i2 > i1:
            pieces.append(Piece("gone", "".join(one[i1:i2])))
        if j2 > j1:
            pieces.append(Piece("new", "".join(other[j1:j2])))
    return tuple(_joined(pieces))


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces with neighbouring changes made one, over white space between them."""
    gone = new = ""
    for place, piece in enumerate(pieces):
        between = piece.change == "same" and not piece.text.strip() and 0 < place < len(pieces) - 1
        if piece.change == "gone" or (between and (gone or new)):
            gone += piece.text
        if piece.change == "new" or (between and (gone or new)):
            new += piece.text
        if piece.change == "same" and not (between and (gone or new)):
            yield from _changed(gone, new)
            gone = new = ""
            yield piece
    yield from _changed(gone, new)


def _changed(gone: str, new: str) -> Iterator[Piece]:
    if gone == new:
        if gone:
            yield Piece("same", gone)
        return
    if gone:
        yield Piece("gone", gone)
    if new:
        yield Piece("new", new)


def _view(one: Round, story: Story) -> RoundView:
    parent = None if one.parent is None else story.rounds[one.parent]
    remarks = [NOTES[note] for note in one.notes if note in NOTES]
    lost = ", ".join(f"{count(number)} by fault of the {fault}" for fault, number in sorted(one.lost.items()))
    return RoundView(
        name_of(one.number),
        result_of(one),
        one.number == story.best,
        tuple(remarks),
        _cells(one),
        count(one.dialogues) + (f"; lost: {lost}" if lost else ""),
        compared(parent.prompt, one.prompt) if parent is not None and one.prompt else (),
        None
        if one.problems is None
        else tuple(
            (one_line(problem.text, 400), f"{count(problem.dialogues)} of {count(one.reviewed)}")
            for problem in one.problems[:_MOST_PROBLEMS]
        ),
    )


def result_of(one: Round) -> str:
    """Return how a round came out, in a few words."""
    if one.parent is None:
        return "where it began"
    if one.tally is None:
        return "no dialogues held"
    return f"better than {name_of(one.parent)}" if one.better else f"not better than {name_of(one.parent)}"


def _cells(one: Round) -> tuple[str, ...]:
    if one.tally is None:
        return ("–",) * len(CELLS)
    tally = one.tally
    numbers = (tally.wins, tally.losses, tally.ties, tally.inconsistent, tally.unread, tally.dropped, tally.forfeits)
    return tuple(map(count, numbers))
