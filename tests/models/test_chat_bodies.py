"""The quick reader of a chat's body reads what the careful one does."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mysteryshopper.models import read_json_body
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.replies import Unreadable, chat_reply, read_chat_body

NO_SECRETS = Secrets({})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def read(reader, raw):
    try:
        return reader(raw, NO_SECRETS)
    except Unreadable as error:
        return str(error)


@given(value=VALUES, ascii_only=st.booleans())
def test_values(value, ascii_only):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert read(read_chat_body, raw) == read(read_json_body, raw)


@given(raw=st.binary(max_size=12) | st.text('{}[]":,.0123456789eE+-ntfalsru \\\n\t', max_size=12).map(str.encode))
@example(b"\xef\xbb\xbf{}")
@example(b'["\\ud83d"]')
@example(b'["\\ud83d\\ude00"]')
@example(b'["\xff"]')
@example(b"[NaN, -Infinity]")
@example(b'{"a": 1, "a": 2}')
@example(b"9" * 5000)
@example(b"[" * 300 + b"]" * 300)
@example(b"[" * 100_000)
def test_bytes(raw):
    assert read(read_chat_body, raw) == read(read_json_body, raw)


@given(value=VALUES, called=st.sampled_from(["tool_calls", "function_call", ""]))
def test_what_is_read_of_replies(value, called):
    call = {"name": "find", "arguments": value}
    message = {"content": "Hello.", called: [{"function": call}] if called == "tool_calls" else call}
    body = {"choices": [{"message": message, "logprobs": value}], "usage": value}
    raw = json.dumps(body).replace("0.5", "1e999").encode()
    assert chat_reply(*read_chat_body(raw, NO_SECRETS)) == chat_reply(*read_json_body(raw, NO_SECRETS))


@pytest.mark.parametrize(
    "body",
    [
        '{"choices": [{"message": {"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1e999}}}]}}]}',
        '{"choices": [{"message": {"function_call": {"name": "f", "arguments": {"x": [1e999]}}}}]}',
        '{"error": 1e999}',
        '{"error": {"code": 1e999, "message": "full"}}',
        '{"choices": [], "error": {"limit": 1e999}}',
        "[1e999]",
    ],
)
def test_infinity_is_kept_nowhere(body):
    assert read_chat_body(body.encode(), NO_SECRETS) == read_json_body(body.encode(), NO_SECRETS)


@pytest.mark.parametrize("number", ["1e999", "9" * 400 + ".0"])
def test_a_number_too_large_for_a_float_gets_nowhere(number):
    large = 777
    logprobs = [{"token": "b", "logprob": -1}, {"token": "c", "logprob": -large}]
    token = {"token": "a", "logprob": -large, "top_logprobs": logprobs}
    choice = {"message": {"content": "Hello."}, "logprobs": {"content": [token]}}
    usage = {"prompt_tokens": large, "completion_tokens": 3}
    body = json.dumps({"choices": [choice], "usage": usage}).replace(str(large), number).encode()
    quick, careful = (chat_reply(*reader(body, NO_SECRETS)) for reader in (read_chat_body, read_json_body))
    assert quick == careful
    assert quick.logprobs == ({"b": -1.0},)
    assert (quick.usage.input_tokens, quick.usage.output_tokens) == (0, 3)


def test_secrets_are_masked_first():
    secrets = Secrets({"KEY": "a-long-secret-value"})
    secrets.watch(["KEY"])
    assert read_chat_body(b'["a-long-secret-value"]', secrets) == (["***"], ())
