"""The `rules-pair` judge: which of two is better by the rules, without a model; a documented band is a tie."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, Self

from pydantic import Field

from mysteryshopper.core import Case, Criterion, Parts, Ruling, ShopperError, Verdict
from mysteryshopper.judges.pairwise import ORDERS
from mysteryshopper.judges.rules.judge import RulesJudge, RulesOptions, own_criteria
from mysteryshopper.judges.showing import look_equal

TIE = "tie"
BAND = 0.05
"""Share of a criterion's scale below which two scores are a tie, by default."""

_ASKED = ("overall", "constraints_met", "question_answered", "no_repeats", "not_seen", "no_contradiction", "length")


class RulesPairOptions(RulesOptions):
    """Options of `rules-pair`."""

    band: float = Field(
        default=BAND, ge=0, le=1, description="Share of a criterion's scale below which two scores are a tie."
    )


class RulesPairJudge:
    """Scores both of a pair by the rules and says which is higher. It sees no order, so its two orders always agree."""

    options: ClassVar[type[RulesPairOptions]] = RulesPairOptions
    takes: ClassVar[Literal["pair"]] = "pair"

    def __init__(self, rules: RulesJudge, band: float = BAND) -> None:
        """Make it from a judge of single exhibits.

        Args:
            rules: Scores each of the two by itself, behind what both share.
            band: Share of a criterion's scale; a smaller difference is a tie.
        """
        kept = {criterion.name: criterion for criterion in own_criteria()}
        self.criteria: tuple[Criterion, ...] = tuple(kept[name] for name in _ASKED)
        self._rules = rules
        self._band = band

    @classmethod
    def build(cls, options: RulesPairOptions, parts: Parts) -> Self:
        """Build it with the items of the experiment's data set, if it has one and that has items."""
        return cls(RulesJudge.build(options, parts), options.band)

    async def judge(self, case: Case) -> Verdict:
        """Judge a pair; a ruling's value is the label of an exhibit, or `tie`.

        Two that look the same are a tie, and so are two about neither of which a criterion has anything to tell (no
        item shown, nothing asked). Where only one can be scored, the ruling has no value.

        Raises:
            ShopperError: The case is no pair.
        """
        if len(case.exhibits) != 2:
            raise ShopperError(f"the case {case.id!r} is no pair; the kind 'rules' judges single exhibits.")
        asked = case.criteria or self.criteria
        if case.control != "same" and look_equal(case.exhibits):
            notes = {"equal": 1}
            equal = [Ruling(one.name, TIE, "ok", order, notes=notes) for order in ORDERS for one in asked]
            return Verdict(case.id, tuple(equal))
        scored = [await self._scores(case, place) for place in (0, 1)]
        labels = case.exhibits[0].label, case.exhibits[1].label
        rulings = [self._compare(one, scored[0].get(one.name), scored[1].get(one.name), labels) for one in asked]
        return Verdict(case.id, tuple(replace(ruling, order=order) for order in ORDERS for ruling in rulings))

    async def _scores(self, case: Case, place: int) -> dict[str, Ruling]:
        single = replace(case, exhibits=(case.exhibits[place],), criteria=self.criteria)
        verdict = await self._rules.judge(single)
        return {ruling.criterion: ruling for ruling in verdict.rulings}

    def _compare(
        self, criterion: Criterion, first: Ruling | None, second: Ruling | None, labels: tuple[str, str]
    ) -> Ruling:
        if first is None or second is None:
            return Ruling(criterion.name, None, "unsupported", notes={"reason": "this is no criterion of the rules"})
        notes = {"scores": [first.value, second.value]}
        if first.value is None and first.status == second.status == "empty":
            return Ruling(criterion.name, TIE, "ok", notes={**notes, **dict(first.notes)})
        if first.value is None or second.value is None:
            untold = first if first.value is None else second
            return Ruling(criterion.name, None, untold.status, notes={**notes, **dict(untold.notes)})
        lead = (first.value - second.value) / (criterion.high - criterion.low)
        value = TIE if abs(lead) <= self._band + 1e-9 else labels[0] if lead > 0 else labels[1]
        return Ruling(criterion.name, value, "ok", notes=notes)
