"""One process writes a run: a lock that the operating system gives up by itself when its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mysteryshopper.core import ShopperError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder.

    The lock is `flock` on `run.lock`, so one that a killed process left is no obstacle; the file says who holds it.

    Raises:
        ShopperError: Another process holds it; its number and host are named.
    """
    path = folder / "run.lock"
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ShopperError(
                f"{folder} is being written by {_holder(file.read())}: wait for it, stop it, or choose another --out."
            ) from None
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)  # the file stays: removing it would let two newcomers lock two different files


def _holder(text: str) -> str:
    try:
        who = json.loads(text)
        return f"process {who['pid']} on {who['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
