"""An index of attribute values, for ranking thousands of times by how many of them items share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import Scored
from mysteryshopper.items import fold_value

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_Places = NDArray[np.intp]
_SCORED: Callable[[tuple[str, float]], Scored] = partial(tuple.__new__, Scored)
"""Makes a `Scored` of id and score, in a third of the time: thousands may tie."""


class OverlapIndex:
    """Ranks as `items.attribute_overlap_ranking` does, from arrays that are made once."""

    def __init__(self, catalog: Catalog, measure: Literal["count", "jaccard"] = "count") -> None:
        """Make the index of a catalogue."""
        self._measure = measure
        order = catalog.id_places
        self._ids = sorted(order, key=lambda name: order[name])
        self._items = catalog.items
        self._order = order

    def ranking(self, values: Mapping[str, Iterable[str]], k: int) -> list[Scored]:
        """Return the best k items and all that tie with the last, best first, equals by id.

        Args:
            values: Values by attribute, compared by `fold_value`. For `jaccard` an attribute without values counts too.
            k: How many are wanted.
        """
        asked = {name: {fold_value(value) for value in held} for name, held in values.items()}
        pairs = [(name, value) for name, held in asked.items() for value in held]
        holders = [places for pair in pairs if (places := self._holders.get(pair)) is not None]
        if not holders:
            return []
        counts = np.bincount(np.concatenate(holders), minlength=len(self._ids))
        if self._measure == "jaccard":
            found = np.flatnonzero(counts)
            shared = counts[found]
            owned = [own[found] for name in asked if (own := self._counts.get(name)) is not None]
            scores = shared / (len(pairs) - shared + sum(owned))
            if k < len(found):
                best = scores >= np.partition(scores, len(found) - k)[len(found) - k]
                found, scores = found[best], scores[best]
        else:
            at_least = np.bincount(counts)[::-1].cumsum()[::-1]  # by count, how many items share so many or more
            least = max(1, int(np.count_nonzero(at_least >= k)) - 1)
            found = np.flatnonzero(counts >= least)
            scores = counts[found].astype(float)
        order = np.argsort(-scores, kind="stable")
        names = map(self._ids.__getitem__, found[order].tolist())
        return list(map(_SCORED, zip(names, scores[order].tolist(), strict=True)))

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
            found.setdefault(name, np.zeros(len(self._ids), dtype=np.intp))[places] += 1
        return found
