"""Numbers in, estimates out. Pure; what is undefined is None, with a reason where it is an estimate, and never NaN."""

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.agreement import cohen_kappa, krippendorff_alpha, raw_agreement
from mysteryshopper.metrics.bradley_terry import Game, Ranking, bradley_terry
from mysteryshopper.metrics.checks import align
from mysteryshopper.metrics.classification import (
    ClassificationScores,
    LabelScores,
    classification_scores,
    mean_absolute_error,
)
from mysteryshopper.metrics.confusions import Confusion, confusion, constant_scores, shuffled_scores
from mysteryshopper.metrics.correlation import kendall, pearson, spearman
from mysteryshopper.metrics.distances import total_variation
from mysteryshopper.metrics.diversity import (
    cosine_diversity,
    distinct_n,
    entropy,
    jensen_shannon,
    mean_type_token_ratio,
    sampled_type_token_ratio,
    type_token_ratio,
)
from mysteryshopper.metrics.intervals import clustered_error, mean, mean_of_means, proportion, wilson
from mysteryshopper.metrics.outcomes import Rated, graded_mean, success_rate
from mysteryshopper.metrics.pairs import (
    PairedDifference,
    PairOutcome,
    PairTally,
    Preference,
    pair_outcome,
    paired_difference,
    tally_pairs,
)
from mysteryshopper.metrics.passk import pass_hat
from mysteryshopper.metrics.quantiles import quantile
from mysteryshopper.metrics.ranking import (
    coverage_by_turn,
    hit_at,
    label_mrr_at,
    label_ndcg_at,
    label_recall_at,
    mrr_at,
    ndcg_at,
    recall_at,
)
from mysteryshopper.metrics.separations import separation
from mysteryshopper.metrics.ties import (
    better_and_tied,
    equals_before,
    expected_gain,
    expected_hit_at,
    expected_recall_at,
    expected_reciprocal_rank,
    expected_within,
    order_by_id,
)
from mysteryshopper.metrics.tokens import words
from mysteryshopper.metrics.trend import within_slope

__all__ = [
    "ClassificationScores",
    "Confusion",
    "Estimate",
    "Game",
    "LabelScores",
    "PairOutcome",
    "PairTally",
    "PairedDifference",
    "Preference",
    "Ranking",
    "Rated",
    "align",
    "better_and_tied",
    "bradley_terry",
    "classification_scores",
    "clustered_error",
    "cohen_kappa",
    "confusion",
    "constant_scores",
    "cosine_diversity",
    "coverage_by_turn",
    "distinct_n",
    "entropy",
    "equals_before",
    "expected_gain",
    "expected_hit_at",
    "expected_recall_at",
    "expected_reciprocal_rank",
    "expected_within",
    "graded_mean",
    "hit_at",
    "jensen_shannon",
    "kendall",
    "krippendorff_alpha",
    "label_mrr_at",
    "label_ndcg_at",
    "label_recall_at",
    "mean",
    "mean_absolute_error",
    "mean_of_means",
    "mean_type_token_ratio",
    "mrr_at",
    "ndcg_at",
    "order_by_id",
    "pair_outcome",
    "paired_difference",
    "pass_hat",
    "pearson",
    "proportion",
    "quantile",
    "raw_agreement",
    "recall_at",
    "sampled_type_token_ratio",
    "separation",
    "shuffled_scores",
    "spearman",
    "success_rate",
    "tally_pairs",
    "total_variation",
    "type_token_ratio",
    "wilson",
    "within_slope",
    "words",
]
