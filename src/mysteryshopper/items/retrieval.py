"""Indexes over items: by the words of their texts (BM25), and by vectors (cosine)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from mysteryshopper.core import DataError, Item, Scored
from mysteryshopper.items.forms import bare_title
from mysteryshopper.items.wishes import fold_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Field = Literal["title", "attributes", "text"]
_WORD = re.compile(r"[^\W_]+")


def item_text(item: Item, fields: Iterable[Field] = ("title", "attributes", "text")) -> str:
    """Return what is known of an item as one text: title and year, attributes by name, free text; a line each."""
    title, year = bare_title(item)
    parts = {
        "title": [f"{title} ({year})" if year is not None else title, *item.aliases],
        "attributes": [f"{name}: {', '.join(values)}" for name, values in item.attributes.items() if values],
        "text": [item.text],
    }
    return "\n".join(line for field in fields for line in parts[field] if line)


class LexicalIndex:
    """BM25 over the words of items (Lucene's variant, k1 1.5, b 0.75, as `bm25s` computes it).

    Words are runs of letters and digits in any letter case; none is left out or cut to a stem.
    """

    def __init__(self, items: Sequence[Item], fields: Iterable[Field] = ("title", "attributes", "text")) -> None:
        """Index the items by the fields named; nothing is written and nothing printed."""
        self._ids = [item.id for item in items]
        texts = [_words(item_text(item, fields := tuple(fields))) for item in items]
        self._columns: dict[str, tuple[Any, Any]] = {}  # by word, the places of the items that hold it and its weights
        if any(texts):
            import bm25s  # here, not above: it takes a while, and few need it
            import numpy as np

            bm25 = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            bm25.index(texts, show_progress=False)
            places, weights, starts = (bm25.scores[name] for name in ("indices", "data", "indptr"))
            places = places.astype(np.intp)  # or numpy would do it for every query
            for word in {word for words in texts for word in words}:
                number = bm25.vocab_dict[word]
                column = slice(starts[number], starts[number + 1])
                self._columns[word] = places[column], weights[column]

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, query: str, k: int) -> list[Scored]:
        """Return the k items that match a query best, best first, and all that tie with the k-th.

        Args:
            query: Any text; its words are looked for, each as often as it stands there.
            k: How many are wanted.

        Returns:
            Items with a score above 0, ties in the order of the items; fewer than k where fewer match, none where k is
            under 1 or no word is known.
        """
        scores = self.scores(query)
        return _best(self._ids, scores, k, scores > 0)

    def scores(self, query: str) -> NDArray[np.float32]:
        """Return the score of each item for a query, in the order of the items; 0 where no word matches."""
        import numpy as np

        scores = np.zeros(len(self._ids), dtype=np.float32)
        for word in _words(query):
            if (column := self._columns.get(word)) is not None:
                places, weights = column
                scores[places] += weights
        return scores

    def best(self, scores: ArrayLike, k: int, among: ArrayLike) -> list[Scored]:
        """Return the k items of the highest scores, best first, and all that tie with the k-th.

        Args:
            scores: A score for each item, in the order of the items.
            k: How many are wanted.
            among: For each item whether it may be returned.

        Returns:
            Items with their scores, ties in the order of the items; none where k is under 1.
        """
        import numpy as np

        return _best(self._ids, np.asarray(scores), k, np.asarray(among, dtype=np.bool_))


class VectorIndex:
    """Items by vectors, one for each, searched by cosine."""

    def __init__(self, items: Sequence[Item], vectors: ArrayLike) -> None:
        """Index the items.

        Args:
            items: The items.
            vectors: Array of shape (number of items, dimension); rows need not have length 1.

        Raises:
            DataError: There is not one finite vector for each item.
        """
        import numpy as np

        self._ids = [item.id for item in items]
        rows = np.asarray(vectors, dtype=np.float32)
        if not self._ids and rows.size == 0:
            rows = rows.reshape(0, rows.shape[-1] if rows.ndim == 2 else 0)
        if rows.ndim != 2 or len(rows) != len(self._ids):
            raise DataError(
                f"{len(self._ids)} items need as many vectors, one row each; the array has shape {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise DataError("a vector of the items holds NaN or an infinity; embed the items again")
        self._rows = _unit(rows)

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, vector: ArrayLike, k: int) -> list[Scored]:
        """Return the k items nearest to a vector, nearest first, and all that tie with the k-th.

        Args:
            vector: Array of shape (dimension,).
            k: How many are wanted.

        Returns:
            Items with their cosine (-1 to 1, to six decimals, so that equal vectors tie), ties in the order of the
            items. A vector of length 0 has no direction: as a query it finds nothing, as an item its cosine is 0.

        Raises:
            DataError: The vector has another dimension than the items', or is not finite.
        """
        import numpy as np

        query = np.asarray(vector, dtype=np.float32)
        if not self._ids:
            return []
        if query.shape != (self._rows.shape[1],):
            raise DataError(
                f"the query's vector has shape {query.shape}, the items' have dimension {self._rows.shape[1]}"
            )
        if not np.isfinite(query).all():
            raise DataError("the query's vector holds NaN or an infinity; embed the query again")
        if not query.any():
            return []
        scores = np.round((self._rows @ _unit(query[None, :])[0]).astype(np.float64), 6)
        return _best(self._ids, np.clip(scores, -1.0, 1.0) + 0.0, k)


def _words(text: str) -> list[str]:
    return _WORD.findall(fold_value(text))


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    scaled = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0.0), np.finfo(np.float32).tiny)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (scaled / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return unit


def _best(ids: Sequence[str], scores: Any, k: int, among: Any = None) -> list[Scored]:
    import numpy as np

    if k < 1:
        return []
    kept = np.arange(len(ids)) if among is None else np.flatnonzero(among)
    if len(kept) > k:
        least = np.partition(scores[kept], len(kept) - k)[len(kept) - k]
        kept = kept[scores[kept] >= least]
    order = kept[np.argsort(-scores[kept], kind="stable")]
    return [Scored(ids[place], score) for place, score in zip(order.tolist(), scores[order].tolist(), strict=True)]
