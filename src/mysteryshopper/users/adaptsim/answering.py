"""The structured reply of `adaptsim`: its schema, and how it is read, as JSON or as lines with labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from mysteryshopper.core import ChatReply, JsonObject
from mysteryshopper.dialogue.text import one_line, words
from mysteryshopper.reading import Reading, read_json
from mysteryshopper.reading.result import open_reply

ACTIONS: tuple[str, ...] = (
    "open",
    "inform",
    "answer",
    "ask",
    "refine",
    "react",
    "reject",
    "accept",
    "chat",
    "leave",
)
"""What a turn can do where actions are fixed; `prompts/templates/users/actions.j2` says what each means."""

_LABEL = re.compile(r"^[ \t>*_#-]*(thought|action|reply)[ \t*_]*:[ \t*_]*", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r'["“]([^"“”]*)["”]')
_LONGEST: JsonObject = {"thought": 160, "action": 60, "reply": 160}
"""Characters that a model that continues text may give to each part, so that its reply comes to an end."""
_ACTION_LIMIT = 200


class Answered(BaseModel):
    """A structured reply. What is missing is empty; without a reply there is none.

    Attributes:
        thought: What went on before.
        action: What the turn does.
        reply: What is sent.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    thought: str | None = None
    action: str | None = None
    reply: str


def reply_schema(*, think: bool, choices: Sequence[str], short: bool) -> dict[str, Any]:
    """Return the JSON Schema of a structured reply: all keys required, in the order they are to be written.

    Args:
        think: Whether there is a thought.
        choices: The actions, where they are a closed list; else empty.
        short: Bound the length of each text, for models that do not know when to stop.
    """
    text: dict[str, Any] = {"type": "string"}
    keys: dict[str, dict[str, Any]] = {
        name: {**text, "maxLength": _LONGEST[name]} if short else text
        for name in (*(("thought",) if think else ()), "action", "reply")
    }
    if choices:
        keys["action"] = {"type": "string", "enum": list(choices)}
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def read_answer(reply: ChatReply, choices: Sequence[str] = ()) -> Reading[Answered]:
    """Read a structured reply: the last JSON object with a `reply`; without one, lines labelled with the keys' names.

    Lines are read where each label stands once, and are `repaired`. A text without either is `invalid`: what is thought
    could not be told from what is to be sent.

    Args:
        reply: What the model answered.
        choices: The actions, where they are a closed list; then the action must begin with one of them and
            name no other, or the reply is `ambiguous`, and `invalid` where it names none.
    """
    reading = read_json(reply, Answered)
    if not reading.readable:
        reading = _labelled(reply) or reading
    if reading.value is None:
        return reading
    found = reading.value
    if not choices:
        return Reading(
            found.model_copy(update={"action": one_line(found.action or "")[:_ACTION_LIMIT]}),
            reading.status,
            reading.raw,
        )
    said = words(found.action or "")
    named = [name for name in choices if name in said]
    if len(named) != 1 or named != said[:1]:  # `don't accept it` does not accept
        return Reading(None, "ambiguous" if named else "invalid", reading.raw)
    return Reading(found.model_copy(update={"action": named[0]}), reading.status, reading.raw)


def _labelled(reply: ChatReply) -> Reading[Answered] | None:
    """Return what lines with labels say; None where there are none, or nothing could be read at all."""
    opened = open_reply(reply)
    labels = list(_LABEL.finditer(opened.text))
    names = [label.group(1).lower() for label in labels]
    if opened.status or "reply" not in names:
        return None
    if len(set(names)) < len(names):
        return Reading(None, "ambiguous", opened.raw)
    ends = [label.start() for label in labels[1:]] + [len(opened.text)]
    parts = {name: opened.text[label.end() : end].strip() for name, label, end in zip(names, labels, ends, strict=True)}
    quoted = _QUOTED.fullmatch(parts["reply"])
    return Reading(Answered(**{**parts, "reply": quoted[1] if quoted else parts["reply"]}), "repaired", opened.raw)
