"""Ctrl-C: once saves and says how to go on, twice leaves at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

INTERRUPTED = 130


def run_until_interrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; SIGINT and SIGTERM cancel it once, and end the process the second time.

    Raises:
        KeyboardInterrupt: It was cancelled by a signal and has cleaned up.
    """
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        return asyncio.run(work)
    return asyncio.run(_guarded(work))


async def _guarded(work: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if interrupted:
            os._exit(INTERRUPTED)  # what is committed is safe; nothing else is worth waiting for
        interrupted = True
        loop.call_soon_threadsafe(task.cancel)

    # not the loop's own handlers: those would wait for planning and measuring, which hold the loop up
    before = {name: signal.signal(name, interrupt) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        return await task
    except asyncio.CancelledError:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        for name, handler in before.items():
            signal.signal(name, handler or signal.SIG_DFL)
