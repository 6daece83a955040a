"""Text out of files: gzip, byte order marks, line ends and odd encodings, with the line of what can't be read."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from mysteryshopper.core import ConfigError, DataError, Json, note_read
from mysteryshopper.reading.characters import clean_json

_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WIDE = ("utf-16", "utf-32")
_GZIP = b"\x1f\x8b"


def find_file(path: Path) -> Path | None:
    """Return the file of that name, or its `.gz` twin; None where there is neither."""
    return next((found for found in (path, path.with_name(path.name + ".gz")) if found.is_file()), None)


def suffix(path: Path) -> str:
    """Return the lower-case ending of a file's name without a closing `.gz`: `.jsonl` of `talk.JSONL.gz`."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, unpacked if its first bytes are gzip's, whatever its name is.

    Raises:
        DataError: There is no such file, or it can't be opened.
    """
    note_read(path)
    try:
        file = path.open("rb")
        if file.peek(2)[:2] != _GZIP:
            return file
        file.close()
        return cast(IO[bytes], gzip.open(path, "rb"))
    except OSError as error:
        raise DataError(f"can't be opened ({error.strerror}); check the path and its rights", path=path) from error


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    r"""Yield each line with its number from 1, split at `\n` alone and with its line end kept.

    A byte order mark is taken off. Nothing is dropped or replaced: a byte that is not of the encoding is an error.

    Args:
        path: A text file, packed with gzip or not.
        encoding: Name of its encoding, as Python knows it.

    Raises:
        DataError: The file can't be opened or unpacked, or holds a byte that is not of the encoding; the message names
            file, line, byte and the `encoding:` setting.
        ConfigError: There is no such encoding.
    """
    wide = _codec(encoding).startswith(_WIDE)
    with open_bytes(path) as file:
        if wide:
            yield from enumerate(_wide_lines(path, file, encoding), start=1)
            return
        for number, raw in enumerate(_unpacked(path, file), start=1):
            line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            if number == 1 and (found := _BOMS.get(line[:2])) is not None:
                raise DataError(f"is written in {found}; set `encoding: {found}`", path=path, line=1)
            try:
                yield number, line.decode(encoding)
            except UnicodeDecodeError as error:
                raise DataError(
                    f"byte {line[error.start]:#04x} at place {error.start + 1} of the line is not {encoding}; name the"
                    " file's encoding with `encoding:`, e.g. `encoding: latin-1`",
                    path=path,
                    line=number,
                ) from error


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return all text of a file; errors as of `read_lines`."""
    return "".join(line for _, line in read_lines(path, encoding))


def read_json(path: Path, encoding: str = "utf-8") -> Json:
    """Return the JSON value of a file that holds one.

    Raises:
        DataError: It can't be read, or is no JSON.
    """
    try:
        return json.loads(read_text(path, encoding), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DataError(f"is no JSON: {error.msg}", path=path, line=error.lineno) from error
    except ValueError as error:
        raise DataError(f"is no JSON: {error}", path=path) from error


def parse_json(text: str) -> Json:
    """Return the JSON value of one line; lone surrogates in it become U+FFFD, since no file could hold them.

    Raises:
        ValueError: It is no JSON, or holds NaN or an infinity; the message says what and where.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at column {error.colno}") from error
    return clean_json(value) if "\\ud" in text.lower() else value


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number; leave the value out or write null")


def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise ConfigError(
            f"there is no encoding {encoding!r}; write a name such as utf-8, latin-1 or cp1252", key="encoding"
        ) from None


def _unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    number = 0
    try:
        for raw in file:
            number += 1
            yield raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"the gzip data is cut or broken ({error}); get it again", path=path, line=number + 1
        ) from error


def _wide_lines(path: Path, file: IO[bytes], encoding: str) -> Iterator[str]:
    try:
        text = b"".join(_unpacked(path, file)).decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte {error.start} is not {encoding}; name the file's encoding with `encoding:`", path=path
        ) from error
    yield from io.StringIO(text.removeprefix("\ufeff"), newline="\n")
