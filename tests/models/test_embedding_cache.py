"""The vector cache: each text computed once, damage is a miss."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mysteryshopper.models.vector_cache import VectorCache, through, unit_rows


class Counting:
    """Computes vectors of two numbers and remembers what for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def __call__(self, texts: list[str]) -> Any:
        self.asked.append(texts)
        return unit_rows([[len(text), 1.0] for text in texts])


async def test_each_different_text_is_computed_once(tmp_path: Path) -> None:
    compute = Counting()
    cache = VectorCache(tmp_path / "new" / "folder")
    first = await through(cache, "m", ["aa", "b", "aa"], compute)
    again = await through(VectorCache(tmp_path / "new" / "folder"), "m", ["b", "ccc", "aa"], compute)
    assert compute.asked == [["aa", "b"], ["ccc"]]
    assert first.shape == (3, 2)
    assert first.dtype == again.dtype == np.float32
    assert (again[2] == first[0]).all()
    assert (again[0] == first[1]).all()


async def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    compute = Counting()
    for model in ("m", "n"):
        await through(VectorCache(tmp_path), model, ["a"], compute)
    assert compute.asked == [["a"], ["a"]]


async def test_more_texts_than_one_query_takes(tmp_path: Path) -> None:
    texts = [f"text {number}" * (number % 5) or str(number) for number in range(1300)]
    cache = VectorCache(tmp_path)
    first = await through(cache, "m", texts, Counting())
    compute = Counting()
    assert (await through(cache, "m", texts, compute) == first).all()
    assert compute.asked == []


@pytest.mark.parametrize("damage", ["cut", "garbage", "no table", "no database"])
async def test_damage_is_a_miss_and_is_mended(tmp_path: Path, damage: str) -> None:
    cache = VectorCache(tmp_path)
    good = await through(cache, "m", ["a", "b"], Counting())
    path = cache.path("m")
    if damage == "no database":
        path.write_bytes(b"this is no database, it only lies where one was" * 100)
    else:
        store = sqlite3.connect(path)
        with store:
            match damage:
                case "cut":
                    store.execute("UPDATE vectors SET vector = substr(vector, 1, 11)")
                case "garbage":
                    store.execute("UPDATE vectors SET vector = 'text'")
                case "no table":
                    store.execute("DROP TABLE vectors")
        store.close()
    compute = Counting()
    assert (await through(cache, "m", ["a", "b"], compute) == good).all()
    assert (await through(cache, "m", ["a", "b"], compute) == good).all()
    assert compute.asked == [["a", "b"]]


async def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    compute = Counting()
    assert (await through(VectorCache(tmp_path / "file"), "m", ["a"], compute)).shape == (1, 2)


async def test_lone_surrogates_and_no_texts(tmp_path: Path) -> None:
    assert (await through(VectorCache(tmp_path), "m", ["\ud83d"], Counting())).shape == (1, 2)
    assert (await through(None, "m", [], Counting())).shape == (0, 0)


def test_rows_have_length_one_and_zeros_stay() -> None:
    assert unit_rows([[3, 4], [0, 0]]).tolist() == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


async def test_an_indexing_that_is_stopped_finds_what_was_done_before(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(1300)]
    asked: list[int] = []

    async def stops(some: list[str]) -> np.ndarray:
        asked.append(len(some))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return np.ones((len(some), 3), dtype=np.float32)

    cache = VectorCache(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        await through(cache, "m", texts, stops)
    assert (await through(cache, "m", texts, stops)).shape == (1300, 3)
    assert asked == [512, 512, 512, 276]
