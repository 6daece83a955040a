"""JSON values, their canonical text and digest, and the way from records to JSON and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict of these. (A recursive alias costs more than it catches.)"""

JsonObject: TypeAlias = Mapping[str, Json]

T = TypeVar("T")

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)  # made once
# Its inner part, which it would make anew for every value; that costs more than most values do.
_PIECES: Callable[[Json, int], Iterable[str]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, _CANONICAL.default, json.encoder.encode_basestring_ascii, None, ":", ",", True, False, False
)


def canonical(value: Json) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, no NaN.

    Raises:
        ValueError: The value holds NaN or an infinity.
    """
    try:
        return "".join(_PIECES(value, 0))
    except RecursionError:
        return _CANONICAL.encode(value)  # says whether it holds itself or is too deep


def digest(*parts: Json) -> str:
    """Return 32 hex digits (128 bits of BLAKE2b) that stand for the values in this order."""
    return hashlib.blake2b(canonical(parts).encode(), digest_size=16).hexdigest()


def rng(*parts: Json) -> Random:
    """Return a generator whose stream depends on these values alone, the same on every machine."""
    return Random(int(digest(*parts), 16))


def encode(record: object) -> Json:
    """Return a record (a dataclass of this package) as a JSON value."""
    return _adapter(type(record)).dump_python(record, mode="json")


def encode_text(record: object) -> str:
    """Return a record as JSON text."""
    return _writer(type(record))(record).decode()


def decode(kind: type[T], value: Json) -> T:
    """Read a record of type `kind` back from the JSON value that `encode` gave.

    Raises:
        pydantic.ValidationError: The value does not have the record's shape.
    """
    return cast(T, _adapter(kind).validate_python(value))


def decode_text(kind: type[T], text: str) -> T:
    """Read a record of type `kind` back from JSON text."""
    return cast(T, _reader(kind)(text))


def _reader(kind: Any) -> Callable[[str], Any]:
    return _build_reader(kind)


@cache
def _build_reader(kind: Any) -> Callable[[str], Any]:
    return _adapter(kind).validator.validate_json  # the way through the adapter costs a fifth of the reading


def _writer(kind: Any) -> Callable[[object], bytes]:
    return _build_writer(kind)


@cache
def _build_writer(kind: Any) -> Callable[[object], bytes]:
    return _adapter(kind).serializer.to_json


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return _build_adapter(kind)


@cache
def _build_adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # here, not above: importing the package stays quick

    return TypeAdapter(kind)
