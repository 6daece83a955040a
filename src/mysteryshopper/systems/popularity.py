"""`popularity`: the most recommended items, whatever is said."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field

from mysteryshopper.core import History, Parts, Scored
from mysteryshopper.items import popularity
from mysteryshopper.systems.recommender import Recommender, RecommenderOptions

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class PopularityOptions(RecommenderOptions):
    """Options of `popularity`."""

    split: str | None = Field(
        default=None, description="Split whose recommended items are counted; default the data set's own."
    )


class Popularity(Recommender):
    """Ranks items by how often people recommended them in another split of the data.

    An item that nobody recommended there is not ranked.
    """

    options: ClassVar[type[PopularityOptions]] = PopularityOptions
    control: ClassVar[bool] = True

    def __init__(self, catalog: Catalog, counts: Mapping[str, int], show: int = 3) -> None:
        """Make it from counts by item id."""
        super().__init__(catalog, show)
        self._ranking = list(popularity(counts))
        self._falling = [-scored.score for scored in self._ranking]

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have the split to count."""
        dataset = parts.dataset()
        split = getattr(options, "split", None) or dataset.popularity_split
        return cls(dataset.catalog(), dataset.label_counts(split), options.show)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k most counted items and those that tie with the last."""
        if k >= len(self._ranking):
            return self._ranking
        return self._ranking[: bisect_right(self._falling, self._falling[k - 1])]
