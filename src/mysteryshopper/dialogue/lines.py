"""A dialogue as lines of text, for models that continue text and for transcripts inside a fence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypedDict

from mysteryshopper.core import Message
from mysteryshopper.dialogue.text import one_line, shorten

LINE_LIMIT = 600
LAST_LINES = 12


class Line(TypedDict):
    """What one side said in a run of messages, on one line; `own` if it was the user."""

    own: bool
    text: str


def as_lines(
    messages: Sequence[Message], *, limit: int | None = LINE_LIMIT, last: int | None = LAST_LINES
) -> list[Line]:
    """Return a dialogue as lines, none of which can look like another speaker's.

    Neighbours of one side are one line, and lines without text are left out. Of a long dialogue the user's opening and
    the last lines are kept, so that a prompt stays short.

    Args:
        messages: What was said, oldest first; `system` and `tool` messages count for the system's side.
        limit: Characters of a line that are kept; None keeps all.
        last: How many lines at the end are kept; None keeps all.
    """
    lines = [
        Line(own=side == "user", text=one_line(shorten(" ".join(message.text for message in run), limit)))
        for side, run in groupby(messages, lambda message: message.side)
    ]
    spoken = [line for line in lines if line["text"]]
    start = 0 if last is None else max(0, len(spoken) - last)
    opening = next((place for place, line in enumerate(spoken) if line["own"]), 0)
    return ([spoken[opening]] if opening < start else []) + spoken[start:]
