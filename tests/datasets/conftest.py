"""Shared by the tests of the readers: where the real data lies, and short ways to write files and to open them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mysteryshopper.datasets import DataBlock, Dataset, load

REAL_DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA") or Path(__file__).parents[3] / "shared" / "data").resolve()


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    if not (REAL_DATA / "redial").is_dir():
        pytest.skip(f"the public data sets are not at {REAL_DATA}")
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(REAL_DATA))
    return REAL_DATA


@pytest.fixture(scope="session")
def opened() -> Callable[[str], Dataset]:
    """Open a public data set once for all tests."""
    kept: dict[str, Dataset] = {}

    def get(name: str) -> Dataset:
        if name not in kept:
            kept[name] = load(DataBlock(name=name))
        return kept[name]

    return get


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file as it is given, without touching its line ends."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make
