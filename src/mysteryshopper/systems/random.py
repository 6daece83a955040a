"""`random`: any item. The floor that every recommender must clear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import History, Parts, Scored, rng
from mysteryshopper.systems.recommender import Recommender, RecommenderOptions

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class RandomSystem(Recommender):
    """Ranks items at random: a fresh order for every history's place in the run, the same at every run of a seed.

    Two blocks of this kind draw apart, so that one is a control of the other.
    """

    control: ClassVar[bool] = True

    def __init__(self, catalog: Catalog, seed: int = 0, show: int = 3) -> None:
        """Make it with the run's seed."""
        super().__init__(catalog, show)
        self._seed = seed
        self._ids = sorted(item.id for item in catalog)

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have items."""
        return cls(parts.dataset().catalog(), parts.seed, options.show)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return k items drawn without replacement."""
        address = history.address
        where = (address.component, address.unit, address.repeat, address.path, history.turn)
        drawn = rng(self._seed, "random", *where)
        chosen = drawn.sample(self._ids, min(k, len(self._ids)))
        return [Scored(name, float(-place)) for place, name in enumerate(chosen)]
