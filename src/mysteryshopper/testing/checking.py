"""What the conformance checks share: calling a part safely, and comparing before with after."""

from __future__ import annotations

import copy
import json
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, TypeVar

from mysteryshopper.core import ChatReply, Json, Usage, canonical

T = TypeVar("T")


def require(holds: bool, sentence: str) -> None:
    """Raise an AssertionError with the sentence unless it holds."""
    if not holds:
        raise AssertionError(sentence)


async def survives(what: str, call: Awaitable[T]) -> T:
    """Await a call; anything it raises becomes an AssertionError that says what was being done."""
    try:
        return await call
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error


def json_copy(what: str, value: Json) -> Json:
    """Return a value as it comes back from JSON; an AssertionError if it is none, or comes back different."""
    try:
        back = json.loads(canonical(value))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{what} is not JSON: {error}") from error
    require(back == value, f"{what} comes back from JSON as another value (tuples, keys that are no texts?): {value!r}")
    return back


def snapshot(value: T) -> T:
    """Return a deep copy, to compare with after a call."""
    return copy.deepcopy(value)


def essence(record: Any) -> Any:
    """Return a reply or turn without the ids and costs of the calls behind it, which differ from call to call."""
    changes: dict[str, Any] = {}
    if hasattr(record, "calls"):
        changes["calls"] = ()
    if hasattr(record, "usage"):
        changes["usage"] = Usage()
    if hasattr(record, "call"):
        changes |= {"call": "", "cached": False}
    if isinstance(record, ChatReply):
        return record._replace(**changes)
    return replace(record, **changes)
