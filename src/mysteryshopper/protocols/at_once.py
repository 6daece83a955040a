"""Work of one unit done at once: all results, or the order to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from mysteryshopper.core import StopRun

T = TypeVar("T")
U = TypeVar("U")


async def together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Do everything at once and return all results, in order.

    Raises:
        StopRun: One was raised; the rest was cancelled.
        Exception: Without one, the first failure as it was raised; the rest was cancelled.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    except BaseExceptionGroup as failures:
        raise _foremost(failures) from None
    return [task.result() for task in tasks]


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Do two things at once and return both results; raises as `together`."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(one), group.create_task(other)
    except BaseExceptionGroup as failures:
        raise _foremost(failures) from None
    return first.result(), second.result()


def _foremost(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the order to stop in a group, else its first failure: callers know what each means, but no groups."""
    stops = group.subgroup(StopRun)
    inner = (stops or group).exceptions[0]
    return _foremost(inner) if isinstance(inner, BaseExceptionGroup) else inner
