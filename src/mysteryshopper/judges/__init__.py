"""Judges: who answers criteria about what was said. Verdicts are theirs; what the numbers say is the protocol's."""

from mysteryshopper.core import Registry

JUDGES = Registry(
    "judge",
    {
        "pairwise": "mysteryshopper.judges.pairwise:PairwiseJudge",
        "rubric": "mysteryshopper.judges.rubric:RubricJudge",
        "rules": "mysteryshopper.judges.rules:RulesJudge",
    },
    "mysteryshopper.judges",
)

__all__ = ["JUDGES"]
