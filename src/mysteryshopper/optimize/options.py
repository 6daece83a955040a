"""Options of `prompt-optimisation`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mysteryshopper.protocols.conversation import ConversationOptions

_UNASKED = {"rating": False, "controls": 0}
"""Options of the dialogues that are off unless they are asked for: nothing here is made of what they cost."""


def _dialogues() -> ConversationOptions:
    return ConversationOptions.model_validate(_UNASKED)


class OptimisationOptions(BaseModel):
    """Options of `prompt-optimisation`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1, description="Name under `models:` of the model that writes and reviews.")
    judge: str | None = Field(
        default=None, description="The judge that decides; by default the first one that is not held out."
    )
    held_out: str | None = Field(
        default=None, description="A judge that decides nothing, and judges the best prompt against the initial one."
    )
    batch: int = Field(default=8, ge=1, description="People a round: the first so many in a seeded order.")
    rounds: int = Field(default=6, ge=1, le=99, description="Most rounds, each with one new prompt.")
    patience: int = Field(default=3, ge=1, description="Stop after so many rounds in succession without improvement.")
    criteria: tuple[str, ...] = Field(
        default=(), description="Criteria that decide; by default all that the judge is asked."
    )
    initial: str | None = Field(
        default=None, description="Text file with the prompt to begin with; by default the model writes it."
    )
    longest: int = Field(default=3000, ge=200, le=20_000, description="Most characters of a prompt.")
    temperature: float | None = Field(
        default=0, ge=0, description="Of the model that writes and reviews; null is the model's own."
    )
    max_tokens: int = Field(default=1500, ge=16, description="Longest reply of the model that writes and reviews.")
    slot: str | None = Field(
        default=None,
        description="Option of the user that takes the prompt's text, if it is not `path` or `instruction`.",
    )
    controls: int = Field(
        default=6, ge=0, description="How many pairs with a known verdict judges get of each sort; 0 for none."
    )
    conversation: ConversationOptions = Field(
        default_factory=_dialogues,
        description="How the dialogues go: the options of `conversation`, of which `rating` is off if not named.",
    )

    @field_validator("conversation", mode="before")
    @classmethod
    def _unasked(cls, given: Any) -> Any:
        return {**_UNASKED, **given} if isinstance(given, dict) else given
