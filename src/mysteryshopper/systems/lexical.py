"""`lexical`: BM25 over titles, plots and attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mysteryshopper.core import History, Scored
from mysteryshopper.items import LexicalIndex
from mysteryshopper.systems.recommender import Recommender, query
from mysteryshopper.systems.words import content_words

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class Lexical(Recommender):
    """Retrieves the items whose title, plot and attributes match the words of the dialogue best (BM25).

    Words of grammar and small talk (`I`, `no`, `a film`) are not looked for, but inside double quotes: a title is.
    """

    def __init__(self, catalog: Catalog, show: int = 3) -> None:
        """Make it and index the catalogue."""
        super().__init__(catalog, show)
        self._index = LexicalIndex(catalog.items)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k best matches of all that the user has said; items that match no word are not ranked."""
        return self._index.search(content_words(query(history, "user") or query(history)), k)
