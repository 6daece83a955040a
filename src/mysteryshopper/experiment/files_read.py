"""The files that a run reads: which, with what in them; and that they are the same when it goes on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from mysteryshopper.core import Json, StopRun
from mysteryshopper.datasets import data_home

FILES = "files"
"""The note in a run's database that holds the record."""

_DATA = "$MYSTERYSHOPPER_DATA"
_PACKAGE = "(mysteryshopper)"
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that a run read.

    Attributes:
        path: `$MYSTERYSHOPPER_DATA/…` in the folder of public data sets, `(mysteryshopper)/…` in this package, else
            relative to the experiment's folder.
        sha256: Of its content, in hex.
        bytes: Its size; None where the hash is of what was read of it alone.
        keyed: It may change: what is made with it is kept apart by what is in it.
        later: It was met in a run that kept no such record before; what it held then is not known.
        part: Which part of it was read; empty where that is all of it, or needs no name.
    """

    path: str
    sha256: str
    bytes: int | None = None
    keyed: bool = False
    later: bool = False
    part: str = ""


class FilesRead:
    """The record of one sitting, begun with that of the sittings before it. It is the `Listener` of the run."""

    def __init__(self, home: Path, run: Path, before: Iterable[FileRead] | None = (), mask: Callable[[str], str] = str):
        """Make it.

        Args:
            home: Where the experiment's relative paths start.
            run: Folder of the run; what it writes itself is not its input.
            before: What was read in sittings before; None where there were some, and they kept no record.
            mask: Takes secrets out of paths.
        """
        self._home = home.resolve()
        self._run = run.resolve()
        self._mask = mask
        self._later = before is None
        self._files = list(before or ())
        self._met: set[str] = set()  # hashes of this sitting
        self._states: dict[tuple[Path, str], tuple[int, ...]] = {}
        self._keep: Callable[[], object] | None = None
        self._adding = threading.Lock()

    @property
    def files(self) -> tuple[FileRead, ...]:
        """What was read so far, in all sittings, in the order it was first read."""
        return tuple(self._files)

    def __call__(self, path: Path, sha256: str | None = None, *, keyed: bool = False, part: str = "") -> None:
        """Take note of a file; it is hashed once, and again only if it changed since.

        Raises:
            StopRun: The run read something else from it before.
        """
        path = path.absolute()
        try:
            state = path.stat()
        except OSError:  # who wanted to read it says so
            return
        if not stat.S_ISREG(state.st_mode):  # a pipe can be read once, which is not for us
            return
        seen = (state.st_mtime_ns, state.st_size, int(sha256 or "0", 16))
        if self._states.get((path, part)) == seen or path.resolve().is_relative_to(self._run):
            return
        try:
            found = FileRead(
                self._named(path),
                sha256 or _hash(path),
                None if sha256 else state.st_size,
                keyed,
                self._later,
                self._mask(part),
            )
        except OSError:
            return
        self._met.add(found.sha256)
        with self._adding:
            self._add(found)
        self._states[path, part] = seen

    def _add(self, found: FileRead) -> None:
        known = [file for file in self._files if (file.path, file.part) == (found.path, found.part)]
        if any(file.sha256 == found.sha256 for file in known):
            return
        if known and not found.keyed:
            raise StopRun(_changed(known[-1], found.sha256))
        self._files.append(found)
        if self._keep is not None:
            self._keep()

    def settle(self) -> None:
        """Make sure, when all is ready to begin, that files which will be read only later are as they were, too.

        Raises:
            StopRun: One changed or is gone; it is named.
        """
        for file in self._files:
            if file.sha256 in self._met or file.keyed:
                continue
            path = _place(file.path, self._home)
            try:
                now = file.sha256 if file.bytes is None and path.exists() else _hash(path)
            except OSError:
                raise StopRun(
                    f"{file.path}, which this run reads, is gone or can't be read: put it back to go on, or start a new"
                    " run."
                ) from None
            if now != file.sha256:
                raise StopRun(_changed(file, now))

    def keep(self, write: Callable[[str], object]) -> None:
        """Write the record now, and again whenever a further file is read, by whatever thread: always in this one."""
        write(self.text())
        home, loop = threading.get_ident(), asyncio.get_running_loop()

        def later() -> None:
            with suppress(StopRun, sqlite3.Error):  # it is full, which the next write says, or closed by now
                write(self.text())

        def again() -> None:
            if threading.get_ident() == home:
                write(self.text())
            else:
                loop.call_soon_threadsafe(later)

        self._keep = again

    def text(self) -> str:
        """Return the record as JSON text."""
        return json.dumps([asdict(file) for file in self._files])

    def _named(self, path: Path) -> str:
        beside = path.parent.resolve() / path.name  # what `..` after a link to a folder leads to
        for name, root in _roots().items():
            for place in (beside if ".." in path.parts else path, beside, path.resolve()):
                for start in (root, root.resolve()):
                    if place.is_relative_to(start):
                        return f"{name}/{place.relative_to(start).as_posix()}"
        try:
            inside = os.path.relpath(beside.parent, self._home)
        except ValueError:  # it lies on another drive
            return self._mask(beside.as_posix())
        return self._mask((Path(inside) / path.name).as_posix())


def read_record(text: str | None) -> tuple[FileRead, ...] | None:
    """Return the record of a run's database; None where it holds none."""
    return None if text is None else tuple(FileRead(**entry) for entry in json.loads(text))


def file_rows(text: str | None) -> list[dict[str, Json]] | None:
    """Return the record as `summary.json` shows it; None where there is none."""
    record = read_record(text)
    return None if record is None else [asdict(file) for file in record]


def same_files(before: Iterable[FileRead], old: Path, new: Path, home: Path) -> bool:
    """Whether a path that an experiment named and one that it names now lead to the same content.

    Args:
        before: What the run read.
        old: The whole path of the file or folder that it named.
        new: The same of what is named now.
        home: Where relative paths of the record start.

    Returns:
        False where the run read nothing there.
    """
    inside = {
        place.relative_to(old): file.sha256
        for file in before
        if not file.keyed and (place := _place(file.path, home).resolve()).is_relative_to(old)
    }
    try:
        return bool(inside) and all(_hash(new / part) == sha256 for part, sha256 in inside.items())
    except OSError:
        return False


def _changed(before: FileRead, now: str) -> str:
    return (
        f"{before.path} is not what this run read before (SHA-256 {before.sha256[:_SHOWN]}…, now {now[:_SHOWN]}…): put"
        " the old content back to go on, or start a new run."
    )


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(named: str, home: Path) -> Path:
    first, _, rest = named.partition("/")
    root = _roots().get(first)
    return home / named if root is None else root / rest


def _roots() -> dict[str, Path]:
    return {_PACKAGE: Path(str(files("mysteryshopper"))), _DATA: Path(os.path.abspath(data_home()))}
