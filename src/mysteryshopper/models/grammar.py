"""Grammars that bind a local model's output: a choice among texts, and stricter JSON Schemas."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.core import ConfigError, Json


def choice_grammar(choices: Sequence[str], *, space: bool = False) -> str:
    r"""Return the GBNF grammar of exactly these texts.

    Args:
        choices: The texts, at least one, none empty.
        space: Allow one space in front; a word at the start of a continuation is usually a token with its space.

    Raises:
        ConfigError: There are no choices, or one is empty.
    """
    if not choices or not all(choices):
        raise ConfigError("a model can only choose among texts that are not empty; give at least one choice")
    texts = " | ".join(f'"{_escape(choice)}"' for choice in dict.fromkeys(choices))
    optional = '" "? ' if space else ""
    return f"root ::= {optional}({texts})"


def strict_schema(schema: Json) -> Json:
    """Return a JSON Schema in which objects take no other keys than those listed, unless it says that they may."""
    if isinstance(schema, list):
        return [strict_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {
        name: part if name in {"enum", "const", "default"} else strict_schema(part) for name, part in schema.items()
    }
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        strict.setdefault("additionalProperties", False)
    return strict


def _escape(text: str) -> str:
    escaped = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            escaped.append(f"\\{character}")
        elif 0x20 <= code < 0x7F:
            escaped.append(character)
        elif code <= 0xFFFF:
            escaped.append(f"\\u{code:04x}")
        else:
            escaped.append(f"\\U{code:08x}")
    return "".join(escaped)
