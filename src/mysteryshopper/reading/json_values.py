"""JSON objects in a reply, read into a schema."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from mysteryshopper.core import Json
from mysteryshopper.reading.characters import clean
from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply

M = TypeVar("M", bound=BaseModel)

_MARK = re.compile(r'[{}\[\]"\'\\]')
_TOKEN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|\'(?:[^\'\\]++|\\.)*+\'|\\.|,(?=\s*[}\]])|(?<![\w.])(?:True|False|None)(?![\w.])', re.S
)
_WORDS = {"True": "true", "False": "false", "None": "null", ",": ""}
_NUMERAL = re.compile(r"\s*[+-]?\d{1,30}(?:\.\d{1,30})?\s*", re.A)
_CLOSES = {"}": "{", "]": "["}


def read_json(reply: Reply, model: type[M]) -> Reading[M]:
    """Read the last complete JSON value of a reply that fits a schema, in a code fence or not.

    Repaired are Python literals (`True`, `None`, single quotes), trailing commas, a number in quotes where the schema
    wants a number, a list that holds nothing but the object, and lone surrogates (replaced by U+FFFD). Other wrong
    types, duplicate keys, NaN and infinities are invalid. Extra keys are the schema's own affair.

    Args:
        reply: What the model answered.
        model: The schema, a pydantic model of an object (or a root model of a list).

    Returns:
        An instance of the schema. A value that is not closed, with no complete one that fits: truncated.
    """
    opened = open_reply(reply)
    if opened.status:
        return opened.fail(opened.status)
    blocks, unclosed = _blocks(opened.text)
    for start, end in reversed(blocks):
        for value, repaired in _values(opened.text[start:end]):
            try:
                fitted = _fit(value, model)
            except RecursionError:
                continue
            if fitted is not None:
                found, changed = fitted
                return Reading(found, "repaired" if repaired or changed else "ok", opened.raw)
    if is_refusal(opened.text):
        return opened.fail("refused")
    return opened.fail("truncated" if unclosed else "invalid")


def last_list(text: str) -> list[Json] | None:
    """Return the last complete JSON list of a text, Python literals allowed; None where there is none."""
    for start, end in reversed(_blocks(text)[0]):
        if text[start] == "[":
            for value, _ in _values(text[start:end]):
                return value if isinstance(value, list) else None
    return None


def _blocks(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where brackets that belong together begin and end, outermost ones only, and whether one is left open.

    One pass: brackets in strings don't count; a quotation mark opens a string only where JSON has one.
    """
    found: list[tuple[int, int]] = []
    stack: list[int] = []
    quote = ""
    escaped_at = -1
    for mark in _MARK.finditer(text):
        at, sign = mark.start(), mark.group()
        if at == escaped_at:
            continue
        if quote:
            if sign == "\\":
                escaped_at = at + 1
            elif sign == quote:
                quote = ""
        elif sign in "{[":
            stack.append(at)
        elif sign in "\"'":
            if stack and text[max(0, at - 100) : at].rstrip()[-1:] in ("{", "[", ",", ":"):
                quote = sign
        elif sign in _CLOSES and stack and text[stack[-1]] == _CLOSES[sign]:
            start = stack.pop()
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, at + 1))
    return found, bool(stack)


def _values(block: str) -> Iterator[tuple[Json, bool]]:
    """Yield what a block holds, and whether it had to be repaired; nothing if it is no JSON."""
    try:
        yield _parse(block), False
    except (ValueError, RecursionError):
        try:
            yield _parse(_TOKEN.sub(_as_json, block)), True
        except (ValueError, RecursionError):
            return


def _parse(block: str) -> Json:
    return json.loads(
        block, strict=False, object_pairs_hook=_distinct, parse_constant=_refuse_constant, parse_float=_finite
    )


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("duplicate key")
    return members


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("number too large")
    return number


def _as_json(token: re.Match[str]) -> str:
    """Return a token of a Python literal as JSON writes it."""
    text = token.group()
    if text.startswith("'"):
        return '"' + text[1:-1].replace("\\'", "'").replace('\\"', '"').replace('"', '\\"') + '"'
    return _WORDS.get(text, text)


def _fit(value: Json, model: type[M]) -> tuple[M, bool] | None:
    """Return the value as the schema's instance and whether it was repaired; None if it does not fit."""
    text = json.dumps(value, ensure_ascii=False)
    whole, mended = clean(text)
    try:
        return model.model_validate_json(whole, strict=True), mended
    except ValidationError as error:
        if _is_numeral_error(error):
            try:
                return model.model_validate_json(whole), True
            except ValidationError:
                return None
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        inner = _fit(value[0], model)
        return (inner[0], True) if inner else None
    return None


def _is_numeral_error(error: ValidationError) -> bool:
    """Whether all that is wrong is that numbers are in quotes, or whole numbers written with a point."""
    return all(
        found["type"] in ("int_type", "float_type", "int_from_float")
        and (
            (isinstance(found["input"], str) and _NUMERAL.fullmatch(found["input"]) is not None)
            or isinstance(found["input"], float)
        )
        for found in error.errors(include_url=False, include_context=False)
    )
