"""Embeddings from an endpoint, against the fake server."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mysteryshopper.core import Call, CallFailed, ConfigError, Embedder
from mysteryshopper.models import CallLimits, ModelBlock, Models, Price
from mysteryshopper.models.embedding import build_embedder
from mysteryshopper.models.vector_cache import VectorCache
from mysteryshopper.testing import FakeServer, hash_vector

EMBEDDINGS = "/v1/embeddings"


class Log:
    """Keeps calls in memory."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}

    async def find(self, key: str) -> Call | None:
        call = self.calls.get(key)
        return call if call is not None and call.status == "ok" else None

    async def commit(self, call: Call) -> None:
        self.calls[call.key] = call


def endpoint(server: FakeServer, models: Models, cache: VectorCache | None = None, **block: Any) -> Embedder:
    block = {"price": Price(input=2.0, output=0.0), **block}
    return build_embedder(
        "far", ModelBlock(provider="openai", name="vectors", base_url=server.base_url, **block), models, cache
    )


@pytest.fixture
def limits() -> CallLimits:
    return CallLimits(retries=1, backoff=0.001)


@pytest.mark.parametrize("form", ["float", "base64"])
async def test_rows_come_in_order_in_either_form(form: str, limits: CallLimits) -> None:
    texts = ["slow train film", "tax law", "", "slow train film"]
    async with FakeServer() as server, Models(Log(), limits=limits) as models:
        rows = await endpoint(server, models, params={"encoding_format": form}).embed(texts)
        assert server.bodies(EMBEDDINGS) == [
            {"model": "vectors", "encoding_format": form, "input": ["slow train film", "tax law", " "]}
        ]
    assert rows.dtype == np.float32
    assert rows[1] == pytest.approx(hash_vector("tax law"), abs=1e-6)
    assert (rows[0] == rows[3]).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-6)


async def test_many_texts_go_in_batches_and_a_resumed_run_asks_for_none(limits: CallLimits) -> None:
    texts = [f"text {number}" for number in range(150)]
    log = Log()
    async with FakeServer() as server:
        async with Models(log, limits=limits) as models:
            rows = await endpoint(server, models).embed(texts)
        assert [len(body["input"]) for body in server.bodies(EMBEDDINGS)] == [64, 64, 22]
        async with Models(log, limits=limits) as models:
            again = await endpoint(server, models).embed(texts)
        assert server.count(EMBEDDINGS) == 3
    assert again == pytest.approx(rows, abs=1e-6)
    assert rows[149] == pytest.approx(hash_vector("text 149"), abs=1e-6)


async def test_tokens_and_cost_are_counted(limits: CallLimits) -> None:
    log = Log()
    async with FakeServer() as server, Models(log, limits=limits) as models:
        await endpoint(server, models).embed(["one two three"])
    (call,) = log.calls.values()
    assert (call.address.role, call.model, call.usage.input_tokens) == ("embedding", "far", 3)
    assert call.usage.cost == pytest.approx(3 * 2.0 / 1e6)


async def test_rows_out_of_order_are_put_in_order(limits: CallLimits) -> None:
    upside_down = {"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]}
    async with FakeServer(lambda seen: upside_down) as server, Models(Log(), limits=limits) as models:
        assert (await endpoint(server, models).embed(["a", "b"])).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("fault", ["wrong_shape", "empty_choices", "cut_json", "html", "error_500"])
async def test_what_is_no_vector_fails_for_good_after_retries(fault: str, limits: CallLimits) -> None:
    async with FakeServer(faults=[fault] * 2) as server, Models(Log(), limits=limits) as models:
        with pytest.raises(CallFailed) as caught:
            await endpoint(server, models).embed(["a"])
        assert caught.value.fault == "infra"
        assert server.count(EMBEDDINGS) == 2
        assert (await endpoint(server, models).embed(["a"])).shape == (1, 32)


async def test_vectors_are_kept_between_runs(tmp_path: Path, limits: CallLimits) -> None:
    async with FakeServer() as server:
        for texts in (["a", "b"], ["b", "a"]):
            async with Models(Log(), limits=limits) as models:
                rows = await endpoint(server, models, VectorCache(tmp_path)).embed(texts)
        assert server.count(EMBEDDINGS) == 1
    assert rows[1] == pytest.approx(hash_vector("a"), abs=1e-6)


async def test_only_what_embeds_can_be_built() -> None:
    async with Models(Log()) as models:
        with pytest.raises(ConfigError, match="scripted is no provider of embeddings"):
            build_embedder("x", ModelBlock(provider="scripted", params={"replies": ["a"]}), models)


def test_base64_is_little_endian_float32() -> None:
    from mysteryshopper.models.embedding import _row

    assert _row(base64.b64encode(struct.pack("<2f", 1.5, -2.0)).decode()).tolist() == [1.5, -2.0]
