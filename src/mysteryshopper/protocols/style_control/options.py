"""Options of `style-control`, and the requests they come to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mysteryshopper.dialogue.styles import SCALES
from mysteryshopper.users.styles import style_name

DEFAULT_TURNS = 3
"""User turns of a dialogue where `limits.turns` does not say."""

STYLES: Mapping[str, tuple[str, ...]] = {
    "formality": ("formal", "informal"),
    "sentiment": ("positive", "neutral", "negative"),
    "conciseness": ("concise", "moderate", "verbose"),
    "carelessness": ("careful", "careless"),
}
"""The styles of the published study and their values; `careful` stands beside its `careless`."""

_NAME = re.compile(r"[^\W_][\w -]*")


class StyleOptions(BaseModel):
    """Options of `style-control`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    styles: dict[str, tuple[str, ...]] = Field(
        default=dict(STYLES),
        min_length=1,
        description="The styles and their values that users are asked for; other names than the four need a judge with"
        " criteria of the same names and labels.",
    )
    combine: Literal["each", "all"] = Field(
        default="each",
        description="`each`: every value of every style by itself; `all`: every combination of one value of each.",
    )
    requests: tuple[dict[str, str], ...] = Field(
        default=(), description="Chosen combinations, as [{formality: formal, conciseness: concise}], instead."
    )
    cuts: dict[str, tuple[float, ...]] = Field(
        default={},
        description="Where features are cut into labels, by style, rising: formality (1 cut), sentiment (2),"
        " conciseness (2, in words a turn), carelessness (1).",
    )
    guard: Literal["off", "flag", "reask"] = Field(
        default="flag",
        description="What the fault detectors do: nothing, flag the turn, or ask the user once more and then give up.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for style, values in self.styles.items():
            _check_names(style, *values)
            if not values or len(set(values)) < len(values):
                raise ValueError(f"`styles.{style}` takes one value or more, each once")
            for value in values:
                if (name := style_name(style, value)) not in (None, value):
                    raise ValueError(
                        f"`styles.{style}`: {value!r} means {name!r}, and labels are called so; write that"
                    )
        for request in self.requests:
            for style, value in request.items():
                if value not in self.styles.get(style, ()):
                    raise ValueError(f"`requests` asks for {style}: {value}, which `styles` does not hold")
        if not all(self.requests) or len({frozenset(request.items()) for request in self.requests}) < len(
            self.requests
        ):
            raise ValueError("each of the `requests` asks for something, and for something else than the others")
        for style, cuts in self.cuts.items():
            scale = SCALES.get(style)
            if scale is None:
                raise ValueError(f"`cuts` takes the styles that can be counted: {', '.join(SCALES)}")
            if len(cuts) != len(scale.cuts) or list(cuts) != sorted(set(cuts)):
                raise ValueError(f"`cuts.{style}` takes {len(scale.cuts)}, rising: between {', '.join(scale.labels)}")
        return self

    @property
    def asked(self) -> tuple[Mapping[str, str], ...]:
        """All requests, in order."""
        if self.requests:
            return self.requests
        if self.combine == "all":
            return tuple(dict(zip(self.styles, values, strict=True)) for values in product(*self.styles.values()))
        return tuple({style: value} for style, values in self.styles.items() for value in values)

    @property
    def values(self) -> Mapping[str, tuple[str, ...]]:
        """The values that are asked for, by style."""
        held = {
            style: tuple(value for value in values if any(one.get(style) == value for one in self.asked))
            for style, values in self.styles.items()
        }
        return {style: values for style, values in held.items() if values}


def name_of(request: Mapping[str, str]) -> str:
    """Return the name of a request: `formality=formal`."""
    return "+".join(f"{style}={value}" for style, value in request.items())


def _check_names(*names: str) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a style or a value: letters, digits, blanks and hyphens")
