"""A model block of the experiment file."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mysteryshopper.models.masking import is_variable, looks_secret, secret_param

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class FromEnv(BaseModel):
    """A header's value that is kept in an environment variable."""

    model_config = _STRICT

    env: str = Field(description="Name of the environment variable that holds the value.")

    @field_validator("env")
    @classmethod
    def _is_name(cls, value: str) -> str:
        return _variable(value)


class Price(BaseModel):
    """What a model costs."""

    model_config = _STRICT

    input: float = Field(ge=0, allow_inf_nan=False, description="Price of a million input tokens.")
    output: float = Field(ge=0, allow_inf_nan=False, description="Price of a million output tokens.")


class ModelBlock(BaseModel):
    """One model: what it is, where it is, how it is asked and what it costs.

    What the replies depend on (provider, name, form, temperature, max_tokens, params, reply_format) is part of every
    cache key; where and how fast it is asked is not.
    """

    model_config = _STRICT

    provider: str = Field(
        default="openai", description="Kind of model: openai, local, scripted, replay or a plug-in's."
    )
    name: str = Field(default="", description="Name of the model as its endpoint knows it.")
    base_url: str | None = Field(default=None, description="Root of an OpenAI-compatible endpoint, as http://host/v1.")
    api_key_env: str | None = Field(default=None, description="Environment variable that holds the endpoint's key.")
    path: str | None = Field(default=None, description="File of a local model; folder of the run to replay.")
    form: Literal["chat", "completion"] | None = Field(
        default=None, description="Whether it takes chat messages or raw text to go on from; by default the provider's."
    )
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False, description="Sampling temperature.")
    max_tokens: int | None = Field(default=None, ge=1, description="Most new tokens of a reply.")
    rpm: int | None = Field(default=None, ge=1, description="Most requests a minute.")
    tpm: int | None = Field(default=None, ge=1, description="Most tokens a minute.")
    concurrency: int | None = Field(
        default=None, ge=1, description="Most requests at once; default limits.concurrency."
    )
    attempt_timeout: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Seconds for one attempt; default limits.attempt_timeout."
    )
    params: dict[str, Any] = Field(
        default_factory=dict, description="Further parameters, sent as they are; null removes a default."
    )
    headers: dict[str, str | FromEnv] = Field(
        default_factory=dict, description="Further headers; a secret is {env: NAME}."
    )
    price: Price | None = Field(default=None, description="Price of a million tokens; unknown if absent.")
    reply_format: Literal["json", "text"] = Field(
        default="json", description="json binds replies to their schema; text only asks for it in words."
    )

    @field_validator("api_key_env")
    @classmethod
    def _names_variable(cls, value: str | None) -> str | None:
        return value if value is None else _variable(value)

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None:
            check_url(value)
        return value

    @field_validator("headers")
    @classmethod
    def _no_literal_header(cls, value: dict[str, str | FromEnv]) -> dict[str, str | FromEnv]:
        check_headers(value)
        return value

    @field_validator("params")
    @classmethod
    def _no_literal_param(cls, value: dict[str, Any]) -> dict[str, Any]:
        if (name := secret_param(value)) is not None:
            raise ValueError(
                f"{name!r} looks like a credential; put its value in an environment variable and name that in "
                "`api_key_env`, or in `headers` as {env: NAME}"
            )
        return value

    @model_validator(mode="after")
    def _complete(self) -> ModelBlock:
        if self.provider == "openai" and self.base_url is None:
            raise ValueError("provider openai needs `base_url`, as in http://127.0.0.1:9000/v1")
        if self.provider == "replay" and self.path is None:
            raise ValueError("provider replay needs `path`, the folder of the run to replay")
        if self.provider in ("openai", "replay") and not self.name:
            raise ValueError(f"provider {self.provider} needs `name`, the model's name as its endpoint knows it")
        return self

    def variables(self) -> tuple[str, ...]:
        """Return the names of the environment variables that hold this block's secrets."""
        names = [] if self.api_key_env is None else [self.api_key_env]
        names += [value.env for value in self.headers.values() if isinstance(value, FromEnv)]
        return tuple(dict.fromkeys(names))


def check_url(value: str) -> None:
    """Refuse a URL that is none, or that holds a credential.

    Raises:
        ValueError: With a sentence that does not repeat the credential.
    """
    if value.startswith("${"):
        return  # known once the variable is read
    if not value.startswith(("http://", "https://")):
        raise ValueError("a URL starts with http:// or https://")
    parts = urlsplit(value)
    if not parts.hostname:
        raise ValueError("the URL names no host")
    if parts.username or parts.password:
        raise ValueError("a URL must not hold a user name or password; use `headers` with {env: NAME}")
    for name, given in parse_qsl(parts.query):
        if not given.startswith("${") and looks_secret(name, given):
            raise ValueError(f"the URL's {name!r} looks like a credential; use `headers` with {{env: NAME}}")


def check_headers(headers: dict[str, str | FromEnv]) -> None:
    """Refuse headers that hold a credential, or what can't be sent.

    Raises:
        ValueError: With a sentence that does not repeat the credential.
    """
    for name, value in headers.items():
        if isinstance(value, str) and looks_secret(name, value):
            raise ValueError(
                f"{name!r} looks like a credential; put its value in an environment variable and write {{env: NAME}}"
            )
        if not name or any(ord(sign) < 33 or ord(sign) > 126 or sign == ":" for sign in name):
            raise ValueError(f"{name!r} can't be the name of a header")
        if isinstance(value, str) and any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
            raise ValueError(f"the value of {name!r} holds a line break or control character")


def _variable(value: str) -> str:
    if not is_variable(value):
        raise ValueError("write the name of an environment variable, such as MY_KEY, not its value")
    return value
