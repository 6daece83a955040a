"""Predicted labels against true ones."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Estimate
from mysteryshopper.metrics.checks import same_length
from mysteryshopper.metrics.intervals import mean, proportion


@dataclass(frozen=True, slots=True)
class LabelScores:
    """Precision, recall and F1 of one label, 0 where one divides by nothing; `support` counts its true occurrences."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True)
class ClassificationScores:
    """How well labels were predicted.

    Attributes:
        accuracy: Share of correct predictions, with its interval.
        precision: Mean over labels (macro); None where nothing was predicted.
        recall: Mean over labels.
        f1: Mean over labels of each label's F1.
        by_label: The scores of each label, sorted by name.
        left_out: Pairs without a true or a predicted label.
    """

    accuracy: Estimate
    precision: float | None
    recall: float | None
    f1: float | None
    by_label: tuple[tuple[Hashable, LabelScores], ...]
    left_out: int


def classification_scores(
    truth: Sequence[Hashable],
    predicted: Sequence[Hashable],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> ClassificationScores:
    """Score predicted labels; averages are macro, over all labels that occur on either side.

    Args:
        truth: The true label of each item; None is left out.
        predicted: The predicted label of each item; None (unread) is left out and counted.
        clusters: The cluster of each item.
        level: Confidence level of the accuracy's interval.

    Raises:
        DataError: The two are not equally long.
    """
    same_length(truth, predicted, "true and predicted labels")
    pairs = list(zip(truth, predicted, strict=True))
    correct = [None if true is None or guess is None else true == guess for true, guess in pairs]
    rated = [pair for pair, is_known in zip(pairs, correct, strict=True) if is_known is not None]
    labels = sorted({label for pair in rated for label in pair}, key=lambda label: (str(type(label)), str(label)))
    scores = [(label, _score(label, rated)) for label in labels]
    macro = [
        math.fsum(values) / len(values) if values else None
        for values in (
            [score.precision for _, score in scores],
            [score.recall for _, score in scores],
            [score.f1 for _, score in scores],
        )
    ]
    return ClassificationScores(
        proportion(correct, clusters, level), macro[0], macro[1], macro[2], tuple(scores), len(pairs) - len(rated)
    )


def mean_absolute_error(
    predicted: Sequence[float | None],
    truth: Sequence[float | None],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the mean absolute difference over pairs that have both values; `n` says how many have.

    Raises:
        DataError: The two are not equally long; to pair by id, and have missing ones named, use `align`.
    """
    same_length(predicted, truth, "predicted and true values")
    errors = [None if p is None or t is None else abs(p - t) for p, t in zip(predicted, truth, strict=True)]
    return mean(errors, clusters, level, seed)


def _score(label: Hashable, pairs: Sequence[tuple[Hashable, Hashable]]) -> LabelScores:
    hits = sum(true == label == guess for true, guess in pairs)
    support = sum(true == label for true, _ in pairs)
    guessed = sum(guess == label for _, guess in pairs)
    f1 = 2 * hits / (support + guessed) if support + guessed else 0.0
    return LabelScores(hits / guessed if guessed else 0.0, hits / support if support else 0.0, f1, support)
