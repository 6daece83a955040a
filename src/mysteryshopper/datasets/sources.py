"""Where public data sets come from: the table of pinned files (`sources.yaml`), and what of it lies here already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from mysteryshopper.core import ConfigError, unknown
from mysteryshopper.datasets.files import find_file
from mysteryshopper.datasets.location import data_home


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One pinned file.

    Attributes:
        path: Where it goes below the data's home.
        url: Where it comes from: a repository at a commit.
        records: How many records it holds.
        sha256: Hash of its records in canonical form (see `record_hash`), hexadecimal.
        bytes: Its size as it is sent, where that is known; else None.
        member: Its name inside the archive, where `url` is a zip file.
    """

    path: str
    url: str
    records: int
    sha256: str
    bytes: int | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """One data set of the table.

    Attributes:
        name: Its name, as in `data: {name: …}`.
        title: What it is, in a line.
        licence: Under which terms its makers publish it.
        files: Its files; none for what comes with the package.
    """

    name: str
    title: str
    licence: str
    files: tuple[SourceFile, ...] = ()

    def missing(self, home: Path | None = None) -> list[SourceFile]:
        """Return the files that are not there yet."""
        root = home or data_home()
        return [file for file in self.files if find_file(root / file.path.removesuffix(".gz")) is None]


@cache
def sources() -> Mapping[str, Source]:
    """Return all data sets of the table by name."""
    import yaml

    text = (files("mysteryshopper.datasets") / "sources.yaml").read_text(encoding="utf-8")
    return {name: _source(name, entry) for name, entry in yaml.safe_load(text).items()}


def find_source(name: str) -> Source:
    """Return one data set of the table.

    Raises:
        ConfigError: It does not hold it; a near name is offered.
    """
    if name not in sources():
        raise ConfigError(unknown("data set", name, sources()))
    return sources()[name]


def _source(name: str, entry: Mapping[str, object]) -> Source:
    pinned = []
    groups = entry.get("from", [])
    assert isinstance(groups, list)  # noqa: S101 - our own table
    for group in groups:
        for path, facts in group["files"].items():
            member = facts.get("file") if "archive" in group else None
            url = group["archive"] if member else f"{group['base']}/{facts['file']}"
            pinned.append(SourceFile(path, url, facts["records"], facts["sha256"], facts.get("bytes"), member))
    return Source(name, str(entry["title"]), str(entry["licence"]), tuple(pinned))
