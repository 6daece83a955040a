"""`pairwise`: a model says which of two is better on each criterion of a file, shown in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field

from mysteryshopper.core import Case, ChatModel, Criterion, Exhibit, Parts, Ruling, ShopperError, Verdict
from mysteryshopper.judges.answers import PLACES, TIE
from mysteryshopper.judges.asking import Asker, AskingOptions, calls_a_showing
from mysteryshopper.judges.criteria_files import CriteriaSet, load_criteria
from mysteryshopper.judges.showing import look_equal
from mysteryshopper.prompts import Prompt

_TEMPLATE = "judges/pairwise"
ORDERS = ("AB", "BA")
"""First exhibit shown first; second exhibit shown first."""


class PairwiseOptions(AskingOptions):
    """Options of `pairwise`."""

    criteria: str = Field(
        default="pairwise",
        description="What is asked: `pairwise`, a domain (food), or the path of a file or domain folder.",
    )


class PairwiseJudge:
    """A language model that says which of two is better, in both orders; two that look the same are a tie unasked.

    Attributes:
        criteria: What it asks about cases that bring no criteria.
        prompt: Name and hash of its template.
    """

    options: ClassVar[type[PairwiseOptions]] = PairwiseOptions
    takes: ClassVar[Literal["pair"]] = "pair"

    def __init__(
        self,
        model: ChatModel,
        criteria: CriteriaSet,
        options: PairwiseOptions,
        *,
        seed: int = 0,
        name: str = "pairwise",
    ) -> None:
        """Make it from a model; arguments as of `RubricJudge`."""
        prompt = Prompt.load(_TEMPLATE)
        self.criteria: tuple[Criterion, ...] = criteria.criteria
        self.prompt = prompt.label
        self._asker = Asker(model, prompt, options, self.takes, seed, name)

    @classmethod
    def build(cls, options: PairwiseOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        criteria = load_criteria(options.criteria, parts.folder, cls.takes)
        return cls(parts.model(), criteria, options, seed=parts.seed, name=parts.name)

    @classmethod
    def calls(cls, options: PairwiseOptions, folder: Path, form: Literal["chat", "completion"]) -> tuple[int, int, int]:
        """Return the least (the two look the same), expected and most calls of one case."""
        once = calls_a_showing(options, options.criteria, cls.takes, folder, form)
        return 0, 2 * once, 4 * once

    async def judge(self, case: Case) -> Verdict:
        """Judge a pair in both orders; a ruling's value is the label of an exhibit, or `tie`.

        Raises:
            CallFailed: A call failed for good.
            ShopperError: The case is no pair.
        """
        if len(case.exhibits) != 2:
            raise ShopperError(f"the case {case.id!r} is no pair; the kind 'rubric' judges single exhibits.")
        case = replace(case, criteria=case.criteria or self.criteria)
        if case.control != "same" and look_equal(case.exhibits):  # whether a judge sees it is what that control asks
            return Verdict(case.id, _equal(case), self.prompt)
        rulings: list[Ruling] = []
        calls: list[str] = []
        for order in ORDERS:
            exhibits = case.exhibits if order == "AB" else case.exhibits[::-1]
            heard = await self._asker.ask(case, exhibits, order)
            calls += heard.calls
            for name, reading in heard.readings.items():
                value = None if reading.value is None else _label(str(reading.value), exhibits)
                rulings.append(Ruling(name, value, reading.status, order, reading.raw, dict(reading.notes)))
        return Verdict(case.id, tuple(rulings), self.prompt, tuple(calls))


def _equal(case: Case) -> tuple[Ruling, ...]:
    notes = {"equal": 1}
    return tuple(Ruling(asked.name, TIE, "ok", order, notes=notes) for order in ORDERS for asked in case.criteria)


def _label(place: str, exhibits: Sequence[Exhibit]) -> str:
    """Return the label of the exhibit that was shown in a place."""
    return TIE if place == TIE else exhibits[PLACES.index(place)].label
