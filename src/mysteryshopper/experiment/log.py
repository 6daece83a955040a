"""Where calls are kept: the run's own database first, the cache shared between runs second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from mysteryshopper.core import Call
from mysteryshopper.experiment.store import RunStore


class Shared(Protocol):
    """The cache shared between runs, as far as a run needs it."""

    def find(self, key: str) -> Call | None:
        """Return the good call with this key; a miss where it can't be read."""
        ...

    def put(self, call: Call) -> None:
        """Keep a good call, soon."""
        ...


class RunLog:
    """The `CallLog` of a run; also counts for the progress display."""

    def __init__(self, store: RunStore, shared: Shared | None) -> None:
        """Make a log over a run's store and, unless None, the shared cache."""
        self._store = store
        self._shared = shared
        self.cost = 0.0
        self._calls = 0
        self._cached = 0
        self._tokens = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """How many calls came back, how many of them from the cache, and their tokens in both directions."""
        return {"calls": self._calls, "cached": self._cached, "tokens": self._tokens}

    async def find(self, key: str) -> Call | None:
        """Return the committed good call with this cache key; one from the shared cache is marked `cached`."""
        found = self._store.find_call(key)
        if found is None and self._shared is not None:
            found = self._shared.find(key)
        return found

    async def commit(self, call: Call) -> None:
        """Keep a call; returns once it is durable in the run."""
        usage = call.usage
        self._calls += 1
        self._cached += call.cached
        self._tokens += usage.input_tokens + usage.output_tokens
        self.cost += usage.cost or 0.0
        await self._store.commit_call(call)
        if self._shared is not None and call.status == "ok" and not call.cached:
            self._shared.put(call)
