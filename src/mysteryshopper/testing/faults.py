"""Faults that the fake server commits: everything that real endpoints were seen to do wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from math import ceil
from time import time
from typing import Literal

from mysteryshopper.core import ConfigError, Json, unknown
from mysteryshopper.testing.replies import Door, Reply, payload, to_bytes

Manner = Literal["answer", "slow_bytes", "hang", "reset", "cut_body", "split_bytes", "late"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        name: One of `FAULTS`.
        seconds: Of `rate_limit…` and `error_503`: what Retry-After asks for; of `slow_bytes`: the pause between bytes;
            of `hang` and `late`: how long. None takes the fault's own: 1 s, and an hour for `hang`.
    """

    name: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse a name that is none."""
        if self.name not in FAULTS:
            raise ConfigError(unknown("fault", self.name, FAULTS))

    @classmethod
    def parse(cls, text: str) -> Fault | None:
        """Return the fault written as `name` or `name:seconds`; None for `ok`.

        Raises:
            ConfigError: There is no such fault, or the seconds are no number.
        """
        name, colon, seconds = text.partition(":")
        if name == "ok":
            return None
        try:
            return cls(name, float(seconds) if colon else None)
        except ValueError:
            raise ConfigError(f"{text!r}: expected a fault's name, or name:seconds") from None


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes over the wire, and in which manner."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] | None = None
    manner: Manner = "answer"
    seconds: float = 0.0
    kind: str = "application/json"


FAULTS: Mapping[str, str] = {
    "rate_limit": "429 with Retry-After in seconds",
    "rate_limit_date": "429 with Retry-After as an HTTP date",
    "rate_limit_bare": "429 without Retry-After",
    "error_500": "500 with a JSON error",
    "error_502": "502 with an HTML page",
    "error_503": "503 with a JSON error, and Retry-After if seconds are given",
    "unauthorized": "401",
    "forbidden": "403",
    "not_found": "404",
    "bad_request": "400 that says a parameter is not supported",
    "cut_json": "200 with JSON that stops half-way",
    "cut_body": "the connection closes half-way through the body",
    "html": "200 with an HTML page",
    "wrong_shape": "200 with a JSON list",
    "slow_bytes": "200, then one space after another, for ever",
    "split_bytes": "the good reply in chunks of one byte, cutting characters apart",
    "late": "the good reply after some seconds",
    "hang": "no answer at all",
    "reset": "the connection is reset",
    "empty_choices": "`choices: []` (`{}` from a system)",
    "null_message": "`message: null` (`content: null` from a system)",
    "content_filter": "`content: null` and `finish_reason: content_filter`",
    "length": "half of the reply and `finish_reason: length`",
    "empty": "an empty text",
    "blank": "spaces and a line break",
    "think": "the reply after a `<think>` block",
    "think_unclosed": "a `<think>` block that never closes",
    "think_end_only": "thoughts, `</think>`, then the reply",
    "reasoning_field": "an empty text, the reply in `reasoning_content`",
    "refusal": "a refusal as text",
    "refusal_field": "`content: null` and a `refusal` text",
    "surrogate": "a lone surrogate in the text",
    "no_usage": "the good reply without `usage`",
    "context_code": "400, overlong context told by an error code",
    "context_text": "400, overlong context told in words alone",
    "context_size": "400, overlong context with both token counts (llama.cpp)",
    "context_413": "413, request too large",
}
"""All faults by name, with what each does."""

TRANSIENT: tuple[str, ...] = (
    "rate_limit",
    "rate_limit_date",
    "rate_limit_bare",
    "error_500",
    "error_502",
    "error_503",
    "cut_json",
    "cut_body",
    "html",
    "reset",
)
"""Faults that a retry overcomes; the default mix of a fault rate."""

_STATUS = {
    "rate_limit": 429,
    "rate_limit_date": 429,
    "rate_limit_bare": 429,
    "error_500": 500,
    "error_502": 502,
    "error_503": 503,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "bad_request": 400,
    "context_code": 400,
    "context_text": 400,
    "context_size": 400,
    "context_413": 413,
}

_ERRORS: Mapping[str, Json] = {
    "unauthorized": {"message": "The key is wrong.", "type": "auth_error", "code": "invalid_api_key"},
    "forbidden": {"message": "This key may not use the model.", "type": "permission_error", "code": None},
    "not_found": {"message": "There is no such model.", "type": "not_found_error", "code": "model_not_found"},
    "bad_request": {"message": "Unsupported parameter: 'seed'.", "type": "invalid_request_error", "code": None},
    "context_code": {
        "message": "Your input is too long for this model.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    },
    "context_text": {
        "message": "This model's maximum context length is 2048 tokens. However, you requested 4000 tokens.",
        "type": "BadRequestError",
        "code": 400,
    },
    "context_size": {
        "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error",
        "code": 400,
        "n_prompt_tokens": 4000,
        "n_ctx": 2048,
    },
    "context_413": {"message": "Request too large: prompt is too long.", "type": "request_too_large", "code": None},
}

_PAGE = b"<html><body><h1>Bad gateway</h1></body></html>"


def commit(fault: Fault, door: Door, good: bytes, text: str) -> Answer:
    """Return what a fault makes of a request.

    Args:
        fault: The fault.
        door: The door the request came through.
        good: The good answer, which some faults cut or delay.
        text: The good reply's text.
    """
    name, seconds = fault.name, 1.0 if fault.seconds is None else fault.seconds
    if name in _STATUS:
        return _refuse(fault, seconds)
    match name:
        case "hang":
            return Answer(manner="hang", seconds=3600.0 if fault.seconds is None else seconds)
        case "slow_bytes" | "reset" | "cut_body" | "split_bytes" | "late":
            return Answer(good, manner=name, seconds=seconds)
        case "cut_json":
            return Answer(good[: max(1, len(good) * 2 // 3)])
        case "html":
            return Answer(_PAGE, kind="text/html")
        case "wrong_shape":
            return Answer(b"[1,2]")
        case _:
            return Answer(to_bytes(_odd(name, door, text)))


def _refuse(fault: Fault, seconds: float) -> Answer:
    headers = {}
    if fault.name == "rate_limit" or (fault.name == "error_503" and fault.seconds is not None):
        headers["Retry-After"] = f"{seconds:g}"
    elif fault.name == "rate_limit_date":
        headers["Retry-After"] = formatdate(ceil(time() + seconds), usegmt=True)
    if fault.name == "error_502":
        return Answer(_PAGE, 502, headers, kind="text/html")
    error = _ERRORS.get(fault.name, {"message": "Try again later.", "type": "server_error", "code": None})
    return Answer(to_bytes({"error": error}), _STATUS[fault.name], headers)


def _odd(name: str, door: Door, text: str) -> Json:
    half = text[: max(1, len(text) // 2)]
    replies = {
        "content_filter": Reply(None, finish="content_filter"),
        "length": Reply(half, finish="length"),
        "empty": Reply(""),
        "blank": Reply("  \n"),
        "think": Reply(f"<think>They want a short answer.</think>\n{text}"),
        "think_unclosed": Reply("<think>They want a short answer. Perhaps", finish="length"),
        "think_end_only": Reply(f"They want a short answer.</think>\n{text}"),
        "reasoning_field": Reply("", reasoning=text),
        "refusal": Reply("I'm sorry, but I can't help with that."),
        "refusal_field": Reply(None, refusal="I'm sorry, but I can't help with that."),
        "surrogate": Reply(f"{text} \ud83d"),
        "null_message": Reply(None),
        "empty_choices": Reply(None),
        "no_usage": Reply(text),
    }
    body = payload(replies[name], door)
    if name == "empty_choices":
        return {} if door == "reply" else {**body, "choices": []}
    if name == "no_usage":
        body.pop("usage", None)
    if name == "null_message" and door == "chat":
        body["choices"] = [{"index": 0, "finish_reason": "stop", "message": None}]
    return body
