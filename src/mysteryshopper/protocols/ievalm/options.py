"""What can be set of the protocol `ievalm`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Setting = Literal["original", "free", "attribute"]
Ties = Literal["expected", "id"]
Variant = Literal["fixed", "as-published"]
Judged = Literal["persuasiveness", "explanation_relevance"]

DEFAULT_TURNS = 5


def _weights(scores: Mapping[int, float]) -> Mapping[int, float]:
    if min(scores.values(), default=0) < 0 or not sum(scores.values()):
        raise ValueError("give counts or shares of the scores 0, 1 and 2, none negative and one above 0")
    return scores


Scores = Annotated[Mapping[Annotated[int, Field(ge=0, le=2)], float], AfterValidator(_weights)]
"""How often each score was given."""


class IEvaLMOptions(BaseModel):
    """Options of `ievalm`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    setting: Setting | tuple[Setting, ...] = Field(
        default="original",
        description="`original`: one ranking per recommending turn, on the human history. `free`: simulated users chat."
        " `attribute`: the system asks for attributes, templates answer. A list runs several.",
    )
    variant: Variant = Field(
        default="fixed",
        description="`as-published` repeats what the published code does (`free`: success is a target in the ranking,"
        " no guard, no filter, and the whole ranking is read out at a hit and in the last turn; `attribute`: units in"
        " which nothing was recommended are left out).",
    )
    ks: tuple[int, ...] = Field(
        default=(1, 10, 25, 50), min_length=1, description="Depths at which rankings are scored."
    )
    ties: Ties = Field(
        default="expected",
        description="Equal scores: scored at the expectation of a random order, or by ascending `id` as published.",
    )
    audit: Literal["named", "linked"] = Field(
        default="named",
        description="What makes a history leak: a target that it names in any way, or only one that the data links in"
        " it (the published count).",
    )
    start: Literal["prefix", "fresh"] = Field(
        default="prefix",
        description="`free`: go on from what people said before the turn, or begin anew, where no history can leak.",
    )
    stop_on: Literal["hit", "accept", "user"] = Field(
        default="accept",
        description="`free`: end when a target is shown (`hit`), when an item is taken, or when the user says so.",
    )
    guard: Literal["off", "flag", "reask"] = Field(
        default="reask", description="`free`: what the fault detectors do about a user's turn."
    )
    filter: bool = Field(
        default=True,
        description="`free`: sentences in which the user names a target before the system did are taken out before the"
        " system reads them; they are counted.",
    )
    compare_users: bool = Field(
        default=False,
        description="`free`: judges of pairs are also shown what two users said to one system, and what the person in"
        " the data said, and are asked which is more natural and which helps the system more.",
    )
    people: Mapping[Judged, Scores] = Field(
        default_factory=dict,
        description="`free`: how people used the scale, as counts or shares of the scores 0, 1 and 2 by criterion"
        " (`{persuasiveness: {0: 4, 1: 7, 2: 89}}`); each judge's scores are held against it (`score_distance`).",
    )
    show: int | None = Field(
        default=None, ge=1, description="`free`: how many items of a reply count as shown; default all of them."
    )
    rank: bool = Field(
        default=True,
        description="`free`: systems that can rank are also asked for their ranking at each turn; it is scored apart.",
    )
    attributes: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        description="`attribute`: what can be asked for, in order; default what the data set's protocol asks for.",
    )

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that are run, each once, in order."""
        return (self.setting,) if isinstance(self.setting, str) else tuple(dict.fromkeys(self.setting))

    @property
    def as_published(self) -> bool:
        """Whether the published procedure is repeated."""
        return self.variant == "as-published"

    @property
    def near_ten(self) -> int:
        """The depth nearest to 10: the one at which turns, ranks and failures are told."""
        return min(self.ks, key=lambda depth: (abs(depth - 10), depth))
