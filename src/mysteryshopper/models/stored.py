"""Replies as JSON and back, by hand: this runs on every call, where a validator would cost too much."""

from __future__ import annotations

from typing import Any

from mysteryshopper.core import Call, ChatReply, ToolCall


def reply_json(reply: ChatReply) -> dict[str, Any]:
    """Return a reply as JSON; what is empty is left out, and so are tokens and cost, which the call holds."""
    value: dict[str, Any] = {"text": reply.text, "finish": reply.finish}
    if reply.reasoning is not None:
        value["reasoning"] = reply.reasoning
    if reply.refusal is not None:
        value["refusal"] = reply.refusal
    if reply.tool_calls:
        value["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in reply.tool_calls
        ]
    if reply.logprobs:
        value["logprobs"] = [dict(token) for token in reply.logprobs]
    if reply.model:
        value["model"] = reply.model
    if reply.flags:
        value["flags"] = list(reply.flags)
    return value


def reply_of(call: Call, *, cached: bool) -> ChatReply:
    """Return the reply that a call recorded.

    Raises:
        ValueError: The record does not hold a reply.
    """
    value = call.reply
    try:
        return ChatReply(
            text=value["text"],
            finish=value["finish"],
            reasoning=value.get("reasoning"),
            refusal=value.get("refusal"),
            tool_calls=tuple(
                ToolCall(entry["id"], entry["name"], entry["arguments"]) for entry in value.get("tool_calls", ())
            ),
            # stored JSON is sorted by name, so the order by probability is made again
            logprobs=tuple(
                dict(sorted(token.items(), key=lambda pair: -pair[1])) for token in value.get("logprobs", ())
            ),
            usage=call.usage,
            model=value.get("model", ""),
            call=call.id,
            cached=cached,
            flags=tuple(value.get("flags", ())),
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"call {call.id} does not hold a reply") from error
