"""Bodies of requests, as an OpenAI-compatible endpoint gets them."""

from __future__ import annotations

import json

import pytest

from mysteryshopper.core import ChatMessage, ChatRequest, ConfigError, Tool, ToolCall
from mysteryshopper.models import ModelBlock, request_body
from mysteryshopper.models.wire import body_bytes, is_sampled, output_bound

HELLO = (ChatMessage("user", "hello"),)


def block(**keys: object) -> ModelBlock:
    return ModelBlock.model_validate({"name": "m", "base_url": "http://127.0.0.1:1/v1", **keys})


def test_request_wins_over_block_and_params_win_over_both() -> None:
    given = block(temperature=0.7, max_tokens=128, params={"top_p": 0.9})
    assert request_body(ChatRequest(HELLO), given, 5) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.7,
        "max_tokens": 128,
        "seed": 5,
        "top_p": 0.9,
    }
    asked = request_body(ChatRequest(HELLO, temperature=0.1, max_tokens=9), given, 5)
    assert (asked["temperature"], asked["max_tokens"]) == (0.1, 9)
    forced = request_body(ChatRequest(HELLO, temperature=0.1), block(params={"temperature": 0.5}), 5)
    assert forced["temperature"] == 0.5


def test_null_removes_a_default_and_other_names_are_sent_as_they_are() -> None:
    params = {
        "max_tokens": None,
        "max_completion_tokens": 50,
        "temperature": None,
        "seed": None,
        "reasoning": {"a": None},
    }
    body = request_body(ChatRequest(HELLO), block(temperature=0.0, max_tokens=9, params=params), 5)
    assert set(body) == {"model", "messages", "max_completion_tokens", "reasoning"}
    assert body["reasoning"] == {"a": None}
    assert is_sampled(body)  # the temperature is the endpoint's own, so equal requests may differ
    assert output_bound(body) == 50


@pytest.mark.parametrize(("temperature", "seeded"), [(0, False), (0.0, False), (0.2, True), (None, True)])
def test_seed_goes_along_unless_the_temperature_is_zero(temperature: float | None, seeded: bool) -> None:
    body = request_body(ChatRequest(HELLO, temperature=temperature), block(), 77)
    assert ("seed" in body) is seeded


def test_schema_is_sent_as_json_and_strict_only_if_it_is_closed() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    sent = request_body(ChatRequest(HELLO, schema=closed), block(), 1)["response_format"]
    assert sent == {"type": "json_schema", "json_schema": {"name": "reply", "schema": closed, "strict": True}}
    outer = {**closed, "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}
    assert "strict" not in request_body(ChatRequest(HELLO, schema=outer), block(), 1)["response_format"]["json_schema"]
    assert "response_format" not in request_body(ChatRequest(HELLO, schema=closed), block(reply_format="text"), 1)


def test_schema_keeps_the_order_of_its_properties() -> None:
    schema = {"type": "object", "properties": {"why": {"type": "string"}, "answer": {"type": "string"}}}
    text = body_bytes(request_body(ChatRequest(HELLO, schema=schema), block(), 1)).decode()
    assert text.index('"why"') < text.index('"answer"')


def test_tools_and_their_calls() -> None:
    call = ToolCall("c1", "find", {"title": "Lantern Road"})
    messages = (*HELLO, ChatMessage("assistant", "", (call,)), ChatMessage("tool", "found", tool_call_id="c1"))
    body = request_body(ChatRequest(messages, tools=(Tool("find", "Finds films."),), stop=("\n",)), block(), 1)
    assistant, result = body["messages"][1:]
    assert assistant["content"] is None
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"title": "Lantern Road"}
    assert result == {"role": "tool", "content": "found", "tool_call_id": "c1"}
    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert body["stop"] == ["\n"]


def test_logprobs_in_both_forms() -> None:
    chat = request_body(ChatRequest(HELLO, top_logprobs=5), block(), 1)
    assert (chat["logprobs"], chat["top_logprobs"]) == (True, 5)
    raw = request_body(ChatRequest(completion="Once", top_logprobs=5), block(form="completion"), 1)
    assert raw["logprobs"] == 5
    assert raw["prompt"] == "Once"
    assert "messages" not in raw


def test_a_prompt_of_the_wrong_form_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="form chat"):
        request_body(ChatRequest(completion="Once"), block(), 1)
    with pytest.raises(ConfigError, match="form completion"):
        request_body(ChatRequest(HELLO), block(form="completion"), 1)


@pytest.mark.parametrize("end", ["", "\ud83d"])
def test_any_text_goes_over_the_wire_unharmed(end: str) -> None:
    text = "likes {genre} and {{x}} and %s $HOME NaN Infinity 👩‍👩‍👧 千と千尋 مرحبا" + end
    raw = body_bytes(request_body(ChatRequest((ChatMessage("user", text),)), block(), 1))
    assert json.loads(raw.decode())["messages"][0]["content"] == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_does_not_know_is_never_sent(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        body_bytes(request_body(ChatRequest(HELLO), block(params={"top_p": number}), 1))
