"""`domain.yaml`: a domain described in a page, read and checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from mysteryshopper.core import DataError, note_read
from mysteryshopper.datasets.domain import Domain, DomainAttribute

DOMAIN_FILE = "domain.yaml"
"""The file that makes a folder a domain."""

_STRICT = ConfigDict(extra="forbid", frozen=True)
_SLOT = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[^\W\d][\w -]*")


def _with_value(forms: tuple[str, ...]) -> tuple[str, ...]:
    for form in forms:
        if "{v}" not in form:
            raise ValueError(f"{form!r} has no place for the value; write {{v}} where it goes")
    return forms


def _known_slots(forms: tuple[str, ...]) -> tuple[str, ...]:
    for form in forms:
        for slot in _SLOT.findall(form):
            if slot not in ("v", "attr", "noun"):
                raise ValueError(f"{form!r} holds {{{slot}}}; only {{v}}, {{attr}} and {{noun}} are filled in")
    return forms


_Text = Annotated[str, Field(min_length=1)]
_Forms = Annotated[tuple[_Text, ...], AfterValidator(_known_slots)]


class _Attribute(BaseModel):
    """One attribute of the file."""

    model_config = _STRICT

    about: str = ""
    question: str = ""
    names: tuple[_Text, ...] = ()
    head: bool = False
    post: Annotated[_Forms, AfterValidator(_with_value)] = ()
    lack: _Forms = ()
    ask: _Forms = ()
    values: tuple[_Text, ...] = ()
    same: dict[str, tuple[_Text, ...]] = Field(default_factory=dict)
    either: bool = True

    @field_validator("question")
    @classmethod
    def _asks(cls, value: str) -> str:
        if value and not value.endswith("?"):
            raise ValueError("a question ends with a question mark")
        return value


class _File(BaseModel):
    """The whole file."""

    model_config = _STRICT

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w][\w -]*$")]
    field: _Text
    nouns: Annotated[tuple[_Text, ...], Field(min_length=1)]
    known: _Text = "seen"
    description: _Text
    attributes: dict[str, _Attribute] = Field(default_factory=dict)
    told: dict[str, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)
    habits: tuple[_Text, ...] = ()
    contexts: tuple[_Text, ...] = ()

    @field_validator("attributes")
    @classmethod
    def _named(cls, value: dict[str, _Attribute]) -> dict[str, _Attribute]:
        for name in value:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no name of an attribute; use letters, digits, spaces and hyphens")
        return value

    @field_validator("told")
    @classmethod
    def _sentences(cls, value: dict[str, str]) -> dict[str, str]:
        _with_value(tuple(value.values()))
        return value

    def domain(self) -> Domain:
        found = {
            name: DomainAttribute(
                name,
                entry.about,
                entry.question,
                tuple(word.casefold() for word in entry.names),
                entry.head,
                entry.post,
                entry.lack,
                entry.ask,
                entry.values,
                {value: tuple(word.casefold() for word in words) for value, words in entry.same.items()},
                entry.either,
            )
            for name, entry in self.attributes.items()
        }
        return Domain(
            self.name,
            self.field,
            self.nouns,
            self.known,
            self.description.strip(),
            found,
            self.told,
            self.habits,
            self.contexts,
        )


def read_domain(path: Path) -> Domain:
    """Read a domain.

    Args:
        path: A `domain.yaml`, or the folder that holds one.

    Raises:
        DataError: There is none, or it is no such file; the line or the key is named, with what it takes.
    """
    import yaml

    file = path / DOMAIN_FILE if path.is_dir() else path
    note_read(file)
    try:
        content: Any = yaml.safe_load(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DataError(f"there is no such file; a domain is a folder with a {DOMAIN_FILE}", path=file) from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise DataError(f"the file can't be read: {why}", path=file) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        raise DataError(f"is no YAML: {getattr(error, 'problem', None) or error}", path=file, line=line) from None
    if not isinstance(content, dict):
        raise DataError("expected keys such as name, field, nouns and description", path=file)
    try:
        return _File.model_validate(content).domain()
    except ValidationError as error:
        raise DataError(_first_mistake(error), path=file) from None


def _first_mistake(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False)[0]
    key = ""
    for part in found["loc"]:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else str(part)
    if found["type"] == "extra_forbidden":
        known = _Attribute if key.startswith("attributes.") else _File
        return f"{key}: there is no such key; known are {', '.join(known.model_fields)}"
    if found["type"] == "missing":
        return f"{key}: is missing; every domain says its name, field, nouns and description"
    got = found.get("input")
    shown = f", got {got!r}" if isinstance(got, str | int | float | bool) or got is None else ""
    return f"{key}: {found['msg'].removeprefix('Value error, ')}{shown}"
