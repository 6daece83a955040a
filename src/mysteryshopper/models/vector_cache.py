"""Vectors kept on disk, one SQLite file a model, so that an index is built once."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from mysteryshopper.core import digest
from mysteryshopper.models.cache import cache_folder

_ROWS_A_QUERY = 500
_TEXTS_KEPT_TOGETHER = 512


class VectorCache:
    """Vectors by model and text. Losing it costs time only: what can't be read is computed again.

    A file can be shared by processes. Vectors are kept as they are returned: float32, length 1.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make a cache in `folder`, by default in the folder of all caches; made when the first vector is kept."""
        self._folder = folder or cache_folder() / "embeddings"

    def path(self, model: str) -> Path:
        """Return the file of one model."""
        return self._folder / f"{digest(model)}.sqlite"

    def find(self, model: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the vectors that are kept, by text.

        Args:
            model: What identifies the model: its vectors depend on this and the text alone.
            texts: The texts.
        """
        found: dict[str, Any] = {}
        path = self.path(model)
        if not path.is_file():
            return found
        keys = {_key(text): text for text in texts}
        with suppress(sqlite3.Error), _open(path) as store:
            for start in range(0, len(keys), _ROWS_A_QUERY):
                some = list(keys)[start : start + _ROWS_A_QUERY]
                marks = ",".join("?" * len(some))
                rows = store.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608
                for key, blob in rows:
                    vector = _vector(blob)
                    if vector is not None:
                        found[keys[key]] = vector
        return found

    def keep(self, model: str, vectors: dict[str, Any]) -> None:
        """Keep vectors by text. A disk that is full, or not ours to write, is no error: they are computed again."""
        path = self.path(model)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [(_key(text), _blob(vector)) for text, vector in vectors.items()]
            try:
                _write(path, rows)
            except sqlite3.OperationalError:  # locked or full; not broken
                return
            except sqlite3.DatabaseError:  # no database: begun anew
                path.unlink(missing_ok=True)
                with suppress(sqlite3.Error):
                    _write(path, rows)


async def through(
    cache: VectorCache | None, model: str, texts: Sequence[str], compute: Callable[[list[str]], Awaitable[Any]]
) -> Any:
    """Return the vectors of texts, each different text computed at most once, and not at all if the cache has it.

    Args:
        cache: Where vectors are kept, or None.
        model: What identifies the model.
        texts: The texts; may repeat.
        compute: Gives the array (len, dimension) of texts that are missing.

    Returns:
        float32 array of shape (len(texts), dimension); (0, 0) for no texts.
    """
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    different = list(dict.fromkeys(texts))
    known = {} if cache is None else await asyncio.to_thread(cache.find, model, different)
    if missing := [text for text in different if text not in known]:
        fresh: dict[str, Any] = {}
        step = len(missing) if cache is None else _TEXTS_KEPT_TOGETHER
        for start in range(0, len(missing), step):
            some = missing[start : start + step]
            made = dict(zip(some, await compute(some), strict=True))
            if cache is not None:  # at once: whoever stops a long indexing finds so much of it done
                await asyncio.to_thread(cache.keep, model, made)
            fresh |= made
        sizes = {len(vector) for vector in fresh.values()}
        if known and {len(vector) for vector in known.values()} != sizes:  # a broken or foreign row: all again
            fresh = dict(zip(different, await compute(different), strict=True))
        known |= fresh
    return np.stack([known[text] for text in texts]).astype(np.float32, copy=False)


def unit_rows(vectors: Any) -> Any:
    """Return float32 rows scaled to length 1; a row of zeros stays as it is."""
    array = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return array / np.where(lengths > 0, lengths, 1)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _blob(vector: Any) -> bytes:
    raw: bytes = np.asarray(vector, dtype="<f4").tobytes()
    return hashlib.blake2b(raw, digest_size=8).digest() + raw


def _vector(blob: Any) -> Any | None:
    if not isinstance(blob, bytes) or hashlib.blake2b(blob[8:], digest_size=8).digest() != blob[:8]:
        return None
    return np.frombuffer(blob[8:], dtype="<f4")


def _write(path: Path, rows: list[tuple[bytes, bytes]]) -> None:
    with _open(path) as store, store:
        store.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=30)) as store:
        store.execute("PRAGMA synchronous = OFF")  # losing the last moments costs only vectors made again
        yield store
