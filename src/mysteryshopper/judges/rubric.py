"""`rubric`: a model scores or labels one dialogue, or one reply, on each criterion of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field

from mysteryshopper.core import Case, ChatModel, Criterion, Parts, Ruling, ShopperError, Verdict
from mysteryshopper.judges.asking import Asker, AskingOptions, calls_a_showing
from mysteryshopper.judges.criteria_files import CriteriaSet, load_criteria
from mysteryshopper.prompts import Prompt

_TEMPLATE = "judges/rubric"


class RubricOptions(AskingOptions):
    """Options of `rubric`."""

    criteria: str = Field(
        default="service",
        description="What is asked: `service`, `aspects`, a domain (food), or the path of a file or domain folder.",
    )


class RubricJudge:
    """A language model that scores or labels one dialogue or reply on each criterion of a file.

    Attributes:
        criteria: What it asks about cases that bring no criteria.
        prompt: Name and hash of its template.
    """

    options: ClassVar[type[RubricOptions]] = RubricOptions
    takes: ClassVar[Literal["one"]] = "one"

    def __init__(
        self, model: ChatModel, criteria: CriteriaSet, options: RubricOptions, *, seed: int = 0, name: str = "rubric"
    ) -> None:
        """Make it from a model.

        Args:
            model: Who judges.
            criteria: What it asks.
            options: Its options.
            seed: Draws the marks of its fences.
            name: Its name in addresses.
        """
        prompt = Prompt.load(_TEMPLATE)
        self.criteria: tuple[Criterion, ...] = criteria.criteria
        self.prompt = prompt.label
        self._asker = Asker(model, prompt, options, self.takes, seed, name)

    @classmethod
    def build(cls, options: RubricOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        criteria = load_criteria(options.criteria, parts.folder, cls.takes)
        return cls(parts.model(), criteria, options, seed=parts.seed, name=parts.name)

    @classmethod
    def calls(cls, options: RubricOptions, folder: Path, form: Literal["chat", "completion"]) -> tuple[int, int, int]:
        """Return the least, expected and most calls of one case."""
        once = calls_a_showing(options, options.criteria, cls.takes, folder, form)
        return once, once, 2 * once

    async def judge(self, case: Case) -> Verdict:
        """Judge one exhibit.

        Raises:
            CallFailed: A call failed for good.
            ShopperError: The case is no case of one exhibit.
        """
        if len(case.exhibits) != 1:
            raise ShopperError(f"the case {case.id!r} is no single exhibit; the kind 'pairwise' judges pairs.")
        case = replace(case, criteria=case.criteria or self.criteria)
        heard = await self._asker.ask(case, case.exhibits)
        rulings = tuple(
            Ruling(name, reading.value, reading.status, raw=reading.raw, notes=dict(reading.notes))
            for name, reading in heard.readings.items()
        )
        return Verdict(case.id, rulings, self.prompt, heard.calls)
