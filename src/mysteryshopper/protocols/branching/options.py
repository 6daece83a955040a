"""Options of all protocols that branch."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class BranchingOptions(BaseModel):
    """What all of them take."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    guard: Literal["off", "flag", "reask"] = Field(
        default="reask",
        description="What the fault detectors do: nothing, flag the turn, or ask the user once more and then give up.",
    )
    controls: int = Field(
        default=20,
        ge=0,
        description="How many cases with a known verdict judges get of each sort (a reply against itself, and against"
        " one from another root); 0 for none.",
    )
