"""Named ways in which the fake server answers; a callable does the same in process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

from mysteryshopper.core import ConfigError, Json, unknown
from mysteryshopper.testing.faults import Fault
from mysteryshopper.testing.replies import Door, Reply


@dataclass(frozen=True)
class Seen:
    """One request as it arrived.

    Attributes:
        number: Its number, from 1, over all doors.
        door: `chat`, `completions`, `embeddings` or `reply`.
        path: The path asked for.
        headers: Its headers, names in lower case, nothing removed.
        raw: Its body.
        at: When it came, in seconds of `time.monotonic`.
    """

    number: int
    door: Door
    path: str
    headers: Mapping[str, str]
    raw: bytes
    at: float

    @cached_property
    def body(self) -> dict[str, Json]:
        """The body as JSON; a body that is none is `{}`."""
        try:
            body = json.loads(self.raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    @property
    def text(self) -> str:
        """What was said last: the last message's content, or the prompt."""
        messages = self.body.get("messages")
        if isinstance(messages, list) and messages:
            return str(messages[-1].get("content") or "")
        return str(self.body.get("prompt") or "")


Outcome: TypeAlias = str | Reply | Fault | dict[str, Json]
"""What a behaviour gives: a text, a reply, a fault, or a JSON object to be sent as it is."""

Behaviour: TypeAlias = Callable[[Seen], Outcome | Awaitable[Outcome]]


def named(name: str, text: str = "Hello there.") -> Behaviour:
    """Return a behaviour by its name.

    Names: `fixed` always says `text`; `echo` says what was said last; `numbered` says `text` and the number of the
    reply; `hashed` says eight hex digits that depend on the whole request; `schema` fills the JSON Schema of the
    request with the least that fits (first option, lowest number), and is `fixed` without one.

    Raises:
        ConfigError: There is no such behaviour.
    """
    numbers = count(1)
    known: dict[str, Behaviour] = {
        "fixed": lambda seen: text,
        "echo": lambda seen: seen.text,
        "numbered": lambda seen: f"{text} {next(numbers)}",
        "hashed": lambda seen: hashlib.blake2b(seen.raw, digest_size=4).hexdigest(),
        "schema": lambda seen: _filled(seen, text),
    }
    if name not in known:
        raise ConfigError(unknown("behaviour", name, known))
    return known[name]


BEHAVIOURS: tuple[str, ...] = ("echo", "fixed", "hashed", "numbered", "schema")
"""Names that `named` takes."""


def least(schema: Json) -> Json:
    """Return the least JSON value that fits a simple JSON Schema (no references, no conditions)."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return least(schema[several][0])
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            properties: dict[str, Json] = schema.get("properties") or {}
            return {name: least(properties.get(name)) for name in schema.get("required") or properties}
        case "array":
            return [least(schema.get("items"))] * int(schema.get("minItems", 0))
        case "string":
            return "x" * int(schema.get("minLength", 1))
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case _:
            return None


def _filled(seen: Seen, text: str) -> str:
    wanted = seen.body.get("response_format")
    schema = (wanted.get("json_schema") or {}).get("schema") if isinstance(wanted, dict) else None
    return text if schema is None else json.dumps(least(schema))
