"""The fake server in a process of its own, for benchmarks and for tests that kill what they test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from http.client import HTTPConnection
from types import TracebackType
from typing import Self

from mysteryshopper.core import Json, ShopperError


class ServerProcess:
    """Runs `python -m mysteryshopper.testing.server`; use it as a context manager.

    The server ends with the `with` block, and also if the process that started it dies.

    Attributes:
        url: Where it listens, without a path.
    """

    def __init__(self, *arguments: str) -> None:
        """Make one; `arguments` are those of the program, e.g. `"--latency-ms", "50"`."""
        self._arguments: Sequence[str] = arguments
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        """Start the server and wait until it listens.

        Raises:
            ShopperError: It could not start; the message is its own.
        """
        command = [sys.executable, "-m", "mysteryshopper.testing.server", "--watch-stdin", *self._arguments]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            _, said = self._process.communicate(timeout=10)
            raise ShopperError(f"the fake server did not start: {said.strip()}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=10)
            self._process = None

    @property
    def base_url(self) -> str:
        """What a model block's `base_url` takes."""
        return f"{self.url}/v1"

    @property
    def reply_url(self) -> str:
        """What an HTTP system's `url` takes."""
        return f"{self.url}/reply"

    @property
    def pid(self) -> int:
        """Process id of the running server.

        Raises:
            ShopperError: It is not running.
        """
        if self._process is None:
            raise ShopperError("the fake server is not running; use it inside its `with` block")
        return self._process.pid

    def stats(self) -> dict[str, Json]:
        """Return `total`, `max_in_flight`, and `counts` by path and outcome."""
        answer: dict[str, Json] = self._ask("GET", "/stats")
        return answer

    def bodies(self, path: str | None = None) -> list[Json]:
        """Return the JSON bodies that came, in order, of one path if given."""
        return [seen["body"] for seen in self.seen() if path in (None, seen["path"])]

    def seen(self) -> list[dict[str, Json]]:
        """Return every request: `path`, `outcome`, `headers`, `body`."""
        answer: list[dict[str, Json]] = self._ask("GET", "/bodies")
        return answer

    def clear(self) -> None:
        """Forget requests and counts."""
        self._ask("POST", "/clear")

    def _ask(self, method: str, path: str) -> Json:
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=30)
        try:
            connection.request(method, path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()
