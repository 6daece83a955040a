"""Judges: who answers criteria about what was said. Verdicts are theirs; what the numbers say is the protocol's."""

from mysteryshopper.core import Registry

JUDGES = Registry(
    "judge",
    {
        "pairwise": "mysteryshopper.judges.pairwise:PairwiseJudge",
        "persuasiveness": "mysteryshopper.judges.persuasiveness:PersuasivenessJudge",
        "rubric": "mysteryshopper.judges.rubric:RubricJudge",
        "rules": "mysteryshopper.judges.rules:RulesJudge",
        "simulators": "mysteryshopper.judges.simulators:SimulatorJudge",
        "rules-pair": "mysteryshopper.judges.rules:RulesPairJudge",
        "styles": "mysteryshopper.judges.styles:StylesJudge",
    },
    "mysteryshopper.judges",
)

__all__ = ["JUDGES"]
