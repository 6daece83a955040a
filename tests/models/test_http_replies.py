"""Reading what endpoints answer: nothing they send may raise anything but `Unreadable`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import Address, Call, ChatReply, ChatRequest, ToolCall, Usage, encode_text
from mysteryshopper.models import chat_reply, quality, read_json_body
from mysteryshopper.models.replies import Unreadable
from mysteryshopper.models.stored import reply_json, reply_of


def answer(message: object, finish: object = "stop", **more: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}


def test_plain_answer_with_usage() -> None:
    reply = chat_reply(answer({"content": "Hi."}, model="m1", usage={"prompt_tokens": 3, "completion_tokens": 2}))
    assert reply == ChatReply("Hi.", usage=Usage(3, 2), model="m1")


@pytest.mark.parametrize(
    ("body", "finish"),
    [
        ({"choices": []}, "none"),
        ({"choices": None}, "none"),
        ({}, "none"),
        ({"choices": [None]}, "none"),
        (answer(None), "stop"),
        (answer({"content": None}, "content_filter"), "content_filter"),
        (answer({}), "stop"),
        (answer({"content": 5}, None), "stop"),
    ],
)
def test_answers_without_text_are_replies_without_text(body: dict[str, object], finish: str) -> None:
    reply = chat_reply(body)
    assert (reply.text, reply.finish) == (None, finish)
    assert quality(ChatRequest(), reply) == "bad"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_field_is_kept_apart(field: str) -> None:
    reply = chat_reply(answer({"content": "", field: '{"accept": true}'}))
    assert (reply.text, reply.reasoning) == ("", '{"accept": true}')
    assert quality(ChatRequest(), reply) == "bad"


def test_content_in_parts_is_joined_and_thoughts_are_kept_apart() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm. "}, {"type": "text", "text": "Yes."}]},
        {"type": "text", "text": "Lantern "},
        "Road",
        {"type": "image", "url": "x"},
        7,
    ]
    reply = chat_reply(answer({"content": parts}))
    assert (reply.text, reply.reasoning) == ("Lantern Road", "Hm. Yes.")
    assert chat_reply(answer({"content": [{"type": "refusal", "refusal": "No."}]})).refusal == "No."


def test_completion_form_and_its_log_probabilities() -> None:
    logprobs = {
        "tokens": [" yes"],
        "token_logprobs": [-0.1],
        "top_logprobs": [{" no": -2.5, " yes": -0.1, "bad": None, "worse": float("-inf")}],
    }
    reply = chat_reply({"choices": [{"text": " yes", "finish_reason": "length", "logprobs": logprobs}]})
    assert reply.text == " yes"
    assert [list(token.items()) for token in reply.logprobs] == [[(" yes", -0.1), (" no", -2.5)]]
    only = chat_reply({"choices": [{"text": "a", "logprobs": {"tokens": ["a"], "token_logprobs": [-0.5]}}]})
    assert only.logprobs == ({"a": -0.5},)


def test_log_probabilities_of_chats_best_first() -> None:
    top = [{"token": "B", "logprob": -1.2}, {"token": "A", "logprob": -0.4}, {"token": "A", "logprob": -3.0}]
    content = [{"token": "A", "logprob": -0.4, "top_logprobs": top}, {"token": ".", "logprob": -0.2}]
    body = answer({"content": "A."}, "length")
    body["choices"][0]["logprobs"] = {"content": content}  # type: ignore[index]
    reply = chat_reply(body)
    assert [list(token.items()) for token in reply.logprobs] == [[("A", -0.4), ("B", -1.2)], [(".", -0.2)]]
    assert quality(ChatRequest(top_logprobs=2), reply) == "ok"  # cut on purpose: the probabilities are the answer
    assert quality(ChatRequest(), reply) == "bad"


def test_tool_calls_good_and_broken() -> None:
    entries = [
        {"id": "c1", "function": {"name": "find", "arguments": '{"title": "It", "n": NaN}'}},
        {"function": {"name": "find", "arguments": {"a": 1}}},
        {"id": "c3", "function": {"name": "find", "arguments": '{"title": '}},
        {"id": "c4", "function": None},
        "nonsense",
    ]
    reply = chat_reply(answer({"content": None, "tool_calls": entries}, "tool_calls"))
    assert reply.tool_calls == (
        ToolCall("c1", "find", {"title": "It", "n": None}),
        ToolCall("call_1", "find", {"a": 1}),
        ToolCall("c3", "find", {}),
    )
    assert reply.flags == ("bad_tool_arguments",)
    assert quality(ChatRequest(), reply) == "ok"
    old = chat_reply(answer({"content": None, "function_call": {"name": "f", "arguments": ""}}, "function_call"))
    assert (old.tool_calls, old.finish) == ((ToolCall("call_0", "f", {}),), "tool_calls")


@pytest.mark.parametrize(
    "usage", [None, [], {}, {"prompt_tokens": None}, {"prompt_tokens": True, "completion_tokens": -4}]
)
def test_missing_or_absurd_usage_counts_nothing(usage: object) -> None:
    assert chat_reply(answer({"content": "x"}, usage=usage)).usage == Usage(0, 0)


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ("Fine, I'll take it.", "stop", "ok"),
        ("No, not that one.", "stop", "ok"),
        ("", "stop", "bad"),
        (" \n\t", "stop", "bad"),
        ('{"accept": tru', "length", "bad"),
        ("half of it", "content_filter", "bad"),
        ("I'm sorry, but I can't pretend to be a person.", "stop", "bad"),
        ("<think>so long, and", "stop", "bad"),
        ("<think>well</think>", "stop", "bad"),
        ("<think>well</think>Yes.", "stop", "ok"),
    ],
)
def test_only_complete_and_good_replies_are_kept(text: str, finish: str, status: str) -> None:
    assert quality(ChatRequest(), ChatReply(text, finish)) == status


def test_lone_surrogates_are_replaced_and_flagged() -> None:
    raw = rb'{"choices":[{"message":{"content":"a \ud83d b \ud83d\ude00"},"finish_reason":"stop"}],"\udc00":1}'
    body, flags = read_json_body(raw)
    reply = chat_reply(body, flags)
    assert reply.text == "a \ufffd b 😀"
    assert reply.flags == ("lone_surrogate",)
    encode_text(reply).encode()  # can be written
    whole, none = read_json_body(rb'{"a": "\ud83d\ude00"}')
    assert (whole, none) == ({"a": "😀"}, ())


def test_odd_bytes() -> None:
    assert read_json_body(b"\xef\xbb\xbf{}") == ({}, ())
    assert read_json_body(b'{"a": "\xe9"}') == ({"a": "\ufffd"}, ("bad_utf8",))
    assert read_json_body(b'{"a": [NaN, Infinity, -1e999, 1.5]}') == ({"a": [None, None, None, 1.5]}, ())


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a": "b', b"<html>", b'{"a": 1} x', b"[" * 100_000, b"9" * 5000])
def test_what_is_no_complete_json_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        read_json_body(raw)


@pytest.mark.parametrize("body", [[], "text", 3, None])
def test_what_is_no_object_is_unreadable(body: object) -> None:
    with pytest.raises(Unreadable):
        chat_reply(body)


_NAMES = [
    "choices",
    "message",
    "content",
    "text",
    "refusal",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "logprobs",
    "top_logprobs",
    "tokens",
    "token_logprobs",
    "token",
    "logprob",
    "usage",
    "finish_reason",
    "prompt_tokens",
    "model",
    "id",
    "thinking",
    "reasoning",
]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(_NAMES),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(st.sampled_from(["choices", "usage", "model", "error"]), _JSON))
def test_no_object_ever_breaks_the_reader_or_the_record(body: dict[str, object]) -> None:
    reply = chat_reply(body)
    stored = json.loads(json.dumps(reply_json(reply), sort_keys=True, allow_nan=False))
    call = Call("id", "key", Address(), "m", "ok", stored, usage=reply.usage)
    back = reply_of(call, cached=False)
    assert (back.text, back.finish, back.tool_calls, back.logprobs) == (
        reply.text,
        reply.finish,
        reply.tool_calls,
        reply.logprobs,
    )
    assert quality(ChatRequest(), reply) in ("ok", "bad")


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_ever_break_the_reader(raw: bytes) -> None:
    try:
        value, _ = read_json_body(raw)
    except Unreadable:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def test_stored_replies_keep_the_order_of_probabilities() -> None:
    reply = ChatReply("b", "stop", logprobs=({"b": -0.1, "a": -2.0},), refusal="r", reasoning="t", flags=("f",))
    stored = json.loads(json.dumps(reply_json(reply), sort_keys=True))
    back = reply_of(Call("id", "key", Address(), "m", "ok", stored, usage=Usage(1, 2, 3.0)), cached=True)
    assert list(back.logprobs[0]) == ["b", "a"]
    assert (back.refusal, back.reasoning, back.flags, back.cached, back.call) == ("r", "t", ("f",), True, "id")
    assert back.usage == Usage(1, 2, 3.0)


@pytest.mark.parametrize("reply", [None, [], {}, {"text": "x"}, {"text": "x", "finish": "stop", "tool_calls": [1]}])
def test_a_record_that_is_no_reply_is_an_error_in_words(reply: object) -> None:
    with pytest.raises(ValueError, match="does not hold a reply"):
        reply_of(Call("id", "key", Address(), "m", "ok", reply), cached=True)
