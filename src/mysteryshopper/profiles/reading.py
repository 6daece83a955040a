"""Profiles from a file: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from mysteryshopper.core import DataError, Json, Profile, note_read, unknown
from mysteryshopper.reading.characters import clean_json

_KEYS = tuple(field.name for field in fields(Profile))
_STYLE = ("carelessness", "conciseness", "formality", "sentiment")
_TEXTS = ("persona", "wish", "language")
_LISTS = ("likes", "dislikes", "seen", "hidden")
_CONSTRAINTS = ("attributes", "prefers")


def read_profiles(path: Path | str) -> list[Profile]:
    r"""Read a profiles file: UTF-8, one JSON object a line, of which only `id` is required.

    A byte order mark, Windows line ends and empty lines are taken as they come. Lines end at `\n` alone.

    Args:
        path: The file.

    Returns:
        The profiles, in the order of the file.

    Raises:
        DataError: The file can't be read, a line is no JSON object, a key is unknown or holds something else than it
            should, or an id is used twice. The message names file, line and key.
    """
    path = Path(path)
    note_read(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"the profiles can't be read: {error.strerror or error}", path=path) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"byte 0x{raw[error.start]:02X} is no UTF-8; save the file in that encoding", path=path, line=line
        ) from error
    profiles: list[Profile] = []
    places: dict[str, int] = {}
    for number, line_text in enumerate(text.split("\n"), 1):
        if not line_text.strip():
            continue
        try:
            profile = _profile(_parsed(line_text))
        except _WrongLine as error:
            raise DataError(str(error), path=path, line=number) from None
        if profile.id in places:
            raise DataError(
                f"id: {profile.id!r} was used in line {places[profile.id]} already; give every profile its own",
                path=path,
                line=number,
            )
        places[profile.id] = number
        profiles.append(profile)
    return profiles


class _WrongLine(Exception):  # noqa: N818 - never leaves this module
    """What is wrong with a line."""


def _parsed(line: str) -> Mapping[str, Json]:
    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise _WrongLine(f"{twice}: the key stands there twice; keep one")
        return dict(pairs)

    def refuse(name: str) -> None:
        raise _WrongLine(f"{name} is no JSON; use null or leave the key out")

    try:
        value = json.loads(line, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise _WrongLine(f"no valid JSON: {error.msg} at character {error.pos + 1}; expected one object") from None
    except RecursionError:
        raise _WrongLine("the JSON is nested too deeply; expected one object") from None
    if not isinstance(value, dict):
        raise _WrongLine(f'expected a JSON object like {{"id": "anna"}}, got {_kind(value)}')
    cleaned: Mapping[str, Json] = clean_json(value)  # half a character could be written nowhere
    return cleaned


def _profile(value: Mapping[str, Json]) -> Profile:
    for key in value:
        if key not in _KEYS:
            raise _WrongLine(unknown("key", key, _KEYS))
    if "id" not in value:
        raise _WrongLine('id: the profile has none; add "id" with a text that no other profile has')
    given: dict[str, Any] = {"id": _text("id", value["id"])}
    if not given["id"].strip():
        raise _WrongLine("id: it is empty; give a text that no other profile has")
    for key in _TEXTS:
        if value.get(key) is not None:
            given[key] = _text(key, value[key])
    for key in _LISTS:
        if value.get(key) is not None:
            given[key] = _texts(key, value[key])
    for key in _CONSTRAINTS:
        if value.get(key) is not None:
            wished = _object(key, value[key])
            given[key] = {name: _texts(f"{key}.{name}", values) for name, values in wished.items()}
    _check_hidden(given)
    if value.get("style") is not None:
        given["style"] = _style(_object("style", value["style"]))
    if value.get("patience") is not None:
        given["patience"] = _patience(value["patience"])
    if value.get("notes") is not None:
        given["notes"] = _object("notes", value["notes"])
    return Profile(**given)


def _check_hidden(given: Mapping[str, Any]) -> None:
    wished = {**given.get("attributes", {}), **given.get("prefers", {})}
    for place, name in enumerate(given.get("hidden", ())):
        if name not in wished:
            raise _WrongLine(
                f"hidden[{place}]: " + unknown("attribute", name, wished)
                if wished
                else f"hidden[{place}]: {name!r} is no part of the wish; name it in `attributes` or `prefers`, too"
            )


def _style(value: Mapping[str, Json]) -> dict[str, str]:
    for name in value:
        if name not in _STYLE:
            raise _WrongLine("style: " + unknown("key", name, _STYLE))
    return {name: _text(f"style.{name}", said) for name, said in value.items()}


def _patience(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _WrongLine(f"patience: expected a whole number of system turns from 1, got {_kind(value)}")
    return value


def _text(key: str, value: Json) -> str:
    if not isinstance(value, str):
        raise _WrongLine(f'{key}: expected a text, in quotes ("…"), got {_kind(value)}')
    return value


def _texts(key: str, value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _WrongLine(f'{key}: expected a list of texts like ["…", "…"], got {_kind(value)}')
    return tuple(_text(f"{key}[{place}]", item) for place, item in enumerate(value))


def _object(key: str, value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise _WrongLine(f"{key}: expected an object, got {_kind(value)}")
    return value


def _kind(value: Json) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    return "a list" if isinstance(value, list) else "an object"
