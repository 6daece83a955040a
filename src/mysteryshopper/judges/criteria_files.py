"""Files of criteria: what a prompted judge asks, in YAML; some come with the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mysteryshopper.core import ConfigError, Criterion, note_read, unknown
from mysteryshopper.datasets import packaged_domains

Takes = Literal["one", "pair"]

DOMAIN_CRITERIA: Mapping[Takes, str] = {"one": "criteria.yaml", "pair": "pairs.yaml"}
"""The files of criteria in a domain's folder."""

_FOLDER = "criteria"
_STRICT = ConfigDict(extra="forbid", frozen=True)


class _Entry(BaseModel):
    """One criterion of a file."""

    model_config = _STRICT

    name: str = Field(min_length=1, max_length=60, pattern=r"^[\w][\w .-]*$")
    text: str = Field(min_length=1)
    labels: tuple[str, ...] = ()
    low: float | None = Field(default=None, allow_inf_nan=False)
    high: float | None = Field(default=None, allow_inf_nan=False)
    better: Literal["higher", "lower"] | None = "higher"

    @model_validator(mode="after")
    def _fits(self) -> _Entry:
        if self.labels and (self.low is not None or self.high is not None):
            raise ValueError("has labels, so it takes no low and high")
        folded = [label.strip().casefold() for label in self.labels]
        if len(self.labels) == 1 or len(set(folded)) < len(folded) or not all(folded):
            raise ValueError("labels are two or more different texts")
        low, high = self.scale
        if not self.labels and low >= high:
            raise ValueError(f"low ({low:g}) must be below high ({high:g})")
        return self

    @property
    def scale(self) -> tuple[float, float]:
        return 1 if self.low is None else self.low, 5 if self.high is None else self.high

    def criterion(self) -> Criterion:
        low, high = self.scale
        return Criterion(self.name, " ".join(self.text.split()), self.labels, low, high, self.better)


class _File(BaseModel):
    """A file of criteria."""

    model_config = _STRICT

    about: str = ""
    takes: Takes
    criteria: tuple[_Entry, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class CriteriaSet:
    """The criteria of a file.

    Attributes:
        name: The file's name without its ending.
        takes: Whether they are asked of `one` dialogue or of a `pair`.
        criteria: What is asked, in the order of the file.
        about: What they are about, in a sentence.
    """

    name: str
    takes: Takes
    criteria: tuple[Criterion, ...]
    about: str = ""


def packaged_criteria() -> list[str]:
    """Return the names of the sets that come with the package, sorted; those of its domains are not among them."""
    folder = files(__package__).joinpath(_FOLDER)
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def load_criteria(given: str, folder: Path, takes: Takes) -> CriteriaSet:
    """Read a set of criteria.

    Args:
        given: Name of a packaged set or domain, or the path of a file, or of a domain's folder.
        folder: Where a relative path starts.
        takes: What they must be for.

    Raises:
        ConfigError: There is no such set or file, or the file is no set of such criteria; the file and the key are
            named.
    """
    if given in packaged_domains():
        place = files("mysteryshopper") / "data" / "domains" / given / DOMAIN_CRITERIA[takes]
        return _parse(place.read_text("utf-8"), given, f"{given}/{DOMAIN_CRITERIA[takes]}", takes)
    if given in packaged_criteria():
        return _parse(files(__package__).joinpath(_FOLDER, f"{given}.yaml").read_text("utf-8"), given, given, takes)
    path = folder / given
    if path.is_dir():
        path = path / DOMAIN_CRITERIA[takes]
    note_read(path, keyed=True)  # a judge that asks something else is another judge
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        known = unknown("set of criteria", given, (*packaged_criteria(), *packaged_domains()))
        raise ConfigError(f"{known} As a file {path} can't be read: {why}.", key="options.criteria") from None
    return _parse(text, path.stem, str(path), takes)


def _parse(text: str, name: str, where: str, takes: Takes) -> CriteriaSet:
    try:
        content: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"{where}{line}: is no YAML ({getattr(error, 'problem', None) or error}).") from None
    try:
        parsed = _File.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"{where}: {_first_mistake(error)}") from None
    for place, entry in enumerate(parsed.criteria):
        if takes == "pair" and (entry.labels or entry.low is not None or entry.high is not None):
            raise ConfigError(
                f"{where}: criteria[{place}]: a pair is judged by which of the two is better; remove labels, low and"
                " high."
            )
    names = Counter(entry.name.casefold() for entry in parsed.criteria)
    if twice := [found for found, count in names.items() if count > 1]:
        raise ConfigError(f"{where}: criteria: the name {twice[0]!r} occurs twice; rename one.")
    if parsed.takes != takes:
        what = {"one": "one dialogue", "pair": "a pair"}
        raise ConfigError(
            f"{where}: takes: these criteria are for {what[parsed.takes]}, this judge looks at {what[takes]}; take"
            f" another file, or the kind {'rubric' if parsed.takes == 'one' else 'pairwise'!r}.",
        )
    return CriteriaSet(name, takes, tuple(entry.criterion() for entry in parsed.criteria), parsed.about)


def _first_mistake(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ""
    for part in found["loc"]:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else str(part)
    message = found["msg"].removeprefix("Value error, ")
    return f"{key}: {message}." if key else f"{message}; write `takes:` and `criteria:`."
