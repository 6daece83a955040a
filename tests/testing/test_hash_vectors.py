"""Hash vectors and the scripted embedder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Embedder
from mysteryshopper.testing import ScriptedEmbedder, hash_vector


@given(st.text(), st.integers(1, 80))
def test_any_text_has_one_vector_of_length_one(text: str, dimension: int) -> None:
    vector = hash_vector(text, dimension)
    assert len(vector) == dimension
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert hash_vector(text, dimension) == vector


def test_shared_words_are_near() -> None:
    slow, slower, other = (np.array(hash_vector(t)) for t in ("slow train film", "a slow train", "tax law of cities"))
    assert slow @ slower > slow @ other + 0.3
    assert hash_vector("Slow TRAIN") == hash_vector("slow train")


async def test_scripted_embedder_gives_rows_in_order() -> None:
    embedder = ScriptedEmbedder(dimension=16)
    assert isinstance(embedder, Embedder)
    rows = await embedder.embed(["b", "a", "b", ""])
    assert rows.shape == (4, 16)
    assert rows.dtype == np.float32
    assert (rows[0] == rows[2]).all()
    assert rows[1] == pytest.approx(hash_vector("a", 16), abs=1e-6)
    assert embedder.seen == ["b", "a", "b", ""]
    assert (await embedder.embed([])).shape == (0, 16)
