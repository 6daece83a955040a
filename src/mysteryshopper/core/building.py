"""What the blocks of an experiment are built from: models, endpoints, functions, data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, Protocol

from mysteryshopper.core.chat import Address, Call
from mysteryshopper.core.seams import ChatModel, Embedder
from mysteryshopper.core.values import Json, JsonObject


class Poster(Protocol):
    """Posts JSON to one endpoint through its gate: retries, deadline, record, replay on resume."""

    async def post(self, body: JsonObject, address: Address) -> tuple[Json, Call]:
        """Return the JSON answer and the recorded call.

        Raises:
            CallFailed: It failed for good; `fault` is `system`, or `infra` for 429.
            StopRun: 401, or 403 or 404 on the endpoint's first three calls.
        """
        ...


class Keeper(Protocol):
    """Makes calls of functions in this process like calls over the wire: recorded, and met again on resume."""

    async def keep(self, body: JsonObject, address: Address, make: Callable[[], Awaitable[Json]]) -> tuple[Json, Call]:
        """Return the JSON answer to `body` and the recorded call; `make` is called unless the run has it already."""
        ...


class Parts(Protocol):
    """What a block of the experiment file is built from; handed to `build` of its kind.

    Attributes:
        name: Name of the block.
        role: `user`, `system`, `judge` or `protocol`.
        seed: Seed of the run.
        folder: Folder of the experiment file; relative paths start there.
        memory: The block's `memory`, if it set one.
        has_dataset: Whether the experiment has a data set.
    """

    name: str
    role: str
    seed: int
    folder: Path
    memory: Literal["messages", "session"] | None
    has_dataset: bool

    def model(self) -> ChatModel:
        """The model named by this block; a `ConfigError` if it names none."""
        ...

    def embedder(self) -> Embedder:
        """The embedding model named by this block, or the local one."""
        ...

    def dataset(self) -> Any:
        """The data set of the experiment (`mysteryshopper.datasets.Dataset`); a `ConfigError` if there is none."""
        ...

    def poster(self) -> Poster:
        """The block's HTTP endpoint; a `ConfigError` if it has no `url`."""
        ...

    def keeper(self) -> Keeper:
        """What records calls of the block's Python function."""
        ...

    def function(self) -> Any:
        """The block's Python function, imported now; a `ConfigError` if it names none."""
        ...
