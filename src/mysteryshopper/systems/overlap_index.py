"""An index of attribute values, for ranking thousands of times by how many of them items share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Scored
from mysteryshopper.items import fold_value

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_Places = NDArray[np.intp]


class OverlapIndex:
    """Ranks as `items.attribute_overlap_ranking` does, from arrays that are made once."""

    def __init__(self, catalog: Catalog, measure: Literal["count", "jaccard"] = "count") -> None:
        """Make the index of a catalogue."""
        self._measure = measure
        order = catalog.id_places
        self._ids = sorted(order, key=lambda name: order[name])
        self._items = catalog.items
        self._order = order
        self._made: dict[tuple[int, float], Scored] = {}

    def ranking(self, values: Mapping[str, Iterable[str]], k: int) -> list[Scored]:
        """Return the best k items and all that tie with the last, best first, equals by id.

        Args:
            values: Values by attribute, compared by `fold_value`. For `jaccard` an attribute without values counts too.
            k: How many are wanted.
        """
        asked = {name: {fold_value(value) for value in held} for name, held in values.items()}
        shared = np.zeros(len(self._ids))
        for name, held in asked.items():
            for value in held:
                if (places := self._holders.get((name, value))) is not None:
                    shared[places] += 1
        scores = shared
        if self._measure == "jaccard":
            union = sum(len(held) for held in asked.values()) - shared
            for name in asked:
                if (counts := self._counts.get(name)) is not None:
                    union = union + counts
            scores = np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)
        found = np.flatnonzero(scores > 0)
        if k < len(found):
            least = np.partition(scores[found], len(found) - k)[len(found) - k]
            found = found[scores[found] >= least]
        best = found[np.argsort(-scores[found], kind="stable")]
        pairs = zip(best.tolist(), scores[best].tolist(), strict=True)
        if self._measure == "jaccard":
            return [Scored(self._ids[place], score) for place, score in pairs]
        return [self._made.get(pair) or self._make(pair) for pair in pairs]

    def _make(self, pair: tuple[int, float]) -> Scored:
        """Return an item with its score, kept: counts are few, and thousands of items may tie."""
        made = self._made[pair] = Scored(self._ids[pair[0]], pair[1])
        return made

    @cached_property
    def _holders(self) -> Mapping[tuple[str, str], _Places]:
        found: dict[tuple[str, str], list[int]] = {}
        for item in self._items:
            for name, values in item.attributes.items():
                for value in {fold_value(value) for value in values}:
                    found.setdefault((name, value), []).append(self._order[item.id])
        return {key: np.array(places, dtype=np.intp) for key, places in found.items()}

    @cached_property
    def _counts(self) -> Mapping[str, NDArray[Any]]:
        """How many distinct values of an attribute each item has."""
        found: dict[str, NDArray[Any]] = {}
        for (name, _), places in self._holders.items():
            found.setdefault(name, np.zeros(len(self._ids)))[places] += 1
        return found
