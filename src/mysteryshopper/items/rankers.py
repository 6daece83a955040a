"""Rankings that need no model. Each is best first; equal scores are ties, listed by id (integers as integers)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from math import inf
from typing import Literal

from mysteryshopper.core import Scored
from mysteryshopper.items.catalog import Catalog
from mysteryshopper.items.wishes import id_order, value_pairs


def copy_history(history_item_ids: Sequence[str]) -> list[Scored]:
    """Rank the items of a history, the last mentioned first, each once.

    Args:
        history_item_ids: Ids in order of mention, repeats included.

    Returns:
        The ranking; scores count down to 1, so there are no ties.
    """
    latest = list(dict.fromkeys(reversed(history_item_ids)))
    return [Scored(item_id, float(len(latest) - place)) for place, item_id in enumerate(latest)]


def popularity(counts: Mapping[str, int]) -> list[Scored]:
    """Rank items by a count; those that were never counted (0) are not ranked."""
    counted = [(item_id, float(count)) for item_id, count in counts.items() if count > 0]
    return [Scored(*pair) for pair in sorted(counted, key=lambda pair: (-pair[1], id_order(pair[0])))]


def attribute_overlap_ranking(
    catalog: Catalog,
    values: Mapping[str, Iterable[str]],
    measure: Literal["count", "jaccard"] = "count",
    k: int | None = None,
) -> list[Scored]:
    """Rank the items of a catalogue by how many of the values they have; those that have none are not ranked.

    Args:
        catalog: The items.
        values: Values by attribute, compared by `fold_value`.
        measure: `count` of the pairs (attribute, value) shared, or `jaccard`: that count over the number of pairs that
            the item or the values hold, of the attributes named in `values` (also of those without a value there).
        k: How many are wanted; all that tie with the k-th come too. None is all.
    """
    asked = value_pairs(values)
    shared = Counter(chain.from_iterable(catalog.holders(attribute, value) for attribute, value in asked))
    scores: dict[str, float] = dict(shared)
    if measure == "jaccard":
        held = [catalog.value_counts(name) for name in values]
        for item_id, count in shared.items():
            union = len(asked) - count
            for counts in held:
                union += counts.get(item_id, 0)
            scores[item_id] = count / union
    ranked: Iterable[str] = scores
    if k is not None and k < len(scores):
        least = nlargest(k, scores.values())[-1] if k > 0 else inf
        ranked = [item_id for item_id, score in scores.items() if score >= least]
    place = catalog.id_places
    return [Scored(item_id, float(scores[item_id])) for item_id in sorted(ranked, key=lambda i: (-scores[i], place[i]))]
