"""`data get`: the pinned files of a public data set, checked before they are put in place."""

from __future__ import annotations

import gzip
import os
import shutil
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets.download import Progress, fetch
from mysteryshopper.datasets.files import suffix
from mysteryshopper.datasets.hashing import record_hash
from mysteryshopper.datasets.location import data_home
from mysteryshopper.datasets.sources import Source, SourceFile, find_source


def get(
    name: str,
    *,
    home: Path | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
    pause: float = 1.0,
) -> list[Path]:
    """Get the files of a public data set that are not there yet.

    Args:
        name: A data set of the table (`sources`).
        home: Where data sets lie; default `data_home()`.
        base_url: A mirror that holds the files under the paths of their addresses; default the addresses themselves.
        progress: Told of every file how far it is.
        timeout: Seconds without any byte that count as a break.
        pause: Seconds before the first new attempt after a break.

    Returns:
        The files that were put in place.

    Raises:
        ConfigError: There is no such data set, or it comes with the package.
        DataError: A file could not be fetched, or is not the pinned one; nothing of it is put in place.
    """
    source = find_source(name)
    if not source.files:
        raise ConfigError(f"{name} comes with the package; there is nothing to get")
    return get_files(source, home=home, base_url=base_url, progress=progress, timeout=timeout, pause=pause)


def get_files(
    source: Source,
    *,
    home: Path | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
    pause: float = 1.0,
) -> list[Path]:
    """Get the missing files of any source; see `get`."""
    root = home or data_home()
    placed = []
    archives: set[Path] = set()
    for file in source.missing(root):
        target = root / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        url = file.url if base_url is None else base_url.rstrip("/") + urlsplit(file.url).path
        if file.member is None:
            part = target.with_name(target.name + ".part")
            fetch(url, part, name=file.path, size=file.bytes, progress=progress, timeout=timeout, pause=pause)
        else:
            archive = root / (Path(urlsplit(file.url).path).name + ".part")
            if archive not in archives:
                archives.add(archive)
                fetch(url, archive, name=archive.stem, size=file.bytes, progress=progress, timeout=timeout, pause=pause)
            part = _unpack(archive, file, target)
        _place(part, file, target)
        placed.append(target)
    for archive in archives:
        archive.unlink(missing_ok=True)
    return placed


def _unpack(archive: Path, file: SourceFile, target: Path) -> Path:
    part = target.with_name(target.name + ".part")
    try:
        with zipfile.ZipFile(archive) as packed, packed.open(file.member or "") as member, part.open("wb") as out:
            shutil.copyfileobj(member, out)
    except (KeyError, zipfile.BadZipFile) as error:
        archive.unlink(missing_ok=True)
        raise DataError(
            f"is not in the archive from {file.url} ({error}); the source has changed", path=file.path
        ) from None
    return part


def _place(part: Path, file: SourceFile, target: Path) -> None:
    """Check a fetched file, pack it if its name says so, and rename it into place at once."""
    readable = target.with_name(f".{target.name.removesuffix('.gz')}.checking{suffix(target)}")
    part.replace(readable)
    try:
        problem = _difference(readable, file)
        if problem:
            raise DataError(f"{problem}; the source {file.url} has changed, and nothing was kept", path=file.path)
        if target.name.endswith(".gz") and not _packed(readable):
            packed = readable.with_name(readable.name + ".gz")
            with readable.open("rb") as plain, gzip.GzipFile(packed, "wb", mtime=0) as out:
                shutil.copyfileobj(plain, out)
            os.replace(packed, target)
        else:
            os.replace(readable, target)
    finally:
        readable.unlink(missing_ok=True)


def _difference(path: Path, file: SourceFile) -> str | None:
    try:
        found, records = record_hash(path)
    except DataError as error:
        return f"can't be read as what it should be ({error})"
    if records != file.records:
        return f"holds {records} records, expected {file.records}"
    return None if found == file.sha256 else f"its records hash to {found[:12]}…, expected {file.sha256[:12]}…"


def _packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"
