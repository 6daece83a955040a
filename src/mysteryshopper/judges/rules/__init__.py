"""The `rules` judge: what can be told of a dialogue without a model, each with its evidence.

Phrases and criteria lie in files beside the code; what they decide is in one small module a kind of rule.
"""

from mysteryshopper.judges.rules.judge import RulesJudge, RulesOptions, own_criteria

__all__ = ["RulesJudge", "RulesOptions", "own_criteria"]
