"""What a judge reads of a case: who said what, shortened where it is long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Exhibit, Message
from mysteryshopper.dialogue import one_line, shorten

MESSAGE_LIMIT = 12_000
"""Characters of one message that a judge reads."""

TRANSCRIPT_LIMIT = 36_000
"""Characters of one exhibit, or of the context, that a judge reads."""

Speaker = Literal["person", "recommender", "note", "tool", "gap"]

_SPEAKERS: dict[str, Speaker] = {"user": "person", "assistant": "recommender", "system": "note", "tool": "tool"}


@dataclass(frozen=True, slots=True)
class Line:
    """One message as the templates take it.

    Attributes:
        who: Who spoke; `gap` stands for messages that were left out.
        text: What was said, further lines indented so that none looks like another speaker's; for a gap, how many.
        items: Titles shown with it.
    """

    who: Speaker
    text: str
    items: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Characters of it."""
        return len(self.text) + sum(map(len, self.items))


def lines(
    messages: Sequence[Message], *, limit: int = TRANSCRIPT_LIMIT, longest: int = MESSAGE_LIMIT, flat: bool = False
) -> list[Line]:
    """Return messages as lines, empty ones left out.

    A long message keeps its beginning and its end; of a long dialogue the messages in the middle are left out, and a
    line says how many.

    Args:
        messages: What was said.
        limit: Most characters of all lines.
        longest: Most characters of one.
        flat: Put each on one line, for models that continue lines.
    """
    shown = [_line(message, longest, flat) for message in messages]
    shown = [line for line in shown if line.text or line.items]
    if sum(line.size for line in shown) <= limit:
        return shown
    head = _fitting(shown, limit * 2 // 3)
    tail = _fitting(reversed(shown[head:]), limit - sum(line.size for line in shown[:head]))
    left_out = len(shown) - head - tail
    return [*shown[:head], Line("gap", str(left_out)), *shown[len(shown) - tail :]] if left_out else shown


def look_equal(exhibits: Sequence[Exhibit]) -> bool:
    """Whether two exhibits are the same to a reader: the same words and items, by the same speakers."""
    first, second = (
        [(line.who, line.text, line.items) for line in lines(exhibit.messages, limit=1 << 62, longest=1 << 62)]
        for exhibit in exhibits
    )
    return first == second


def _line(message: Message, longest: int, flat: bool) -> Line:
    text = shorten(message.text.strip(), longest)
    items = tuple(_title(item.title, item.year) for item in message.items if item.title)
    shown = items if message.role == "assistant" and any(item not in message.text for item in items) else ()
    return Line(
        _SPEAKERS[message.role],
        one_line(text) if flat else "\n    ".join(text.splitlines()),
        tuple(one_line(item) for item in shown),
    )


def _title(title: str, year: int | None) -> str:
    return title if year is None or f"({year})" in title else f"{title} ({year})"


def _fitting(shown: Iterable[Line], limit: int) -> int:
    """Return how many lines from the first on fit."""
    size = count = 0
    for line in shown:
        size += line.size
        if size > limit:
            break
        count += 1
    return count
