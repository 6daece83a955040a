"""`styles`: a model says in which style a simulated user wrote, from their turns alone."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from mysteryshopper.core import ChatModel
from mysteryshopper.judges.criteria_files import CriteriaSet
from mysteryshopper.judges.rubric import RubricJudge, RubricOptions
from mysteryshopper.prompts import Prompt

_TEMPLATE = "judges/styles"


class StylesOptions(RubricOptions):
    """Options of `styles`."""

    criteria: str = Field(
        default="styles",
        description="What is asked: `styles`, or the path of a file of criteria with labels, named as the styles that"
        " users are asked for.",
    )


class StylesJudge(RubricJudge):
    """A classifier of style, asked about cases that are about style (`case.data["about"]` is `style`) alone.

    It sees what one user wrote in one dialogue, not what the other side said, and not what was asked for. Everything
    else is as in `rubric`.
    """

    options: ClassVar[type[RubricOptions]] = StylesOptions
    about: ClassVar[Literal["style"]] = "style"

    def __init__(
        self, model: ChatModel, criteria: CriteriaSet, options: RubricOptions, *, seed: int = 0, name: str = "styles"
    ) -> None:
        """Make it from a model; arguments as of `RubricJudge`."""
        super().__init__(model, criteria, options, seed=seed, name=name)
        prompt = Prompt.load(_TEMPLATE)
        self.prompt = prompt.label
        self._asker = replace(self._asker, prompt=prompt)
