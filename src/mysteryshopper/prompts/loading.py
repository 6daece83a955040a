"""Loading and filling in prompt templates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from mysteryshopper.core import ChatMessage

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_SECTION = re.compile(r"^--- ([a-z0-9_-]+) ---[ \t]*$", re.MULTILINE)
_IMPORT = re.compile(r'^\{% import "([a-z0-9_/-]+)" as ([a-z_]+) %\}\n', re.MULTILINE)
_WHOLE = "text"
_MOST_KNOWN = 256
_LONGEST_KNOWN = 4096
"""Characters: longer sections hold dialogues, which are met once."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with its values filled in.

    Attributes:
        prompt: Name and hash of the template, as records keep it: `users/single-prompt@1a2b3c4d`.
        sections: Text of each section, white space around it removed; `text` alone if the template is not divided.
    """

    prompt: str
    sections: Mapping[str, str]

    def __getitem__(self, section: str) -> str:
        """Return the text of a section."""
        return self.sections[section]

    @property
    def text(self) -> str:
        """The text of a template that is not divided."""
        return self.sections[_WHOLE]

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The sections `system` and `user` as messages to a chat model; an empty one is left out."""
        return tuple(
            ChatMessage(role, self.sections[role]) for role in ("system", "user") if self.sections.get(role, "")
        )


class Prompt:
    """A prompt template, read once. Undefined values are errors, and nothing is escaped.

    It may import the macros of other templates of this package (`{% import "users/person" as person %}`), whose text
    is then part of its hash.
    """

    def __init__(self, name: str, source: str, *, ours: bool = False) -> None:
        """Make a prompt from the text of a template.

        Args:
            name: Name for the records.
            source: Text of the template.
            ours: The template comes with this package: it need not be kept from doing harm, which takes time.
        """
        self.name = name
        self.source = source
        self.hash = blake2b("".join(_all_sources(source)).encode(), digest_size=4).hexdigest()
        self._sections = _compiled(source, _plain() if ours else _sandbox())
        self._known: dict[tuple[object, ...], str] = {}
        self.label = f"{name}@{self.hash}"  # as records keep it

    @classmethod
    def load(cls, name: str) -> Prompt:
        """Return the prompt in the file `templates/NAME.j2` of this package.

        Raises:
            FileNotFoundError: There is none.
        """
        return _load(name)

    @property
    def sections(self) -> tuple[str, ...]:
        """Names of the sections, in the order of the file."""
        return tuple(self._sections)

    def render(self, *only: str, **values: object) -> Rendered:
        """Return the prompt with values filled in.

        Args:
            only: Sections to render; all of them if none is named.
            values: Values by name. Texts among them reach the prompt as they are, braces and all.

        Raises:
            jinja2.UndefinedError: The template uses a value that was not given.
        """
        return Rendered(self.label, {name: self._text(name, values) for name in only or self.sections})

    def _text(self, name: str, values: Mapping[str, object]) -> str:
        """Return a section; one of the same values is not rendered again, such as a person's in every turn of theirs.

        Only values that can be looked up by what they are count: a section that takes others is always rendered.
        """
        section = self._sections[name]
        taken = tuple(map(values.get, section.takes, repeat(...)))
        key = (name, taken, *map(type, taken))  # True equals 1, and reads otherwise
        try:
            known = self._known.get(key)
        except TypeError:
            return section.template.render(values).strip()
        if known is None:
            known = section.template.render(values).strip()
            if len(known) <= _LONGEST_KNOWN:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[key] = known
        return known


class _Section(NamedTuple):
    """One section: its template, and the names of the values it takes."""

    template: Template
    takes: tuple[str, ...]


@lru_cache(maxsize=256)
def _load(name: str) -> Prompt:
    return Prompt(name, _read(name), ours=True)


def _read(name: str) -> str:
    return files(__package__).joinpath("templates", f"{name}.j2").read_text("utf-8")


def _all_sources(source: str) -> list[str]:
    """Return the text of a template and of all that it imports, each once."""
    from jinja2.meta import find_referenced_templates

    found, waiting = {"": source}, [source]
    while waiting:
        parsed = _plain().parse(waiting.pop())
        for name in find_referenced_templates(parsed):
            if name and name not in found:
                found[name] = _read(name)
                waiting.append(found[name])
    return list(found.values())


def _compiled(source: str, environment: Environment) -> dict[str, _Section]:
    # imported once here: as part of the template it would be done, and paid for, in every rendering
    macros = {name: environment.get_template(path).module for path, name in _IMPORT.findall(source)}
    pieces = _SECTION.split(_IMPORT.sub("", source))
    if len(pieces) == 1:
        return {_WHOLE: _section(source=pieces[0], environment=environment, macros=macros)}
    return {
        name: _section(source=pieces[0] + body, environment=environment, macros=macros)
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def _section(source: str, environment: Environment, macros: Mapping[str, object]) -> _Section:
    from jinja2.meta import find_undeclared_variables

    template = environment.from_string(source)
    template.globals = {**template.globals, **macros}  # a plain dict: each rendering copies it
    return _Section(template, tuple(sorted(find_undeclared_variables(environment.parse(source)) - macros.keys())))


@lru_cache(maxsize=1)
def _sandbox() -> Environment:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return _made(ImmutableSandboxedEnvironment)


@lru_cache(maxsize=1)
def _plain() -> Environment:
    from jinja2 import Environment

    return _made(Environment)


def _made(kind: type[Environment]) -> Environment:
    from jinja2 import FunctionLoader, StrictUndefined

    return kind(
        loader=FunctionLoader(_read),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
