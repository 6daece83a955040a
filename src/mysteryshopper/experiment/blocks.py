"""The blocks of an experiment file, beside models and data, which have rooms of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from mysteryshopper.models.block import FromEnv, ModelBlock, check_headers, check_url
from mysteryshopper.profiles.block import MadeProfiles

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)
"""Nothing is guessed: an unknown key is an error, and a number in quotes is no number."""

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:([^\W\d]\w*|<[a-z]+>)(\.([^\W\d]\w*|<[a-z]+>))*")
"""`module:function`; with `<lambda>`, `<locals>` or `<listcomp>`, one that only a Python program can hand over, in a
run of its."""
_UNFIT = re.compile(r"[|/\\\x00-\x1f\x7f-\x9f]")
_LONGEST_NAME = 80


def _form(value: Any) -> str:
    return "‹name›" if isinstance(value, str) else "‹block›"


def _path_or_block(value: Any) -> str:
    return "‹path›" if isinstance(value, str) else "‹block›"


def _function_name(value: object) -> object:
    return value if value is None or isinstance(value, str) else f"{_of(value, 'module')}:{_of(value, 'qualname')}"


def _of(value: object, what: str) -> str:
    return str(getattr(value, f"__{what}__", type(value).__name__))


ModelRef: TypeAlias = Annotated[
    Annotated[str, Tag("‹name›")] | Annotated[ModelBlock, Tag("‹block›")], Discriminator(_form)
]
"""A model: its name under `models:`, or the block itself."""

ProfilesRef: TypeAlias = Annotated[
    Annotated[str, Tag("‹path›")] | Annotated[MadeProfiles, Tag("‹block›")], Discriminator(_path_or_block)
]
"""Profiles: the path of a file, or a block that says how they are made."""

Function: TypeAlias = Annotated[
    str | Callable[..., Any],
    PlainSerializer(_function_name),
    WithJsonSchema({"type": "string", "pattern": r"^[\w.]+:[\w.]+$"}),
]
"""`module:function`, or in Python the function itself."""


def fit_name(value: str) -> str:
    """Return the name of a block if it is fit for tables and keys.

    Raises:
        ValueError: It is empty, too long, or holds a slash, a bar or a control character.
    """
    if not value.strip() or len(value) > _LONGEST_NAME or _UNFIT.search(value):
        raise ValueError(
            f"a name has 1 to {_LONGEST_NAME} characters and no slash, bar or control character; choose another"
        )
    return value


class _Block(BaseModel):
    """What users, systems and judges share."""

    model_config = STRICT

    name: str = Field(default="", description="Name in tables and reports; by default the kind.")
    kind: str = Field(description="What it is; `mysteryshopper list` shows all kinds.")
    model: ModelRef | None = Field(default=None, description="A name under `models:`, or a model written in place.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the kind.")

    @field_validator("name")
    @classmethod
    def _fit(cls, value: str) -> str:
        return value and fit_name(value)

    @model_validator(mode="before")
    @classmethod
    def _named_after_kind(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("kind"), str) and not data.get("name"):
            return {**data, "name": data["kind"]}
        return data


class UserBlock(_Block):
    """A simulated user."""

    profiles: ProfilesRef | None = Field(
        default=None, description="JSONL file of profiles, a person per line; or how many to make: {generate: 60}."
    )


class SystemBlock(_Block):
    """A system under test."""

    embedding: ModelRef | None = Field(default=None, description="An embedding model; by default the local one.")
    url: str | None = Field(default=None, description="Kind http: where turns are posted.")
    headers: dict[str, str | FromEnv] = Field(
        default_factory=dict, description="Kind http: further headers; a secret is {env: NAME}."
    )
    function: Function | None = Field(default=None, description="Kind python: module:function beside this file.")
    memory: Literal["messages", "session"] | None = Field(
        default=None, description="Where it keeps what was said: in the messages it gets, or behind its session id."
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None:
            check_url(value)
        return value

    @field_validator("headers")
    @classmethod
    def _fit_headers(cls, value: dict[str, str | FromEnv]) -> dict[str, str | FromEnv]:
        check_headers(value)
        return value

    @field_validator("function")
    @classmethod
    def _is_function(cls, value: str | Callable[..., Any] | None) -> str | Callable[..., Any] | None:
        if isinstance(value, str) and not _FUNCTION.fullmatch(value):
            raise ValueError(f"{value!r} names no function; write module:function, as in shop:reply")
        return value


class JudgeBlock(_Block):
    """A judge."""

    repeats: int = Field(
        default=1,
        ge=1,
        le=100,
        description="How often each case is judged, to see whether the judge agrees with itself; at temperature 0 one"
        " call serves all.",
    )


class Limits(BaseModel):
    """How much and how fast."""

    model_config = STRICT

    units: int | None = Field(default=None, ge=1, description="The first so many units in a seeded order; null is all.")
    turns: int | None = Field(default=None, ge=1, description="Most turns of a user; null is the protocol's own.")
    concurrency: int = Field(default=16, ge=1, le=10_000, description="Units at work at once.")
    attempt_timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False, description="Seconds for one attempt.")
    retries: int = Field(default=3, ge=0, le=100, description="Further attempts of a call that failed.")
    max_wait: float = Field(
        default=600.0, ge=0, allow_inf_nan=False, description="Most seconds to wait when an endpoint asks to."
    )
    max_cost: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Most money, in the unit of the prices; null is no limit."
    )


BLOCK_KEYS = ("user", "system", "judge")
"""Keys for a single block; with an `s` they take a list."""
