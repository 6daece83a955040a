"""Options of `robustness`, and the conditions they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from mysteryshopper.protocols.branching import BranchingOptions
from mysteryshopper.users.noise import NOISES, Noise

MODEL, INDEPENDENT = "model", "independent"
WRITTEN = frozenset({MODEL, INDEPENDENT})
"""Kinds of noise for which somebody writes the careless query, who may fail to."""

Kind: TypeAlias = Noise | Literal["model", "independent"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to make a query careless; `rate` is None where it has none."""

    kind: Kind
    rate: float | None = None

    @property
    def rated(self) -> str:
        """The rate as groups name it: `0.1`; empty where there is none."""
        return "" if self.rate is None else f"{self.rate:g}"


class RobustnessOptions(BranchingOptions):
    """Options of `robustness`."""

    noise: tuple[Kind, ...] = Field(
        default=("mixed",),
        min_length=1,
        description="Kinds of noise: by code, each at every rate (insert, delete, substitute, transpose, drop_word,"
        " shuffle, casing, apostrophes, mixed); `model`, a model rewrites the query; `independent`, the user itself"
        " writes again as a careless person, as published.",
    )
    rates: tuple[float, ...] = Field(
        default=(0.1, 0.2, 0.4), min_length=1, description="Rates of noise by code: the chance of each word."
    )
    model: str | None = Field(
        default=None, description="For `model`: the name, under `models:`, of the chat model that rewrites and checks."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(not 0 <= rate <= 1 for rate in self.rates):
            raise ValueError("`rates` are chances from 0 to 1, as in [0.1, 0.3]")
        if len(set(self.rates)) < len(self.rates) or len(set(self.noise)) < len(self.noise):
            raise ValueError("each kind of `noise` and each of the `rates` is named once")
        if (MODEL in self.noise) != (self.model is not None):
            raise ValueError("`model` names who rewrites, and goes with `model` among the kinds of `noise`")
        return self

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions, in order: each kind at each rate, rising."""
        return tuple(
            condition
            for kind in self.noise
            for condition in (
                [Condition(kind, rate) for rate in sorted(self.rates)] if kind in NOISES else [Condition(kind)]
            )
        )
