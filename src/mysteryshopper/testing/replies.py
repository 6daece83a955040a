"""What the fake server answers: replies, and how each of its doors words them as JSON."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mysteryshopper.core import Json, JsonObject
from mysteryshopper.testing.vectors import hash_vector

Door = Literal["chat", "completions", "embeddings", "reply"]

DOORS: Mapping[str, Door] = {
    "/v1/chat/completions": "chat",
    "/v1/completions": "completions",
    "/v1/embeddings": "embeddings",
    "/reply": "reply",
}
"""The paths that are answered, and what is behind each."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A good answer, worded for whichever door the request came through.

    Attributes:
        text: What is said; None sends a JSON null.
        finish: Finish reason of the chat and completion doors.
        reasoning: Sent as `reasoning_content`, if given.
        refusal: Sent as `refusal`, if given.
        tool_calls: `(id, name, arguments)` of tools called; the arguments go out as JSON text.
        logprobs: For each token its alternatives with log-probabilities, best first.
        input_tokens: Sent in `usage`.
        output_tokens: Sent in `usage`; None counts the words of the text.
        items: Items of the `/reply` door, ranked.
        choice: Id of the option chosen, `/reply` door only.
        extra: Further keys of the JSON object.
    """

    text: str | None
    finish: str = "stop"
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: tuple[tuple[str, str, JsonObject], ...] = ()
    logprobs: Sequence[Mapping[str, float]] = ()
    input_tokens: int = 10
    output_tokens: int | None = None
    items: Sequence[JsonObject] = ()
    choice: str | None = None
    extra: JsonObject = field(default_factory=dict)


def payload(reply: Reply, door: Door, model: str = "fake") -> dict[str, Json]:
    """Return the JSON object that carries a reply through a door.

    Args:
        reply: What to say.
        door: `chat`, `completions` or `reply` (embeddings have no reply: see `embeddings`).
        model: Model name to report.
    """
    if door == "reply":
        body: dict[str, Json] = {"content": reply.text, **reply.extra}
        if reply.items:
            body["items"] = list(reply.items)
        if reply.choice is not None:
            body["choice"] = reply.choice
        return body
    output = len((reply.text or "").split()) if reply.output_tokens is None else reply.output_tokens
    choice: dict[str, Json] = {"index": 0, "finish_reason": reply.finish}
    if door == "completions":
        choice["text"] = reply.text
        if reply.logprobs:
            choice["logprobs"] = {
                "tokens": [_best(token) for token in reply.logprobs],
                "token_logprobs": [max(token.values()) for token in reply.logprobs],
                "top_logprobs": [dict(token) for token in reply.logprobs],
            }
    else:
        choice["message"] = _message(reply)
        if reply.logprobs:
            choice["logprobs"] = {"content": [_token(token) for token in reply.logprobs]}
    return {
        "id": "fake-0",
        "object": "text_completion" if door == "completions" else "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": output,
            "total_tokens": reply.input_tokens + output,
        },
        **reply.extra,
    }


def embeddings(body: JsonObject, dimension: int, model: str = "fake") -> dict[str, Json]:
    """Return the answer of the embeddings door: hash vectors, as floats or base64, in the order asked."""
    given = body.get("input", ())
    texts = [given] if isinstance(given, str) else [str(text) for text in given]
    rows: list[Json] = []
    for index, text in enumerate(texts):
        vector: Json = hash_vector(text, dimension)
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack(f"<{dimension}f", *vector)).decode()
        rows.append({"object": "embedding", "index": index, "embedding": vector})
    words = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": model,
        "data": rows,
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def to_bytes(body: Json) -> bytes:
    """Return JSON as bytes; lone surrogates go out as escapes, as careless servers send them."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=True).encode()


def _message(reply: Reply) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant", "content": reply.text}
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    if reply.tool_calls:
        message["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for call, name, arguments in reply.tool_calls
        ]
    return message


def _token(token: Mapping[str, float]) -> dict[str, Json]:
    best = _best(token)
    alternatives = [{"token": text, "logprob": value, "bytes": None} for text, value in token.items()]
    return {"token": best, "logprob": token[best], "bytes": None, "top_logprobs": alternatives}


def _best(token: Mapping[str, float]) -> str:
    return max(token, key=lambda text: token[text])
