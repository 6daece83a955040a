"""The llama.cpp server in this process that local models share (xllamacpp, extra `[local]`).

One server per process is all that is safe, so a run's models share one through `LocalServers`. What a loaded server
brings along: it listens on a random port of 127.0.0.1, and a process forked after loading can't use it (use `spawn`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

from mysteryshopper.core import ConfigError, Json, JsonObject, ShopperError
from mysteryshopper.models.weights import CATALOG, file_digest, weights_file

Door: TypeAlias = Literal["chat", "completions"]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a local model is loaded.

    Attributes:
        path: The GGUF file, or a name that `models pull` knows.
        slots: How many requests it works on at once.
        context: Tokens of prompt and answer together, for each slot.
        threads: Threads of computation; more than one is slower on a busy machine.
    """

    path: str = "smollm2"
    slots: int = 4
    context: int = 2048
    threads: int = 1

    def file(self) -> Path:
        """Return the weights' path.

        Raises:
            ConfigError: The file is not there; says how to get it.
        """
        if self.path in CATALOG:
            return weights_file(self.path)
        path = Path(self.path).expanduser()
        if not path.is_file():
            raise ConfigError(
                f"there is no model file {path}; give the path of a GGUF file, or `smollm2` after "
                "`mysteryshopper models pull smollm2`"
            )
        return path


class LocalServer:
    """A loaded model. It loads at its first request, off the event loop, and answers `slots` requests at once."""

    def __init__(self, file: Path, settings: LocalSettings) -> None:
        """Make one that is not loaded yet; `file` is the GGUF file."""
        self.file = file
        self.settings = settings
        self._pid = os.getpid()
        self._lock = Lock()
        self._server: Any = None
        self._closed = False
        self._threads = ThreadPoolExecutor(settings.slots, thread_name_prefix="mysteryshopper-local")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights: replies of other weights are other replies."""
        return file_digest(self.file)

    async def ask(self, door: Door, body: JsonObject) -> dict[str, Json]:
        """Send one body and return the answer, errors included, as llama.cpp words them.

        Raises:
            ShopperError: It was closed, the process was forked, or the file is no model.
        """
        if os.getpid() != self._pid:
            raise ShopperError("a local model can't be used in a forked process; start worker processes with `spawn`")
        if self._closed:
            raise ShopperError("the local model was closed")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, door, body)

    def close(self) -> None:
        """Free the model once the requests under way are done; requests still waiting are dropped."""
        self._closed = True
        if os.getpid() == self._pid:
            self._threads.shutdown(wait=True, cancel_futures=True)
        self._server = None

    def _ask(self, door: Door, body: JsonObject) -> dict[str, Json]:
        server = self._load()
        handle: Callable[[dict[str, Json]], dict[str, Json]]
        handle = server.handle_chat_completions if door == "chat" else server.handle_completions
        try:
            return handle(dict(body))
        except (ValueError, RuntimeError) as error:  # what it says of a body that it can't take at all
            return {"error": {"code": 400, "message": str(error), "type": "invalid_request_error"}}

    def _load(self) -> Any:
        with self._lock:
            if self._server is None:
                self._server = _start(self.file, self.settings)
            return self._server


class LocalServers:
    """The one server of a run: models that name the same file share it. Owned by whoever owns the run's models."""

    def __init__(self) -> None:
        """Make an owner of nothing yet."""
        self._server: LocalServer | None = None

    def get(self, settings: LocalSettings) -> LocalServer:
        """Return the server for these settings.

        Raises:
            ConfigError: The file is missing, xllamacpp is not installed, or another file or other settings are loaded.
        """
        if find_spec("xllamacpp") is None:
            raise ConfigError(
                "the local model needs the package xllamacpp; install it with `pip install 'mysteryshopper[local]'`"
            )
        file = settings.file().resolve()
        if self._server is None:
            self._server = LocalServer(file, settings)
        elif (self._server.file, _shape(self._server.settings)) != (file, _shape(settings)):
            raise ConfigError(
                f"one process can hold one local model: {self._server.file.name} is in use already; give all local "
                "models of an experiment the same path, concurrency, context and threads"
            )
        return self._server

    async def close(self) -> None:
        """Free the server, if there is one; waits, off the event loop, for requests under way."""
        if self._server is not None:
            server, self._server = self._server, None
            await asyncio.to_thread(server.close)


def _shape(settings: LocalSettings) -> tuple[int, int, int]:
    return settings.slots, settings.context, settings.threads


def _start(file: Path, settings: LocalSettings) -> Any:
    import xllamacpp  # the heavy part

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_parallel = settings.slots
    params.n_ctx = settings.slots * settings.context  # llama.cpp splits it over the slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.verbosity = -1
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ShopperError(f"{file} can't be loaded as a model ({error}); is it a whole GGUF file?") from error
