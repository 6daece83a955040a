"""How a person is asked to write: what a profile's style says, under the names that records use for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from mysteryshopper.core import Json
from mysteryshopper.items import fold_value

TRAITS: tuple[str, ...] = ("formality", "sentiment", "conciseness", "carelessness")
"""What can be asked of a style."""


def style_names(trait: str) -> tuple[str, ...]:
    """Return the names of one trait's styles, as records use them, in the order of `styles.yaml`."""
    return tuple(dict.fromkeys(name for (kind, _), name in _names().items() if kind == trait))


@lru_cache(maxsize=1024)
def style_name(trait: str, said: str) -> str | None:
    """Return the name of what a word of a style means: `informal` for `casual`; None if the word is not known."""
    return _names().get((trait, fold_value(said)))


def requested(style: Mapping[str, str]) -> dict[str, str]:
    """Return the style that is asked for, by trait in the order of `TRAITS`.

    Args:
        style: As in `Profile.style`.

    Returns:
        The name of each trait's style; a word that is not known as it stands. Traits that nothing is asked of are
        absent.
    """
    return {trait: style_name(trait, style[trait]) or style[trait] for trait in TRAITS if style.get(trait, "").strip()}


def style_notes(style: Mapping[str, str]) -> dict[str, Json]:
    """Return what a turn's notes tell of the style that was asked for: `{"style": {...}}`, or nothing."""
    asked = requested(style) if style else {}
    return {"style": asked} if asked else {}


@lru_cache(maxsize=1)
def _names() -> Mapping[tuple[str, str], str]:
    import yaml

    table = yaml.safe_load(files(__package__).joinpath("styles.yaml").read_text("utf-8"))
    return {
        (trait, fold_value(word)): name
        for trait, names in table.items()
        for name, words in names.items()
        for word in (name, *words)
    }
