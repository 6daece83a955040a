"""What `agent-crs` writes down in every turn: notes on the person, and the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from mysteryshopper.dialogue import one_line, shorten
from mysteryshopper.items import fold_value

Step = Literal["ask", "recommend", "answer"]
"""What the agent can do in a turn."""

MOST_NOTES = 20
"""Entries of one kind that notes keep, the latest."""
_LONGEST = 120
_SHORT_LIST, _SHORT_TEXT = 4, 60
"""Bounds of what a model that continues text may write, which would else not find its end."""


class WrittenPlan(BaseModel):
    """What the model writes: the whole of its notes anew, and the next step."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    constraints: list[str]
    likes: list[str]
    dislikes: list[str]
    rejected: list[str]
    plan: str
    action: Step
    aim: str


@dataclass(frozen=True, slots=True)
class Notes:
    """What the agent remembers of a person, in the words it wrote down.

    Attributes:
        constraints: What a thing must have.
        likes: What would please.
        dislikes: What must not be.
        rejected: Titles that were turned down or are known already.
    """

    constraints: tuple[str, ...] = ()
    likes: tuple[str, ...] = ()
    dislikes: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()

    @property
    def lists(self) -> dict[str, list[str]]:
        """The notes by name, as JSON."""
        return {
            "constraints": list(self.constraints),
            "likes": list(self.likes),
            "dislikes": list(self.dislikes),
            "rejected": list(self.rejected),
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Notes brought up to date, and the next step.

    Attributes:
        notes: The notes.
        plan: Why this step, in a sentence; for the record.
        action: The step.
        aim: What to ask, look for or answer.
    """

    notes: Notes
    plan: str
    action: Step
    aim: str


def plan_of(written: WrittenPlan) -> Plan:
    """Return a plan as it is kept: every entry on a line, none twice, none endless."""
    notes = Notes(*(_entries(getattr(written, name)) for name in ("constraints", "likes", "dislikes", "rejected")))
    return Plan(notes, _line(written.plan), written.action, _line(written.aim))


def plan_schema(form: str) -> Mapping[str, Any]:
    """Return the JSON Schema that the model's output is bound to where it can be; a tighter one for small models."""
    return _schema(form == "completion")


@lru_cache(maxsize=2)
def _schema(bounded: bool) -> Mapping[str, Any]:
    schema = {**WrittenPlan.model_json_schema(), "additionalProperties": False}  # closed, so that it can bind strictly
    if not bounded:
        return schema
    texts = {"type": "string", "maxLength": _SHORT_TEXT}
    kept = {
        name: {"type": "array", "items": texts, "maxItems": _SHORT_LIST} if part.get("type") == "array" else part
        for name, part in schema["properties"].items()
    }
    return {**schema, "properties": {**kept, "plan": texts, "aim": texts}}


def _entries(written: list[str]) -> tuple[str, ...]:
    lines = {fold_value(line): line for line in map(_line, written) if line}
    return tuple(lines.values())[-MOST_NOTES:]


def _line(text: str) -> str:
    return one_line(shorten(text, _LONGEST))
