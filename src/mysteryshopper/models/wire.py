"""The OpenAI-compatible form of a request: pure functions from a `ChatRequest` and a block to a JSON body."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from mysteryshopper.core import ChatRequest, ConfigError, JsonObject, Tool, ToolCall
from mysteryshopper.models.block import ModelBlock

_STRICT = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_LIMITS = ("max_tokens", "max_completion_tokens")


def request_body(request: ChatRequest, block: ModelBlock, seed: int) -> dict[str, Any]:
    """Return the body of a request to `/chat/completions`, or to `/completions` for a block of form `completion`.

    The request's own temperature and max_tokens win over the block's; `params` win over everything, and null removes.
    The seed goes along unless the temperature is 0. A schema is sent where `reply_format` is json.

    Raises:
        ConfigError: The request is not of the block's form.
    """
    body: dict[str, Any] = {"model": block.name}
    if block.form == "completion":
        if request.completion is None:
            raise ConfigError(
                f"the model {block.name!r} has form completion, but this prompt is a chat: use form chat."
            )
        body["prompt"] = request.completion
    else:
        if not request.messages:
            raise ConfigError(
                f"the model {block.name!r} has form chat, but this prompt is raw text: use form completion."
            )
        body["messages"] = [
            {"role": role, "content": content}
            if not calls and answers is None
            else _with_tools(role, content, calls, answers)
            for role, content, calls, answers in request.messages
        ]
    temperature = block.temperature if request.temperature is None else request.temperature
    if temperature is not None:
        body["temperature"] = temperature
    max_tokens = block.max_tokens if request.max_tokens is None else request.max_tokens
    if max_tokens is not None:
        body["max_tokens"] = max_tokens
    if request.stop:
        body["stop"] = list(request.stop)
    if request.schema is not None and block.reply_format == "json":
        body["response_format"] = _response_format(request.schema)
    if request.top_logprobs is not None:
        if block.form == "completion":
            body["logprobs"] = request.top_logprobs
        else:
            body["logprobs"] = True
            body["top_logprobs"] = request.top_logprobs
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body["seed"] = seed
    for name, value in sorted(block.params.items()) if block.params else ():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    if not is_sampled(body) and "seed" not in block.params:
        body.pop("seed", None)
    return body


def is_sampled(body: Mapping[str, Any]) -> bool:
    """Whether equal requests may be answered differently; a temperature left to the endpoint counts as sampling."""
    return bool(body.get("temperature", 1) != 0)


def output_bound(body: Mapping[str, Any]) -> int | None:
    """Return the most output tokens that a body allows; None where it sets no limit."""
    return min([limit for name in _LIMITS if isinstance(limit := body.get(name), int)], default=None)


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """Return a body as it goes over the wire: JSON in UTF-8, or in ASCII where a text holds a lone surrogate.

    Raises:
        ValueError: It holds NaN or an infinity.
    """
    try:
        written = to_json(body)  # several times as quick as `json`
    except ValueError:
        return _STRICT(body).encode()
    return _STRICT(body).encode() if b"NaN" in written or b"Infinity" in written else written


def _with_tools(role: str, content: str, calls: Sequence[ToolCall], answers: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": role, "content": content}
    if calls:
        entry["content"] = content or None
        entry["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in calls
        ]
    if answers is not None:
        entry["tool_call_id"] = answers
    return entry


def _tool(tool: Tool) -> dict[str, Any]:
    parameters = tool.parameters or {"type": "object", "properties": {}}
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _response_format(schema: JsonObject) -> dict[str, Any]:
    named: dict[str, Any] = {"name": "reply", "schema": schema}
    if _is_closed(schema):  # endpoints refuse strict binding for schemas that leave anything open
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def _is_closed(schema: Any) -> bool:
    """Whether every object of a schema requires all its properties and allows no others."""
    if isinstance(schema, list):
        return all(_is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        names = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", [])) != names:
            return False
    return all(_is_closed(part) for part in schema.values())
