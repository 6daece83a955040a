"""Profiles that are made, not read: the block of an experiment file that says how."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_PROFILES = 100_000

_BOUNDS = ("hard", "hidden", "least", "seen", "soft")


class MadeProfiles(BaseModel):
    """Says how profiles are made: `generate` takes wishes from the items of the data set, `demographic` needs none."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    generate: int | None = Field(
        default=None, ge=1, le=MOST_PROFILES, description="So many people with wishes made from the data set's items."
    )
    demographic: int | None = Field(
        default=None, ge=1, le=MOST_PROFILES, description="So many people who are a title, a surname and how picky."
    )
    seed: int | None = Field(default=None, description="Seed of the people; by default the experiment's.")
    hard: int = Field(default=3, ge=1, le=5, description="generate: most constraints of a wish.")
    soft: int = Field(default=2, ge=0, le=5, description="generate: most preferences beside them.")
    hidden: int = Field(default=1, ge=0, le=5, description="generate: most attributes told only when asked for.")
    seen: int = Field(default=3, ge=0, le=50, description="generate: most items known already.")
    least: int = Field(
        default=2, ge=1, le=1000, description="generate: items that meet the constraints and aren't known, at least."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.generate is None) == (self.demographic is None):
            raise ValueError("name either `generate` or `demographic`, with how many people there shall be")
        if self.demographic is not None and (bounds := self.bounds):
            raise ValueError(f"demographic people have no wishes; remove `{bounds[0]}`, or name `generate` instead")
        return self

    @property
    def bounds(self) -> list[str]:
        """The bounds of wishes that differ from the defaults; a file written out with all its defaults reads back."""
        fields = type(self).model_fields
        return [name for name in _BOUNDS if getattr(self, name) != fields[name].default]
