"""How far up a ranking the relevant items stand.

A ranking is a sequence of items, best first; a repeated item uses its slot and earns nothing, and a short or empty
ranking counts as it is. All values lie in [0, 1] and are None where nothing is relevant. A text in place of a list of
items raises DataError, as its letters would be taken for items; so does a cut-off below 1 (ConfigError).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence

from mysteryshopper.metrics.checks import at_least_one, no_text


def recall_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return the share of relevant items among the first k (hits over relevant)."""
    ranks = _ranks(ranking, relevant, k)
    wanted = set(relevant)
    return len(wanted & ranks.keys()) / len(wanted) if wanted else None


def hit_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return 1 if any relevant item is among the first k, else 0."""
    ranks = _ranks(ranking, relevant, k)
    return float(any(item in ranks for item in relevant)) if relevant else None


def mrr_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return 1 / rank of the first relevant item among the first k, 0 without one (reciprocal rank of one list)."""
    ranks = _ranks(ranking, relevant, k)
    return max((1 / ranks[item] for item in relevant if item in ranks), default=0.0) if relevant else None


def ndcg_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return the discounted gain 1 / log2(rank + 1) of the relevant items among the first k, over the best possible.

    Gains are binary (Järvelin and Kekäläinen, 2002); best possible is all relevant items, or k of them, in front.
    """
    ranks = _ranks(ranking, relevant, k)
    wanted = set(relevant)
    if not wanted:
        return None
    best = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))
    return min(1.0, math.fsum(_gain(ranks[item]) for item in wanted if item in ranks) / best)


def label_recall_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return the mean over labels of 1 if the label is among the first k (published as Recall@k by iEvaLM, CRSLab).

    Over several turns, papers pool all labels: give each label's value to `proportion`, not each turn's mean.
    """
    ranks = _ranks(ranking, relevant, k)
    return _mean(float(item in ranks) for item in relevant)


def label_mrr_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return the mean over labels of 1 / rank of the label, 0 beyond the first k (iEvaLM's MRR@k)."""
    ranks = _ranks(ranking, relevant, k)
    return _mean(1 / ranks[item] if item in ranks else 0.0 for item in relevant)


def label_ndcg_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Return the mean over labels of 1 / log2(rank + 1) of the label, 0 beyond the first k (iEvaLM's NDCG@k)."""
    ranks = _ranks(ranking, relevant, k)
    return _mean(_gain(ranks[item]) if item in ranks else 0.0 for item in relevant)


def coverage_by_turn(
    rankings: Sequence[Sequence[Hashable]], relevant: Collection[Hashable], k: int
) -> list[float | None]:
    """Return, for each turn, the share of relevant items in the first k of any list so far (PEPPER's coverage)."""
    at_least_one(k)
    no_text(*rankings, relevant)
    wanted = set(relevant)
    met: set[Hashable] = set()
    shares: list[float | None] = []
    for ranking in rankings:
        met |= wanted & set(ranking[:k])
        shares.append(len(met) / len(wanted) if wanted else None)
    return shares


def _ranks(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> dict[Hashable, int]:
    """Return the rank, from 1, of the first place of every item among the first k."""
    at_least_one(k)
    no_text(ranking, relevant)
    ranks: dict[Hashable, int] = {}
    for rank, item in enumerate(ranking[:k], start=1):
        ranks.setdefault(item, rank)
    return ranks


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else None
