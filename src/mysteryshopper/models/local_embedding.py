"""A small sentence embedding model in this process (ONNX, extra `[embeddings]`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from mysteryshopper.core import ConfigError
from mysteryshopper.models.vector_cache import VectorCache, through, unit_rows
from mysteryshopper.models.weights import file_digest, weights_file


class LocalEmbedder:
    """A sentence transformer as ONNX in this process: mean over the tokens, scaled to length 1.

    It loads at its first text, off the event loop. Its tokenizer is the uncased English one of BERT: texts in other
    scripts get vectors that say little.

    Attributes:
        name: Name in records.
    """

    def __init__(
        self,
        model: Path | None = None,
        tokenizer: Path | None = None,
        *,
        name: str = "minilm",
        cache: VectorCache | None = None,
        batch: int = 16,
        max_tokens: int = 128,
        threads: int = 1,
    ) -> None:
        """Make one that is not loaded yet.

        Args:
            model: ONNX file; None takes the pulled `minilm`.
            tokenizer: `tokenizer.json`; None takes the pulled one.
            name: Name in records.
            cache: Where vectors are kept.
            batch: Texts in one pass.
            max_tokens: Tokens of a text that count; the rest is cut off.
            threads: Threads of computation.

        Raises:
            ConfigError: A file or a package is missing; says how to get it.
        """
        for package in ("onnxruntime", "tokenizers"):
            if find_spec(package) is None:
                raise ConfigError(
                    f"local embeddings need the package {package}; install it with "
                    "`pip install 'mysteryshopper[embeddings]'`"
                )
        self.name = name
        self._model = weights_file("minilm") if model is None else _existing(model)
        self._tokenizer_file = weights_file("minilm", 1) if tokenizer is None else _existing(tokenizer)
        self._cache = cache
        self._batch = batch
        self._max_tokens = max_tokens
        self._threads = threads
        self._lock = Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._identity = ""

    async def embed(self, texts: Sequence[str]) -> Any:
        """Return a float32 array of shape (len(texts), dimension), rows of length 1; (0, 0) for no texts."""
        identity = await asyncio.to_thread(self._identify)
        return await through(self._cache, identity, texts, self._compute)

    async def _compute(self, texts: list[str]) -> Any:
        return await asyncio.to_thread(self._run, texts)

    def _identify(self) -> str:
        with self._lock:
            if not self._identity:
                digests = file_digest(self._model), file_digest(self._tokenizer_file)
                self._identity = f"onnx {digests[0]} {digests[1]} mean {self._max_tokens}"
            return self._identity

    def _run(self, texts: list[str]) -> Any:
        tokenizer, session = self._load()
        encoded = tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        order = sorted(range(len(texts)), key=lambda index: len(encoded[index].ids))  # little padding in a batch
        rows: list[Any] = [None] * len(texts)
        for start in range(0, len(order), self._batch):
            some = order[start : start + self._batch]
            for index, row in zip(some, _pooled(session, [encoded[index] for index in some]), strict=True):
                rows[index] = row
        return np.stack(rows)

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                import onnxruntime
                import tokenizers

                tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer_file))
                tokenizer.enable_truncation(self._max_tokens)
                tokenizer.no_padding()
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = options.inter_op_num_threads = self._threads
                options.log_severity_level = 3
                session = onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
                self._loaded = tokenizer, session
            return self._loaded


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise ConfigError(f"there is no file {path}; `mysteryshopper models pull minilm` fetches an embedding model")
    return path


def _pooled(session: Any, encoded: Sequence[Any]) -> Any:
    width = max(len(one.ids) for one in encoded)
    shape = (len(encoded), width)
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, one in enumerate(encoded):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {given.name for given in session.get_inputs()}
    outputs = session.run(None, {name: value for name, value in feeds.items() if name in wanted})
    tokens = next((output for output in outputs if output.ndim == 3 and output.shape[:2] == shape), None)
    if tokens is None:
        raise ConfigError("the ONNX model gives no vector for each token, so it is no sentence transformer")
    weights = mask[..., None].astype(np.float32)
    return unit_rows((tokens * weights).sum(axis=1) / weights.sum(axis=1))
