"""Commented experiment files to start from, one a protocol."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from mysteryshopper.core import ShopperError, unknown

_SUFFIX = ".yaml"


def starters() -> list[str]:
    """Return the protocols that have a file to start from, sorted."""
    return sorted(entry.name.removesuffix(_SUFFIX) for entry in _folder().iterdir() if entry.name.endswith(_SUFFIX))


def starter(protocol: str) -> str:
    """Return the text of a protocol's file.

    Raises:
        ShopperError: There is none.
    """
    if protocol not in starters():
        raise ShopperError(unknown("file to start from for the protocol", protocol, starters()))
    return (_folder() / f"{protocol}{_SUFFIX}").read_text(encoding="utf-8")


def write_starter(protocol: str, path: Path | None = None) -> Path:
    """Write a protocol's file, and return where; by default `PROTOCOL.yaml` in the working folder.

    Raises:
        ShopperError: There is none for it, or something lies there already, which is left alone.
    """
    text = starter(protocol)
    path = path or Path(f"{protocol}{_SUFFIX}")
    if path.is_dir():
        path /= f"{protocol}{_SUFFIX}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ShopperError(f"{path} is there already; choose another name with --out.") from None
    except OSError as error:
        raise ShopperError(f"{path} can't be written: {error.strerror}.") from None
    return path


def _folder() -> Traversable:
    return files("mysteryshopper.experiment") / "templates"
