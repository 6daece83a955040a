"""A call log in memory, for tests of what goes through one."""

from __future__ import annotations

import asyncio

from mysteryshopper.core import Call
from mysteryshopper.models import SharedCache


class MemoryLog:
    """Keeps calls in a list; over a shared cache, if given one."""

    def __init__(self, shared: SharedCache | None = None) -> None:
        self.calls: list[Call] = []
        self._shared = shared

    async def find(self, key: str) -> Call | None:
        for call in self.calls:
            if call.key == key and call.status == "ok":
                return call
        return None if self._shared is None else self._shared.find(key)

    async def commit(self, call: Call) -> None:
        await asyncio.sleep(0)  # a commit takes a turn of the loop
        assert call.id not in {kept.id for kept in self.calls}
        self.calls.append(call)
        if self._shared is not None and call.status == "ok" and not call.cached:
            self._shared.put(call)
