"""`ranking-consistency`: do several users, models or runs put the same systems in the same order?"""

from mysteryshopper.protocols.ranking_consistency.options import RankingOptions
from mysteryshopper.protocols.ranking_consistency.procedure import RankingConsistency

__all__ = ["RankingConsistency", "RankingOptions"]
