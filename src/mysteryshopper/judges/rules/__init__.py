"""The `rules` judges: what can be told of a dialogue, or of two replies, without a model, with its evidence.

Phrases and criteria lie in files beside the code; what they decide is in one small module a kind of rule.
"""

from mysteryshopper.judges.rules.judge import RulesJudge, RulesOptions, own_criteria
from mysteryshopper.judges.rules.pairs import RulesPairJudge, RulesPairOptions

__all__ = ["RulesJudge", "RulesOptions", "RulesPairJudge", "RulesPairOptions", "own_criteria"]
