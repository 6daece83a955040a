"""In what two experiments differ, beside the systems that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mysteryshopper.core import ConfigError, Registry, canonical
from mysteryshopper.experiment.config import Experiment
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
        pairs: The systems that are compared: a name in each.

    Returns:
        First the keys of the systems that are compared, then all others, in the order of the file.
    """
    one, other = _filled_in(first), _filled_in(second)
    found = []
    for name, counterpart in pairs:
        blocks = one["systems"].get(name, {}), other["systems"].get(counterpart, {})
        key = f"systems.{name}" if name == counterpart else f"systems.{name} / {counterpart}"
        found += [Setting(path, *values, tested=True) for path, values in _differences(*blocks, key)]
    models = _tested_models(first, second, pairs)
    for path, values in _differences(one, other, ""):
        if path.startswith("systems."):
            continue
        tested = any(path.startswith(f"models.{name}.") for name in models)
        found.append(Setting(path, *values, tested=tested, matters=not tested and not path.startswith(_HARMLESS)))
    return found


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
    """Return the models that the compared systems use and nobody else does: they are part of what is compared."""
    used: set[str] = set()
    others: set[str] = set()
    for experiment, names in ((first, {one for one, _ in pairs}), (second, {other for _, other in pairs})):
        for key, block in experiment.sides():
            mine = key.startswith("systems[") and block.name in names
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
