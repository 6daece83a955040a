r"""Halves of characters: what JSON can escape (`\ud83d` alone), and no file, database or prompt can hold."""

from __future__ import annotations

from collections.abc import Mapping

from mysteryshopper.core import Json


def clean(text: str) -> tuple[str, bool]:
    """Return the text with lone surrogates replaced by U+FFFD, and whether there were any."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), True
    return text, False


def clean_json(value: Json) -> Json:
    """Return a JSON value with lone surrogates replaced in all its texts; tuples become lists."""
    if isinstance(value, str):
        return clean(value)[0]
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (dict, Mapping)):  # the check for a `dict` is many times as quick
        return {clean(str(key))[0]: clean_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_json(inner) for inner in value]
    return value
