"""In what two experiments differ, beside the systems that are compared."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mysteryshopper.core import ConfigError, Registry, canonical
from mysteryshopper.experiment.blocks import SystemBlock, UserBlock
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.files_read import FileRead
from mysteryshopper.experiment.kinds import PROTOCOLS, REGISTRIES, options_of
from mysteryshopper.experiment.resolved import stated

_FILES = ("profiles", "path")
_HARMLESS = ("repeats", "limits.units", "assert", "systems", "judges")
"""Which units there are, and who else was tested or judged: pairing takes care of these."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key in which two experiments differ.

    Attributes:
        key: Its path, as `models.writer.temperature`.
        first: What it is in the first experiment, as JSON; None where it is not there.
        second: The same of the second.
        tested: It belongs to the systems that are compared.
        matters: It can make a difference that is none of the systems' (another model, prompt, data, protocol option).
    """

    key: str
    first: str | None
    second: str | None
    tested: bool = False
    matters: bool = False


def differing(first: Experiment, second: Experiment, pairs: Sequence[tuple[str, str]]) -> list[Setting]:
    """Return the keys in which two experiments differ, addresses and pace aside.

    Args:
        first: One experiment.
        second: The other.
        pairs: The systems that are compared: a name in each. Where a protocol is about simulated users, users of equal
            names are compared, and the systems are what they talk to.

    Returns:
        First the keys of these systems, then all others, in the order of the file.
    """
    one, other = _filled_in(first), _filled_in(second)
    people = about_users(first)
    found = []
    for name, counterpart in pairs:
        blocks = one["systems"].get(name, {}), other["systems"].get(counterpart, {})
        key = f"systems.{name}" if name == counterpart else f"systems.{name} / {counterpart}"
        found += [Setting(path, *values, not people, people) for path, values in _differences(*blocks, key)]
    models = _tested_models(first, second, pairs)
    mine = _of_simulators(first, second) if people else ()
    for path, values in _differences(one, other, ""):
        if path.startswith("systems."):
            continue
        tested = path.startswith((*(f"models.{name}." for name in models), *mine)) and not path.endswith(".profiles")
        found.append(Setting(path, *values, tested=tested, matters=not tested and not path.startswith(_HARMLESS)))
    return found


def about_users(experiment: Experiment) -> bool:
    """Whether an experiment compares simulated users (its protocol's `judges_about` says so), and not systems."""
    return getattr(PROTOCOLS.load(experiment.protocol), "judges_about", "systems") == "users"


def _of_simulators(first: Experiment, second: Experiment) -> list[str]:
    """Return how the keys of simulators that both experiments have begin."""
    names = {block.name for block in first.users} & {block.name for block in second.users}
    return [f"users.{name}." for name in names]


def differing_files(
    first: Experiment,
    second: Experiment,
    read: tuple[Iterable[FileRead], Iterable[FileRead]],
    pairs: Sequence[tuple[str, str]],
) -> Iterator[Setting]:
    """Yield the files that both runs read under one path and that were not the same, each with its hashes.

    Files of a kind that is part of what is made with them (criteria) are told of by what was made.

    Args:
        first: One experiment.
        second: The other.
        read: What each run read.
        pairs: The systems that are compared: a name in each. Files that who is compared names are part of that.
    """
    one, other = (
        {f"{file.path} {file.part}".rstrip(): file.sha256 for file in files if not file.keyed} for files in read
    )
    mine = {path for block in _compared(first, second, pairs) for path in _named_files(block)}
    for path in sorted(one.keys() & other.keys()):
        if one[path] != other[path]:
            hashes = f"SHA-256 {one[path]}", f"SHA-256 {other[path]}"
            yield Setting(f"the file {path}", *hashes, tested=path in mine, matters=path not in mine)


def _compared(
    first: Experiment, second: Experiment, pairs: Sequence[tuple[str, str]]
) -> Iterator[SystemBlock | UserBlock]:
    both = {block.name for block in first.users} & {block.name for block in second.users}
    people = about_users(first)
    for place, experiment in enumerate((first, second)):
        names = both if people else {pair[place] for pair in pairs}
        yield from (block for block in (experiment.users if people else experiment.systems) if block.name in names)


def _named_files(block: SystemBlock | UserBlock) -> Iterator[str]:
    """Yield the paths that a block may name for itself: its function's module, and texts among its options."""
    if isinstance(block, SystemBlock) and isinstance(block.function, str):
        yield block.function.partition(":")[0].replace(".", "/") + ".py"
    yield from (os.path.normpath(value) for value in block.options.values() if isinstance(value, str) and value)


def _filled_in(experiment: Experiment) -> dict[str, Any]:
    """Return what makes an experiment what it is, with the defaults of its protocol's and parts' options."""
    content = stated(experiment)
    content["options"] = _all_options(PROTOCOLS, experiment.protocol, content["options"])
    for side in ("users", "systems", "judges"):
        for block in content[side].values():
            block["options"] = _all_options(REGISTRIES[side], block["kind"], block["options"])
    return content


def _all_options(registry: Registry, kind: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a part with its defaults; as given, where the part is gone or refuses them."""
    try:
        options = options_of(registry.load(kind), given, ("options",))
    except ConfigError:
        return given
    return given if options is None else options.model_dump(mode="json")


def _tested_models(first: Experiment, second: Experiment, pairs: Sequence[tuple[str, str]]) -> set[str]:
    """Return the models that those who are compared use and nobody else does: they are part of what is compared."""
    used: set[str] = set()
    others: set[str] = set()
    people = about_users(first)
    for experiment, names in ((first, {one for one, _ in pairs}), (second, {other for _, other in pairs})):
        for key, block in experiment.sides():
            mine = key.startswith("users[") if people else key.startswith("systems[") and block.name in names
            for part in ("model", "embedding"):
                if isinstance(name := getattr(block, part, None), str):
                    (used if mine else others).add(name)
    return used - others


def _differences(first: Any, second: Any, path: str) -> Iterator[tuple[str, tuple[str | None, str | None]]]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in [*first, *(key for key in second if key not in first)]:
            inner = f"{path}.{key}" if path else str(key)
            if key == "name" and path.startswith("systems."):
                continue
            yield from _differences(first.get(key), second.get(key), inner)
    elif first != second and not _same_file(path, first, second):
        yield path, (_text(first), _text(second))


def _same_file(path: str, first: Any, second: Any) -> bool:
    """Whether two paths lead to files that hold the same; files that are gone can't be known to."""
    if path.rpartition(".")[2] not in _FILES or not isinstance(first, str) or not isinstance(second, str):
        return False
    try:
        return Path(first).read_bytes() == Path(second).read_bytes()
    except OSError:
        return False


def _text(value: Any) -> str | None:
    return None if value is None else canonical(value)
