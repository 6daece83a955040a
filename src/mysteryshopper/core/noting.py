"""Which files an experiment reads: whoever reads one says so here, and whoever keeps the record of a run listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol


class Listener(Protocol):
    """Takes note of a file that is about to be read; see `note_read`."""

    def __call__(self, path: Path, sha256: str | None = None, *, keyed: bool = False, part: str = "") -> None:
        """Take note of it.

        Raises:
            StopRun: The run read something else from it before.
        """
        ...


_LISTENER: ContextVar[Listener | None] = ContextVar("mysteryshopper_listener", default=None)


def note_read(path: Path, sha256: str | None = None, *, keyed: bool = False, part: str = "") -> None:
    """Say that a file that an experiment names is read now; outside a run nobody listens.

    Parts from other packages call it for files of their own, so that a run knows what it was made from.

    Args:
        path: The file.
        sha256: SHA-256, in hex, of what was read of it, where that is known or is not all of it (a table that is
            written anew beside the same rows); by default that of the whole file, which the listener finds out.
        keyed: What is in it is part of the key of all that is made with it, as the criteria of a judge are, so that
            it may change between two sittings of a run.
        part: Which part of it was read, where the hash is of that; several parts of a file are told apart by it.

    Raises:
        StopRun: The run that reads it read something else from it before.
    """
    if (listener := _LISTENER.get()) is not None:
        listener(path, sha256, keyed=keyed, part=part)


@contextmanager
def noting(listener: Listener) -> Iterator[None]:
    """Have a listener told of every file that is read inside; tasks that are begun inside tell it, too."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
