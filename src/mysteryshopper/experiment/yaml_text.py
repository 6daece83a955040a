"""YAML as version 1.2 means it: `no`, `on` and 12:30 are texts, and a key is given once."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from mysteryshopper.core import ConfigError


def read_yaml(text: str, name: str) -> Any:
    """Return the value of a YAML text.

    Only true and false are truth values, only decimal, 0o and 0x are whole numbers, and dates are texts.

    Args:
        text: The text.
        name: Name of its file, for messages.

    Raises:
        ConfigError: It is no YAML, or a key is given twice; with the line.
    """
    try:
        reader = _Reader(text)
        reader.name = name
        return reader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}" if mark else name
        problem = str(error.problem or error.context).rstrip(".")
        remedy = _remedy(text.splitlines()[mark.line : mark.line + 1] if mark else [])
        raise ConfigError(f"{place}: this can't be read as YAML: {problem}. {remedy}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: this can't be read as YAML: {str(error).splitlines()[0]}.") from None


def _remedy(lines: list[str]) -> str:
    if lines and re.search(r":\s*>\s*=?\s*[\d.]", lines[0]):
        return "Put the comparison in quotes, as in '>= 0.6'."
    return "Mend the line or the one before."


def write_yaml(value: Any) -> str:
    """Return a value as YAML that `read_yaml`, and readers of version 1.1, read back as it was."""
    return yaml.dump(value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=110)


_MERGE = "tag:yaml.org,2002:merge"
_BREAKS = re.compile("[\x85\u2028\u2029\ufeff]")


class _Reader(yaml.SafeLoader):
    """Built without the resolvers of YAML 1.1."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - declared so by its base

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        first: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a word", key_node.start_mark)
            if key in first:
                raise ConfigError(
                    f"{node.start_mark.name}:{line}: the key {str(key)!r} is given a second time (first in line "
                    f"{first[key]}): keep one of the two."
                )
            first[key] = line
        return super().construct_mapping(node, deep)


class _Writer(yaml.SafeDumper):
    """Quotes whatever either version would not read as the text it is."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _tag, _form, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+0123456789.",
    ),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
):
    for _side in (_Reader, _Writer):
        _side.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_form})$"), list(_first))


def _write_text(writer: _Writer, text: str) -> Any:
    style = '"' if _BREAKS.search(text) else None  # plain, the reader would take them for line breaks
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _whole_number(reader: _Reader, node: Any) -> int:
    text = str(reader.construct_scalar(node))
    return int(text, 8) if text.startswith("0o") else int(text, 16) if text.startswith("0x") else int(text)


def _number(reader: _Reader, node: Any) -> float:
    text = str(reader.construct_scalar(node)).lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


_Reader.add_constructor("tag:yaml.org,2002:int", _whole_number)
_Reader.add_constructor("tag:yaml.org,2002:float", _number)
_Writer.add_representer(str, _write_text)
