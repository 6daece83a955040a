"""What a judge's reply says on each criterion: by name, never by place; a criterion that it leaves out is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import RootModel, model_validator

from mysteryshopper.core import ChatReply, Criterion, Json, JsonObject
from mysteryshopper.reading import Reading, read_choice, read_json, read_score, read_verdict, strip_reasoning

PLACES = ("A", "B")
"""How the two of a pair are labelled, by the place in which they are shown."""

TIE = "tie"

_PLAINLY = (*PLACES, TIE)

_MISSING: Reading[Json] = Reading(None, "empty", notes={"missing": 1})
_INVALID: Reading[Json] = Reading(None, "invalid")
_STEPS = 10


def read_answers(reply: ChatReply, criteria: Sequence[Criterion], *, pair: bool) -> dict[str, Reading[Json]]:
    """Read a reply to some criteria.

    A JSON object is read by its keys (letter case, blanks and hyphens don't matter); without one, lines of the form
    `name: answer`, and of a single criterion the whole reply.

    Args:
        reply: What the judge answered.
        criteria: What it was asked.
        pair: Whether which of two is better was asked; values are then A, B (the places) or `tie`.

    Returns:
        A reading for every criterion: a number, a label or a place. One not answered is `empty`, noted as `missing`.
    """
    found = read_json(reply, _answers_to(tuple(_folded(criterion.name) for criterion in criteria)))
    if found.value is not None:
        answers = {_folded(key): value for key, value in found.value.root.items()}
        return {
            criterion.name: _kept(_read(answers.get(_folded(criterion.name)), criterion, pair), found)
            for criterion in criteria
        }
    bracket = found.status == "truncated" and reply.finish != "length" and "{" not in (reply.text or "")
    if found.status != "invalid" and not bracket:
        return {criterion.name: Reading(None, found.status, found.raw, found.notes) for criterion in criteria}
    if read_json(reply, _AnyObject).value is not None:  # an answer, but to nothing that was asked
        return {criterion.name: _kept(_MISSING, found) for criterion in criteria}
    text = strip_reasoning(reply.text or "")[0]
    if any(re.search(rf"[\"']{_spelt(criterion.name)}[\"']\s*:", text, re.I) for criterion in criteria):
        return {criterion.name: _kept(_INVALID, found) for criterion in criteria}  # broken JSON is not picked apart
    return _from_text(reply, text, criteria, pair)


def schema(criteria: Sequence[Criterion], *, pair: bool) -> JsonObject:
    """Return the JSON Schema of an answer to all criteria, closed, so that endpoints can bind output to it."""
    return _schema(tuple(criteria), pair)


@lru_cache(maxsize=256)
def _schema(criteria: tuple[Criterion, ...], pair: bool) -> JsonObject:
    return {
        "type": "object",
        "properties": {criterion.name: _value_schema(criterion, pair) for criterion in criteria},
        "required": [criterion.name for criterion in criteria],
        "additionalProperties": False,
    }


def choices(criterion: Criterion, *, pair: bool) -> tuple[str, ...]:
    """Return the texts that can answer one criterion; empty for a scale that can't be counted through."""
    if pair:
        return (*PLACES, TIE)
    if criterion.labels:
        return criterion.labels
    low, high = criterion.low, criterion.high
    if not (float(low).is_integer() and float(high).is_integer() and high - low <= _STEPS):
        return ()
    return tuple(str(step) for step in range(int(low), int(high) + 1))


def whole(value: Json) -> Json:
    """Return a number that is whole as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _AnyObject(RootModel[dict[str, Any]]):
    """A JSON object."""


@lru_cache(maxsize=256)
def _answers_to(names: tuple[str, ...]) -> type[RootModel[dict[str, Any]]]:
    class Answers(RootModel[dict[str, Any]]):
        """A JSON object with an answer to at least one criterion."""

        @model_validator(mode="after")
        def _answers_one(self) -> Answers:
            keys = [_folded(key) for key in self.root]
            if len(set(keys)) < len(keys) or not any(key in names for key in keys):
                raise ValueError("answers no criterion, or one twice")
            return self

    return Answers


def _value_schema(criterion: Criterion, pair: bool) -> Mapping[str, Json]:
    texts = choices(criterion, pair=pair)
    if pair or criterion.labels:
        return {"type": "string", "enum": list(texts)}
    return {"type": "integer", "enum": [int(text) for text in texts]} if texts else {"type": "number"}


def _read(value: Json, criterion: Criterion, pair: bool) -> Reading[Json]:
    if value is None:
        return _MISSING
    if pair and value in _PLAINLY:  # what nearly every answer is; reading it as a text would say the same, more slowly
        return Reading(value, "ok", value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if pair or criterion.labels:
        return _read_text(str(whole(value)) if number else value, criterion, pair) if _is_plain(value) else _INVALID
    if number:
        fits = criterion.low <= value <= criterion.high
        return Reading(whole(value), "ok") if fits else _INVALID
    if not isinstance(value, str):
        return _INVALID
    read = _read_text(value, criterion, pair)
    return Reading(read.value, "repaired", read.raw, read.notes) if read.status == "ok" else read


def _is_plain(value: Json) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _read_text(reply: str | ChatReply, criterion: Criterion, pair: bool) -> Reading[Json]:
    if pair:
        verdict = read_verdict(reply, PLACES)
        return Reading(verdict.value, verdict.status, verdict.raw, verdict.notes)
    if criterion.labels:
        choice = read_choice(reply, criterion.labels)
        return Reading(choice.value, choice.status, choice.raw, choice.notes)
    score = read_score(reply, criterion.low, criterion.high)
    return Reading(whole(score.value), score.status, score.raw, score.notes)


def _from_text(reply: ChatReply, text: str, criteria: Sequence[Criterion], pair: bool) -> dict[str, Reading[Json]]:
    answers: dict[str, Reading[Json]] = {}
    for criterion in criteria:
        if (line := _last_line(text, criterion.name)) is not None:
            answers[criterion.name] = _kept(_read_text(line, criterion, pair), reply)
        elif len(criteria) == 1:
            answers[criterion.name] = _read_text(reply, criterion, pair)
        else:
            answers[criterion.name] = _kept(_MISSING, reply)
    return answers


def _last_line(text: str, name: str) -> str | None:
    found = re.findall(rf"^\W*{_spelt(name)}[*_\"'\s]*[:=]\s*(\S[^\n]*)$", text, re.I | re.M)
    return found[-1] if found else None


def _spelt(name: str) -> str:
    """Return a pattern of a name, whatever stands between its words."""
    return r"[\s_-]+".join(re.escape(word) for word in re.split(r"[\s_-]+", name))


def _kept(reading: Reading[Json], whole_reply: Reading[Any] | ChatReply) -> Reading[Json]:
    """Return a reading with the whole reply as its raw text."""
    raw = whole_reply.text if isinstance(whole_reply, ChatReply) else whole_reply.raw
    status = reading.status
    if status == "ok" and isinstance(whole_reply, Reading) and whole_reply.status == "repaired":
        status = "repaired"
    return Reading(reading.value, status, raw, reading.notes)


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())
