"""Errors of validation in plain words: the key's path, what it got, what it takes, and a near name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, get_args

from pydantic import BaseModel, ValidationError

from mysteryshopper.core import ConfigError, unknown

Loc: TypeAlias = tuple[str | int, ...]

_TAGS = frozenset({"‹name›", "‹block›"})

_TAKES: Mapping[str, str] = {
    "string_type": "a text",
    "string_sub_type": "a text",
    "string_unicode": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "dict_type": "a block of keys",
    "mapping_type": "a block of keys",
    "model_type": "a block of keys",
    "model_attributes_type": "a block of keys",
    "dataclass_type": "a block of keys",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of {ge} or more",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of {le} or less",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text of the form {pattern}",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
}
"""What a key takes, by the type of pydantic's error; `{…}` are its details."""


def key_path(loc: Loc) -> str:
    """Return a place as it is written in messages: `users[0].options.guard`."""
    text = ""
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part not in _TAGS:
            text += f".{part}" if text else str(part)
    return text


def plain_error(error: ValidationError, model: type[BaseModel], prefix: Loc = ()) -> ConfigError:
    """Return the first of some errors as one plain sentence; further ones are counted.

    Args:
        error: What pydantic found.
        model: The class that was validated, to know which keys there are.
        prefix: Path of the part that was validated.
    """
    details = error.errors(include_url=False)
    first = min(details, key=lambda detail: detail["type"] != "extra_forbidden")  # a typo explains what is missing
    loc: Loc = tuple(first["loc"])
    more = len({key_path(tuple(detail["loc"])) for detail in details}) - 1
    after = "" if more < 1 else f" (There {'is 1 more mistake' if more == 1 else f'are {more} more mistakes'}.)"
    return ConfigError(_sentence(first, loc, model) + after, key=key_path(prefix + loc) or None)


def _sentence(detail: Any, loc: Loc, model: type[BaseModel]) -> str:
    sort, context, got = detail["type"], detail.get("ctx", {}), detail.get("input")
    if sort == "extra_forbidden":
        return unknown("key", str(loc[-1]), _keys(model, loc[:-1]))
    if sort == "missing":
        return f"is missing: give it{_meaning(model, loc)}"
    if sort in ("literal_error", "enum"):
        names = re.findall(r"'([^']*)'", str(context["expected"]))
        if isinstance(got, str) and names:
            return unknown("choice", got, names)
        return f"got {shown(got, loc)}, takes {context['expected']}."
    if sort in ("value_error", "assertion_error"):
        return _ended(str(context.get("error") or detail["msg"]))
    if sort in _TAKES:
        return f"got {shown(got, loc)}, takes {_TAKES[sort].format(**context)}{_hint(sort, got)}."
    return f"got {shown(got, loc)}: {_fallback(str(detail['msg']))}"


def _hint(sort: str, got: object) -> str:
    if sort == "string_type" and isinstance(got, bool | int | float):
        return f"; to mean the word, put it in quotes: '{_written(got)}'"
    if sort.startswith(("int_", "float_")) and isinstance(got, str):
        return "; numbers are written without quotes" if re.fullmatch(r"-?\d+(\.\d+)?", got) else ""
    if sort.startswith("bool_"):
        return ", without quotes" if str(got).lower() in ("true", "false") else ""
    return ""


def _fallback(message: str) -> str:
    """Make what is left of pydantic's own messages a sentence about the key."""
    text = re.sub(r"^(Input|Value|String|URL|Object) should ", "it should ", message)
    return _ended(re.sub(r"^Unable to ", "it is not possible to ", text))


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def shown(value: object, loc: Loc = ()) -> str:
    """Return a value as it may be shown: short, and never one that could be a secret."""
    from mysteryshopper.models.masking import looks_secret

    if isinstance(value, str):
        names = [str(part) for part in loc if isinstance(part, str)]
        if any(looks_secret(name, value) for name in [*names, ""]):
            return "a text that is not shown here"
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, Mapping | BaseModel):
        return "a block of keys"
    if isinstance(value, Sequence | set | frozenset):
        return "a list"
    return _written(value)[:60]


def _written(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meaning(model: type[BaseModel], loc: Loc) -> str:
    owner = _owner(model, loc[:-1])
    for name, field in owner.model_fields.items() if owner else ():
        if (field.alias or name) == loc[-1] and field.description:
            text = field.description
            return f" ({text[0].lower()}{text[1:].rstrip('.')})."
    return "."


def _keys(model: type[BaseModel], loc: Loc) -> list[str]:
    owner = _owner(model, loc)
    names = [field.alias or name for name, field in owner.model_fields.items()] if owner else []
    extra = getattr(owner, "further_keys", ())
    return [*names, *extra]


def _owner(model: type[BaseModel], loc: Loc) -> type[BaseModel] | None:
    """Return the model class that the keys at a place belong to."""
    current: Any = model
    for part in loc:
        if isinstance(part, int) or part in _TAGS or part in ("json", "python"):
            continue
        owner = next(_models_in(current), None)
        fields = {} if owner is None else {field.alias or name: field for name, field in owner.model_fields.items()}
        if part in fields:
            current = fields[part].annotation
        # else it is a key of a dict or the tag of a union: the classes below stay the same
    return next(_models_in(current), None)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)
