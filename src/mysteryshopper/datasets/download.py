"""Files over HTTP that go on after a break."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from mysteryshopper.core import DataError

Progress = Callable[[str, int, int | None], None]
"""Told, after each block: the file's path, bytes so far, bytes in all (None if the server did not say)."""

_BLOCK = 64 * 1024
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


def fetch(
    url: str,
    part: Path,
    *,
    name: str,
    size: int | None = None,
    progress: Progress | None = None,
    attempts: int = 5,
    timeout: float = 30.0,
    pause: float = 1.0,
) -> None:
    """Download a file to `part`, going on where an earlier attempt, also of another process, broke off.

    Args:
        url: An http or https address.
        part: Where the bytes go; what it holds already is kept if the server can go on from there.
        name: The file's name in messages and for `progress`.
        size: Its size in bytes, if it is pinned.
        progress: Told how far it is.
        attempts: How often in a row it may break off without a byte gained before that is an error.
        timeout: Seconds without any byte that count as a break.
        pause: Seconds before the second attempt; doubled before each further one.

    Raises:
        DataError: The server refuses, keeps breaking off, or sends a file of another size; the part is kept after a
            break, so that asking again goes on from there.
    """
    if not url.startswith(("http://", "https://")):
        raise DataError(f"can't be fetched from {url!r}; expected an http or https address", path=name)
    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        reason = _attempt(url, part, name, size, progress, timeout)
        if reason is None:
            return
        failures = failures + 1 if not part.exists() or part.stat().st_size <= before else 1
        if failures >= attempts:
            raise DataError(f"could not be fetched from {url} ({reason}); try again later to go on", path=name)
        time.sleep(pause * 2 ** (failures - 1))


def _attempt(
    url: str, part: Path, name: str, size: int | None, progress: Progress | None, timeout: float
) -> str | None:
    """Fetch what is missing. Return None when the file is whole, else what broke it off."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - `fetch` lets only http and https through
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310
            goes_on = response.status == 206 and _starts_at(response.headers.get("Content-Range"), have)
            if response.status == 206 and not goes_on:
                part.unlink()
                return "the server went on from another place"
            start = have if goes_on else 0
            length = response.headers.get("Content-Length")
            total = start + int(length) if length is not None and length.isdigit() else None
            if size is not None and total is not None and total != size:
                part.unlink(missing_ok=True)
                raise DataError(f"has {total} bytes at {url}, expected {size}; the source has changed", path=name)
            with part.open("ab" if goes_on else "wb") as file:
                done = _copy(response, file, start, size or total, lambda at: progress and progress(name, at, total))
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            part.unlink(missing_ok=True)
        elif error.code not in _PASSING:
            raise DataError(
                f"{url} answers {error.code} {error.reason}; the source may have moved", path=name
            ) from None
        return f"it answered {error.code}"
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    if (whole := size or total) is not None and done > whole:
        part.unlink()
        raise DataError(f"is longer than the expected {whole} bytes at {url}; the source has changed", path=name)
    return None if whole is None or done == whole else f"it broke off after {done} of {whole} bytes"


def _copy(response: IO[bytes], file: IO[bytes], start: int, limit: int | None, tell: Callable[[int], object]) -> int:
    done = start
    while block := response.read(_BLOCK):
        file.write(block)
        done += len(block)
        tell(done)
        if limit is not None and done > limit:
            break
    return done


def _starts_at(content_range: str | None, place: int) -> bool:
    return (content_range or "").startswith(f"bytes {place}-")
