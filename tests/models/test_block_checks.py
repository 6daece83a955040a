"""Model blocks: what they take, what they refuse, and that a credential is refused without being repeated."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from mysteryshopper.models import FromEnv, ModelBlock, Secrets, check_headers, looks_secret
from mysteryshopper.models.pool import join, place

PLAIN: dict[str, Any] = {"name": "m", "base_url": "http://127.0.0.1:9000/v1"}


def problem(**keys: Any) -> str:
    with pytest.raises(ValidationError) as error:
        ModelBlock.model_validate({**PLAIN, **keys})
    return str(error.value)


def test_a_full_block_reads_as_the_design_shows_it() -> None:
    block = ModelBlock.model_validate(
        {
            **PLAIN,
            "provider": "openai",
            "api_key_env": "MY_KEY",
            "temperature": 0.7,
            "max_tokens": 128,
            "rpm": 60,
            "tpm": 9000,
            "concurrency": 4,
            "params": {"top_p": 0.9, "seed": None},
            "headers": {"X-Key": {"env": "SHOP_KEY"}, "X-Team": "shop"},
            "price": {"input": 1, "output": 2.5},
            "reply_format": "text",
        }
    )
    assert block.headers == {"X-Key": FromEnv(env="SHOP_KEY"), "X-Team": "shop"}
    assert block.variables() == ("MY_KEY", "SHOP_KEY")


@pytest.mark.parametrize(
    "keys",
    [
        {"headers": {"Authorization": "Bearer abcdefgh12345678"}},
        {"headers": {"X-Api-Key": "abcdefgh12345678"}},
        {"headers": {"api-key": "abcdefgh12345678"}},
        {"headers": {"X-Anything": "sk-abcdefgh12345678"}},
        {"headers": {"Cookie": "session=abcdefgh12345678"}},
        {"params": {"api_key": "abcdefgh12345678"}},
        {"params": {"extra": {"deep": [{"x": "gsk_abcdefgh12345678"}]}}},
        {"api_key_env": "sk-abcdefgh12345678"},
        {"api_key_env": "abcdefgh 12345678"},
        {"base_url": "https://user:abcdefgh12345678@host/v1"},
        {"base_url": "https://host/v1?key=abcdefgh12345678"},
        {"headers": {"X-Key": {"env": "sk-abcdefgh12345678"}}},
    ],
)
def test_literal_credentials_are_refused_and_not_repeated(keys: dict[str, Any]) -> None:
    said = problem(**keys)
    assert "12345678" not in said
    assert "env" in said


@pytest.mark.parametrize(
    "keys",
    [
        {"headers": {"X-Team": "shop", "User-Agent": "tests", "Accept": "application/json"}},
        {
            "params": {
                "prompt_cache_key": "dialogues",
                "stop_token_ids": [1],
                "max_completion_tokens": 5,
                "user": "tests",
            }
        },
        {"base_url": "${HOST}/v1"},
        {"base_url": "https://host/v1?api-version=2024-06-01"},
    ],
)
def test_what_only_sounds_like_one_is_taken(keys: dict[str, Any]) -> None:
    ModelBlock.model_validate({**PLAIN, **keys})


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        ({"temprature": 1}, "temprature"),
        ({"temperature": -1}, "greater than or equal to 0"),
        ({"temperature": float("nan")}, "finite"),
        ({"max_tokens": 0}, "greater than or equal to 1"),
        ({"max_tokens": "128"}, "integer"),
        ({"name": 7}, "string"),
        ({"name": ""}, "needs `name`"),
        ({"base_url": None}, "needs `base_url`"),
        ({"base_url": "127.0.0.1:9000"}, "starts with http"),
        ({"base_url": "http://"}, "no host"),
        ({"provider": "replay"}, "needs `path`"),
        ({"price": {"input": 1}}, "output"),
        ({"headers": {"Bad Name": "x"}}, "name of a header"),
        ({"headers": {"X-A": "a\nb"}}, "line break"),
        ({"reply_format": "yaml"}, "json"),
    ],
)
def test_mistakes_are_named(keys: dict[str, Any], part: str) -> None:
    assert part in problem(**keys)


def test_headers_of_other_blocks_are_checked_alike() -> None:
    check_headers({"X-Key": FromEnv(env="SHOP_KEY")})
    with pytest.raises(ValueError, match="credential"):
        check_headers({"Authorization": "abc"})
    assert not looks_secret("X-Key", "")
    assert not looks_secret("X-Key", 5)


def test_urls_and_gates() -> None:
    assert join("http://h/v1/", "chat/completions") == "http://h/v1/chat/completions"
    assert join("http://h/v1/chat/completions", "chat/completions") == "http://h/v1/chat/completions"
    assert join("https://h/x?api-version=1", "embeddings") == "https://h/x/embeddings?api-version=1"
    assert place("https://h/v1") == place("https://h:443/v2") != place("http://h/v1")


def test_secrets_of_twelve_characters_and_more_are_masked_in_every_form() -> None:
    environ = {"LONG": 'abc"def\\ghi-é', "SHORT": "abcdefghijk", "LONGER": 'xx abc"def\\ghi-é yy', "EMPTY": " "}
    secrets = Secrets(environ)
    text = r'plain abc"def\ghi-é, in JSON abc\"def\\ghi-é or abc\"def\\ghi-\u00e9; abcdefghijk'
    assert secrets.mask(text) == text  # nobody asked for it yet
    secrets.watch(environ)
    assert secrets.mask(text) == "plain ***, in JSON *** or ***; abcdefghijk"
    assert secrets.mask('<xx abc"def\\ghi-é yy>') == "<***>"
