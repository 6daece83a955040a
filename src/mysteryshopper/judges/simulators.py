"""`simulators`: a model says which of two seekers talks more like a person, and which helps a recommender more."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from mysteryshopper.core import ChatModel
from mysteryshopper.judges.criteria_files import CriteriaSet
from mysteryshopper.judges.pairwise import PairwiseJudge, PairwiseOptions
from mysteryshopper.prompts import Prompt

_TEMPLATE = "judges/simulators"


class SimulatorOptions(PairwiseOptions):
    """Options of `simulators`."""

    criteria: str = Field(
        default="simulators", description="What is asked: `simulators`, or the path of a file of criteria for pairs."
    )


class SimulatorJudge(PairwiseJudge):
    """A judge of pairs of seekers, asked about cases that are about users (`case.data["about"]` is `users`) alone.

    Everything else is as in `pairwise`: both orders, ties, and what looks the same is a tie without a call.
    """

    options: ClassVar[type[PairwiseOptions]] = SimulatorOptions
    about: ClassVar[Literal["users"]] = "users"

    def __init__(
        self,
        model: ChatModel,
        criteria: CriteriaSet,
        options: PairwiseOptions,
        *,
        seed: int = 0,
        name: str = "simulators",
    ) -> None:
        """Make it from a model; arguments as of `RubricJudge`."""
        super().__init__(model, criteria, options, seed=seed, name=name)
        prompt = Prompt.load(_TEMPLATE)
        self.prompt = prompt.label
        self._asker = replace(self._asker, prompt=prompt)
