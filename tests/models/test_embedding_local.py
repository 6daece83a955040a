"""The local embedding model, with its real weights (skipped where they are absent)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mysteryshopper.core import ConfigError, Embedder
from mysteryshopper.models.embedding import build_embedder
from mysteryshopper.models.local_embedding import LocalEmbedder
from mysteryshopper.models.vector_cache import VectorCache

PARAPHRASES = [
    ("a funny film about two dogs", "a comedy movie with a pair of puppies"),
    ("I want to watch something scary", "recommend me a horror film"),
]
UNRELATED = ("the council raised the property tax", "boil the pasta for nine minutes")


@pytest.fixture(scope="module")
def embedder(local_weights: Callable[[str], Path]) -> LocalEmbedder:
    local_weights("minilm")
    pytest.importorskip("onnxruntime")
    return LocalEmbedder(batch=4)


async def test_paraphrases_are_near_and_others_far(embedder: LocalEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    rows = await embedder.embed([text for pair in [*PARAPHRASES, UNRELATED] for text in pair])
    assert rows.shape == (6, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(6), abs=1e-5)
    cosines = rows @ rows.T
    near = min(cosines[0, 1], cosines[2, 3])
    far = max(cosines[:4, 4:].max(), cosines[4, 5])
    assert near > far + 0.3
    assert far < 0.2


async def test_a_row_depends_on_its_text_alone(embedder: LocalEmbedder) -> None:
    texts = ["short", "a much longer text about a lighthouse keeper and his slow train " * 3, "", "千と千尋", "\ud83d"]
    together = await embedder.embed(texts)
    for index, text in enumerate(texts):
        alone = await embedder.embed([text])
        assert alone[0] == pytest.approx(together[index], abs=1e-5)
    assert (await embedder.embed([])).shape == (0, 0)


async def test_what_is_too_long_is_cut_off(embedder: LocalEmbedder) -> None:
    rows = await embedder.embed(["word " * 126 + "tail " * n for n in (0, 500)])
    assert rows[0] == pytest.approx(rows[1], abs=1e-5)


async def test_an_index_is_built_once(
    local_weights: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_weights("minilm")
    first = await LocalEmbedder(cache=VectorCache(tmp_path)).embed(["a", "b"])
    monkeypatch.setattr(LocalEmbedder, "_run", lambda self, texts: pytest.fail(f"computed {texts} again"))
    assert (await LocalEmbedder(cache=VectorCache(tmp_path)).embed(["b", "a"]) == first[::-1]).all()


def test_missing_weights_name_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSTERYSHOPPER_MODELS", str(tmp_path))
    with pytest.raises(ConfigError, match="run `mysteryshopper models pull minilm`"):
        build_embedder()
    with pytest.raises(ConfigError, match=r"there is no file .*model\.onnx"):
        LocalEmbedder(tmp_path / "model.onnx", tmp_path / "tokenizer.json")
