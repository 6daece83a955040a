"""What a reader gives back, and what every reader does first with a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from mysteryshopper.core import ChatReply, Status
from mysteryshopper.reading.characters import clean
from mysteryshopper.reading.reasoning import strip_reasoning

T = TypeVar("T")

Reply = str | ChatReply | None
"""What readers take: a text, nothing, or a chat reply, which also knows why it ended."""

_END = 8000
"""Characters at each end of a very long reply in which a short answer is looked for."""

_HINTS: Mapping[Status, str] = {
    "ambiguous": "The reply is undecided or contradicts itself: ask for one answer alone.",
    "refused": "The model declined the task: word the prompt anew, or take another model.",
    "empty": "The reply holds no text: look at the finish reason, and at what the prompt asks for.",
    "truncated": "The reply was cut before its end: raise max_tokens.",
    "invalid": "The reply does not have the form asked for: show it in the prompt, or bind the output to a schema.",
    "unsupported": "The reply is in a language that this reader does not know: ask for English, or for a schema.",
}
_NO_NOTES: Mapping[str, int] = MappingProxyType({})
_HINT_REASONING = "All that the model wrote is reasoning, the answer is empty: turn reasoning off, or raise max_tokens."


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value read from a reply, and how well it could be read.

    Attributes:
        value: The value; None unless `status` is `ok` or `repaired`.
        status: `ok`, `repaired` (in another notation than asked for, its meaning certain), `ambiguous`, `refused`,
            `empty`, `truncated`, `invalid` or `unsupported`.
        raw: The reply's text as it came.
        notes: What was dropped, counted by name: `repeated`, `unknown`, `missing`, `extra`, `in_prompt`, `malformed`;
            and `in_reasoning` where all that came was reasoning.
    """

    value: T | None
    status: Status
    raw: str | None = None
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether there is a value."""
        return self.status in ("ok", "repaired")

    @property
    def hint(self) -> str:
        """One sentence for people on what to do about an unreadable reply; empty for a readable one."""
        return _HINT_REASONING if "in_reasoning" in self.notes else _HINTS.get(self.status, "")


class Opened(NamedTuple):
    """A reply after what all readers do first.

    Attributes:
        text: What is left to read, without reasoning; empty where `status` is set.
        raw: The text as it came.
        status: Why nothing can be read, or None.
        notes: `in_reasoning`, where that is why.
    """

    text: str
    raw: str | None
    status: Status | None = None
    notes: Mapping[str, int] = _NO_NOTES

    def fail(self, status: Status) -> Reading[T]:
        """Return the reading without a value."""
        return Reading(None, self.status or status, self.raw, dict(self.notes))


def open_reply(reply: Reply, *, short: bool = False) -> Opened:
    """Take the text out of a reply, without reasoning, and tell apart why there may be none.

    A filtered reply or one with a refusal field is refused; one cut at its length limit, or inside its reasoning, is
    truncated, whatever it holds: the answer may have been about to change.

    Args:
        reply: What the model answered.
        short: A short answer is looked for: of a very long text the first and the last 8,000 characters are kept.
    """
    chat = reply if isinstance(reply, ChatReply) else ChatReply(reply)
    raw = chat.text
    left, cut = strip_reasoning(raw or "")
    text = clean(left)[0].strip()
    if not text.isascii():
        text = text.strip("\ufeff\u200b").strip()
    if chat.finish == "content_filter" or (chat.refusal and chat.refusal.strip()):
        return Opened("", raw, "refused")
    if text and not cut and chat.finish != "length":
        if short and len(text) > 2 * _END:
            text = f"{text[:_END]}\n{text[-_END:]}"
        return Opened(text, raw)
    thought = not text and (left != (raw or "") or bool((chat.reasoning or "").strip()))
    return Opened(
        "",
        raw,
        "truncated" if cut or chat.finish == "length" else "empty",
        {"in_reasoning": 1} if thought else _NO_NOTES,
    )
