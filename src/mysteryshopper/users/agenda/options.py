"""Options of the agenda user."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AgendaOptions(BaseModel):
    """Options of `agenda`. What a profile says itself goes before them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    patience: int = Field(
        default=6, ge=1, description="System turns that a user bears whose profile names no patience."
    )
    hidden_share: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="Chance of each attribute of a wish to be told only when asked for or violated, where the profile"
        " hides none; one is always told openly.",
    )
    change_mind: float = Field(
        default=0.05, ge=0, le=1, description="Chance a turn to drop a preference told before; never a constraint."
    )
    hold_out: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Chance to ask for something still better, once, when what is shown meets the wish but no"
        " preference; if nothing better comes, the user goes back to it.",
    )
    curiosity: float = Field(
        default=0.1, ge=0, le=1, description="Chance to ask about an item once before it is taken or turned down."
    )
    chattiness: float = Field(
        default=0.35,
        ge=0,
        le=1,
        description="Share of long-winded users where the profile says nothing of conciseness.",
    )
    typos: float = Field(
        default=0.02,
        ge=0,
        le=0.5,
        description="Share of words mistyped where the profile says nothing of carelessness.",
    )
