"""Text embedding models: a local one (ONNX, extra `[embeddings]`) and any OpenAI-compatible endpoint.

Both give float32 rows of length 1, so that a dot product is the cosine.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mysteryshopper.core import Address, ConfigError, Embedder, Json
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.budget import cost
from mysteryshopper.models.caller import Caller, InBody
from mysteryshopper.models.local_embedding import LocalEmbedder
from mysteryshopper.models.pool import Models
from mysteryshopper.models.record import Job, Received, Recorder
from mysteryshopper.models.replies import Unreadable
from mysteryshopper.models.sending import Tally
from mysteryshopper.models.vector_cache import VectorCache, through, unit_rows
from mysteryshopper.models.wire import body_bytes


def build_embedder(
    name: str = "minilm",
    block: ModelBlock | None = None,
    models: Models | None = None,
    cache: VectorCache | None = None,
) -> Embedder:
    """Return the embedding model of a block, or the local one.

    Provider `local` takes `path`: `minilm` (the default), an ONNX file with its `tokenizer.json` beside it, or their
    folder. Any other provider is asked at `base_url` + `/embeddings`.

    Args:
        name: Name of the block.
        block: The block; None is the local model.
        models: The run's models; needed for an endpoint.
        cache: Where vectors are kept between runs; None keeps none.

    Raises:
        ConfigError: Weights or packages are missing, or the block can't be an embedding model.
    """
    if block is None or block.provider == "local":
        return LocalEmbedder(*_files(block), name=name, cache=cache)
    if block.provider != "openai":
        raise ConfigError(
            f"{block.provider} is no provider of embeddings; it takes local or openai", key=f"models.{name}.provider"
        )
    if models is None:
        raise ConfigError("an embedding endpoint needs the run's models", key=f"models.{name}")
    return HttpEmbedder(name, block, models.caller(name, block, "embeddings"), models.recorder, cache=cache)


class HttpEmbedder:
    """An OpenAI-compatible `/embeddings` endpoint, asked in batches through its gate; calls are recorded and counted.

    Attributes:
        name: Name of the block.
    """

    def __init__(
        self,
        name: str,
        block: ModelBlock,
        caller: Caller,
        recorder: Recorder,
        *,
        cache: VectorCache | None = None,
        batch: int = 64,
    ) -> None:
        """Make one.

        Args:
            name: Name of the block.
            block: Its `name` is the model's; `params` (`dimensions`, `encoding_format` …) are sent as they are, where
                null removes a default.
            caller: Posts to the endpoint's `/embeddings`.
            recorder: The recording layer of the run.
            cache: Where vectors are kept between runs.
            batch: Texts in one request.
        """
        self.name = name
        body = {"model": block.name, "encoding_format": "float", **block.params}
        self._body = {key: value for key, value in body.items() if value is not None}
        self._price = block.price
        self._caller = caller
        self._recorder = recorder
        self._cache = cache
        self._batch = batch
        self._identity = f"http {block.base_url} {sorted(self._body.items())}"

    async def embed(self, texts: Sequence[str]) -> Any:
        """Return a float32 array of shape (len(texts), dimension), rows of length 1; (0, 0) for no texts.

        Raises:
            CallFailed: The endpoint failed for good, or what it sends are no vectors for these texts.
            StopRun: Nothing sent there can succeed.
        """
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        return await through(self._cache, self._identity, clean, self._compute)

    async def _compute(self, texts: list[str]) -> Any:
        parts = [texts[start : start + self._batch] for start in range(0, len(texts), self._batch)]
        tasks = [asyncio.ensure_future(self._ask(part)) for part in parts]
        try:
            return np.concatenate(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def _ask(self, texts: list[str]) -> Any:
        # endpoints refuse an empty text; a space stands for it
        payload = body_bytes({**self._body, "input": [text or " " for text in texts]})
        key = self._recorder.key(b"embeddings\0" + self.name.encode() + b"\0" + payload, "0", shared=False)
        address = Address(role="embedding", component=self.name)

        async def exchange(tally: Tally) -> Received[Any]:
            def read(raw: bytes) -> Any:
                answer = self._caller.read_json(raw)
                InBody.check(answer)
                _count(answer, tally)
                return _vectors(answer, len(texts))

            rows = await self._caller.post(payload, tally, read=read)
            return Received(rows, {"vectors": [base64.b64encode(row.tobytes()).decode() for row in rows]}, "ok", "stop")

        worst = cost(self._price, len(payload), 0)  # a token is at least a byte
        call, rows = await self._recorder.record(Job(key, address, self.name, "", worst, self._charge, exchange))
        if rows is None:  # the run had it already
            rows = np.stack([_row(vector) for vector in call.reply["vectors"]])
        return unit_rows(rows)

    def _charge(self, tally: Tally) -> float | None:
        return cost(self._price, tally.input_tokens, 0)


def _files(block: ModelBlock | None) -> tuple[Path, Path] | tuple[()]:
    if block is None or block.path in (None, "minilm"):
        return ()
    path = Path(str(block.path)).expanduser()
    model = path / "model.onnx" if path.is_dir() else path
    return model, model.parent / "tokenizer.json"


def _count(answer: Json, tally: Tally) -> None:
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(tokens, int) and tokens > 0:
        tally.used(tokens, 0)


def _vectors(answer: Json, count: int) -> Any:
    try:
        rows = sorted(answer["data"], key=lambda row: int(row["index"]))
        if [row["index"] for row in rows] != list(range(count)):
            raise Unreadable(f"{len(rows)} vectors for {count} texts")
        array = np.stack([_row(row["embedding"]) for row in rows])
        if array.ndim != 2 or not np.isfinite(array).all():
            raise Unreadable("a vector with numbers missing")
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise Unreadable(f"no vectors ({type(error).__name__})") from error
    return array


def _row(vector: Json) -> Any:
    if isinstance(vector, str):
        return np.frombuffer(base64.b64decode(vector, validate=True), dtype="<f4")
    return np.asarray(vector, dtype=np.float32)
