"""What an endpoint answered: bytes -> JSON -> `ChatReply`. Pure; no answer raises anything but `Unreadable`."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard

from pydantic_core import from_json

from mysteryshopper.core import ChatReply, ChatRequest, Json, ToolCall, Usage
from mysteryshopper.models.masking import Secrets
from mysteryshopper.reading.characters import clean_json
from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import open_reply

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_MOST_TOKENS = 2**53
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_FINISH = {"max_tokens": "length", "function_call": "tool_calls", "end_turn": "stop", "eos": "stop"}


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


class Unreadable(Exception):  # noqa: N818 - reads as what happened
    """The answer is no JSON, or not of the form that was asked for; the text says how."""


def read_json_body(raw: bytes, secrets: Secrets | None = None) -> tuple[Json, tuple[str, ...]]:
    """Return the JSON value of a body, and flags for what was mended in it.

    Flags: `lone_surrogate` (half a character, replaced by U+FFFD) and `bad_utf8` (bytes that are no UTF-8, replaced).
    NaN and infinities become null, which JSON can hold. Secrets are masked before anything is read.

    Raises:
        Unreadable: It is no complete JSON.
    """
    flags: tuple[str, ...] = ()
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        flags = ("bad_utf8",)
    if secrets is not None:
        text = secrets.mask(text)
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the answer is no complete JSON ({type(error).__name__} after {len(raw)} bytes)") from None
    if "\\u" in text and _SURROGATE_ESCAPE.search(text):
        mended = clean_json(value)
        if mended != value:
            value, flags = mended, (*flags, "lone_surrogate")
    return value, flags


def read_chat_body(raw: bytes, secrets: Secrets) -> tuple[Json, tuple[str, ...]]:
    """Return what `read_json_body` does, in half the time for a plain reply with nothing to be mended.

    In what is not read of a plain reply, a number too large for a float is infinite.

    Raises:
        Unreadable: It is no complete JSON.
    """
    try:
        body = from_json(secrets.mask(raw.decode()), allow_inf_nan=False)
    except ValueError:
        return read_json_body(raw, secrets)
    return (body, ()) if _is_plain(body) else read_json_body(raw, secrets)


def _is_plain(body: Any) -> bool:
    """Whether a body is a reply, and calls no tools: of its numbers only counts and probabilities are read then."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    return isinstance(message, dict) and not (message.get("tool_calls") or message.get("function_call"))


def chat_reply(body: Json, flags: tuple[str, ...] = ()) -> ChatReply:
    """Return the reply in the body of a chat or text completion.

    An answer without choices or without a message is a reply without text, finish `none`; content in parts is joined;
    a separate reasoning or refusal is kept apart. Log-probabilities are read in the chat and in the older form.

    Raises:
        Unreadable: The body is no JSON object.
    """
    if not isinstance(body, dict):
        raise Unreadable(f"the answer is a JSON {type(body).__name__}, not an object")
    usage = read_usage(body)
    model = _text(body.get("model")) or ""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return ChatReply(None, "none", usage=usage, model=model, flags=flags)
    finish = _finish(choice.get("finish_reason"))
    alternatives = choice.get("logprobs")
    logprobs = () if alternatives is None else _logprobs(alternatives)
    message = choice.get("message")
    if not isinstance(message, dict):
        text = _text(choice.get("text"))
        finish = finish or ("none" if text is None else "stop")
        return ChatReply(text, finish, logprobs=logprobs, usage=usage, model=model, flags=flags)
    content = message.get("content")
    text, reasoning, refusal = content if isinstance(content, str) else None, None, None
    if isinstance(content, list):
        text, reasoning, refusal = _parts(content)
    called = message.get("tool_calls") is not None or message.get("function_call") is not None
    calls, unread = _tool_calls(message) if called else ((), 0)
    return ChatReply(
        text=text,
        finish=finish or "stop",
        reasoning=reasoning or _first(message, _THOUGHTS),
        refusal=refusal or _text(message.get("refusal")) or None,
        tool_calls=calls,
        logprobs=logprobs,
        usage=usage,
        model=model,
        flags=(*flags, "bad_tool_arguments") if unread else flags,
    )


