"""Many pieces of work, so many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

from mysteryshopper.core import StopRun

T = TypeVar("T")


async def work_through(items: Iterable[T], at_once: int, do: Callable[[T], Awaitable[None]]) -> None:
    """Do something with every item; each is taken only when somebody is free for it.

    Args:
        items: What there is to do.
        at_once: How many are in work at most.
        do: Does one.

    Raises:
        StopRun: One was raised; the others in work are cancelled.
    """
    shared = iter(items)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(_work(shared, do))
    except* StopRun as stops:
        raise _first(stops) from None


async def _work(shared: Iterator[T], do: Callable[[T], Awaitable[None]]) -> None:
    for item in shared:
        await do(item)


def _first(group: BaseExceptionGroup[StopRun]) -> StopRun:
    inner = group.exceptions[0]
    return inner if isinstance(inner, StopRun) else _first(inner)
