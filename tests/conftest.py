"""Fixtures that all rooms share: where the data and the local weights are, and the fake server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from mysteryshopper.models.weights import is_pulled, weights_file
from mysteryshopper.testing import FakeServer

_BESIDE = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Callable[..., Path]:
    """Return a function that gives the path of a file or folder of the data, or skips the test.

    `shared_data("redial", "test_data.jsonl")`; the data lie in `MYSTERYSHOPPER_DATA`, or beside the checkout.
    """
    root = Path(os.environ.get("MYSTERYSHOPPER_DATA") or _BESIDE)

    def find(*parts: str) -> Path:
        path = root.joinpath(*parts)
        if not path.exists():
            pytest.skip(f"no data at {path}; set MYSTERYSHOPPER_DATA")
        return path

    return find


@pytest.fixture(scope="session")
def local_weights() -> Callable[[str], Path]:
    """Return a function that gives the path of a pulled model's file, or skips the test."""

    def find(name: str) -> Path:
        if not is_pulled(name):
            pytest.skip(f"no weights of {name}; run `mysteryshopper models pull {name}`")
        return weights_file(name)

    return find


@pytest.fixture
async def fake_server() -> AsyncIterator[FakeServer]:
    """A fake server that says "Hello there." to everything."""
    async with FakeServer() as server:
        yield server