def quality(request: ChatRequest, reply: ChatReply) -> Literal["ok", "bad"]:
    """Return whether a reply is complete and good, so that it may be kept and given again.

    Empty, refused, filtered and cut ones are bad, and those that hold reasoning alone. A cut one is good where
    log-probabilities were asked for and came: those are what such a call is for, and it is cut on purpose.
    """
    if reply.refusal or reply.finish == "content_filter":
        return "bad"
    if request.top_logprobs is not None and reply.logprobs:
        return "ok"
    opened = open_reply(reply)
    if opened.status == "empty" and reply.tool_calls:
        return "ok"
    return "bad" if opened.status is not None or is_refusal(opened.text) else "ok"


def read_usage(body: Mapping[str, Any]) -> Usage:
    """Return the tokens that a body reports, without cost; zeros where it reports none."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(
        read if _is_count(read) else _count(usage.get("input_tokens")),
        written if _is_count(written) else _count(usage.get("output_tokens")),
    )


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < _MOST_TOKENS  # a bool is none


def _count(value: object) -> int:
    return value if _is_count(value) else 0


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _first(message: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = message.get(name)
        if value and isinstance(value, str):
            return value
    return None


def _finish(value: object) -> str:
    if not isinstance(value, str):
        return ""
    name = value.lower()
    return _FINISH.get(name, name)


def _parts(parts: list[Any]) -> tuple[str | None, str | None, str | None]:
    said: dict[str, list[str]] = {"text": [], "thinking": [], "refusal": []}
    for part in parts:
        if isinstance(part, str):
            said["text"].append(part)
        elif isinstance(part, dict):
            for name in ("refusal", "thinking", "text"):
                value = part.get(name)
                if isinstance(value, list):  # thoughts come as parts of their own
                    value = _parts(value)[0]
                if isinstance(value, str):
                    said[name].append(value)
                    break
    text, thinking, refusal = ("".join(said[name]) if said[name] else None for name in ("text", "thinking", "refusal"))
    return text, thinking, refusal


def _tool_calls(message: Mapping[str, Any]) -> tuple[tuple[ToolCall, ...], int]:
    entries = message.get("tool_calls")
    if not isinstance(entries, list):
        if not isinstance(message.get("function_call"), dict):
            return (), 0
        entries = [{"function": message["function_call"]}]
    calls: list[ToolCall] = []
    unread = 0
    for number, entry in enumerate(entries):
        function = entry.get("function") if isinstance(entry, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str):
            unread += 1
            continue
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = clean_json(_DECODER.decode(arguments or "{}"))
            except (ValueError, RecursionError):
                arguments = None
        if not isinstance(arguments, dict):
            unread += 1
            arguments = {}
        calls.append(ToolCall(_text(entry.get("id")) or f"call_{number}", name, arguments))
    return tuple(calls), unread


def _logprobs(value: object) -> tuple[dict[str, float], ...]:
    if not isinstance(value, dict):
        return ()
    if isinstance(value.get("content"), list):
        return tuple(_alternatives(token) for token in value["content"] if isinstance(token, dict))
    if isinstance(value.get("top_logprobs"), list):
        return tuple(_ordered(token.items()) for token in value["top_logprobs"] if isinstance(token, dict))
    tokens, numbers = value.get("tokens"), value.get("token_logprobs")
    if isinstance(tokens, list) and isinstance(numbers, list):
        return tuple(_ordered([pair]) for pair in zip(tokens, numbers, strict=False))
    return ()


def _alternatives(token: dict[str, Any]) -> dict[str, float]:
    top = token.get("top_logprobs")
    entries = [entry for entry in top if isinstance(entry, dict)] if isinstance(top, list) else []
    return _ordered((entry.get("token"), entry.get("logprob")) for entry in entries or [token])


def _ordered(pairs: Any) -> dict[str, float]:
    good = [
        (name, float(value))
        for name, value in pairs
        if isinstance(name, str)
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    ]
    best: dict[str, float] = {}
    for name, value in sorted(good, key=lambda pair: -pair[1]):
        best.setdefault(name, value)
    return best
