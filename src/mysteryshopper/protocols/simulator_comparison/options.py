"""What can be set of the protocol `simulator-comparison`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.protocols.conversation import ConversationOptions


class SimulatorComparisonOptions(BaseModel):
    """Options of `simulator-comparison`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Literal["user", "system"] = Field(default="user", description="Who opens the dialogue.")
    start: Literal["fresh", "prefix"] = Field(
        default="fresh", description="`prefix`: go on from what people said before, where the data has it."
    )
    stop_on: Literal["hit", "accept", "user"] = Field(
        default="accept",
        description="End when a wanted item is shown (`hit`), when one is taken (`accept`), or when the user says so.",
    )
    guard: Literal["off", "flag", "reask"] = Field(
        default="flag",
        description="What the fault detectors do: nothing, flag the turn, or ask the user once more and then give up."
        " `reask` mends the faults that a comparison of simulators is there to show.",
    )
    controls: int = Field(
        default=12,
        ge=0,
        description="How many pairs with a known verdict judges get of each sort (a dialogue against itself, and four"
        " in which one is spoilt), of different people; 0 for none.",
    )

    @property
    def talk(self) -> ConversationOptions:
        """The same as options of `conversation`, which holds the dialogues; the system gets no closing turn."""
        return ConversationOptions(
            first=self.first,
            start=self.start,
            stop_on=self.stop_on,
            guard=self.guard,
            closing_turn=False,
            rating=False,
            controls=0,
        )
