"""`embedding`: nearest items to the dialogue in an embedding space."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from mysteryshopper.core import Embedder, History, Parts, Scored
from mysteryshopper.items import VectorIndex, item_text
from mysteryshopper.systems.recommender import Recommender, RecommenderOptions, query

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class Embedding(Recommender):
    """Ranks items by the cosine of their text's embedding with that of the user's words.

    The index is built at the first question; vectors are cached between runs.
    """

    def __init__(self, catalog: Catalog, embedder: Embedder, show: int = 3) -> None:
        """Make it; nothing is embedded yet."""
        super().__init__(catalog, show)
        self._embedder = embedder
        self._index: VectorIndex | None = None
        self._building = asyncio.Lock()

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have items."""
        return cls(parts.dataset().catalog(), parts.embedder(), options.show)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k nearest items and those that tie with the last."""
        async with self._building:
            if self._index is None:
                items = list(self.catalog)
                self._index = VectorIndex(items, await self._embedder.embed([item_text(item) for item in items]))
        vectors = await self._embedder.embed([query(history, "user") or query(history)])
        return self._index.search(vectors[0], k)
