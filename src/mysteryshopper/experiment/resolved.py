"""An experiment written out, and what may change in it when a run is resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.files_read import FileRead, same_files
from mysteryshopper.experiment.yaml_text import write_yaml

if TYPE_CHECKING:
    from mysteryshopper.experiment.config import Experiment

_HEAD = "# Written by mysteryshopper: the experiment of this run with all defaults. Secrets are names of variables.\n"

_SIDES = ("users", "systems", "judges")
_FREE_LIMITS = frozenset({"concurrency", "attempt_timeout", "retries", "max_wait", "max_cost"})
_FREE_KEYS = frozenset(
    {"base_url", "api_key_env", "url", "rpm", "tpm", "concurrency", "attempt_timeout", "price", "repeats"}
)  # repeats of a judge: those it has ruled stay
_MADE = ("generate", "demographic")
"""How many people are made; the first ones stay the same when there are more."""
_PATHS = frozenset({"path", "profiles"})


def resolved(experiment: Experiment, beside: Path | None = None) -> dict[str, Any]:
    """Return the content of a file that states the experiment with all its defaults.

    Secrets and addresses stay as they were written: names of environment variables.

    Args:
        experiment: The experiment.
        beside: Folder the file will lie in; `folder` then leads from there to where relative paths start.
    """
    content = experiment.model_dump(mode="json", by_alias=True)
    start = Path(experiment.folder)
    content["folder"] = str(start) if beside is None else os.path.relpath(start.resolve(), beside.resolve())
    return content


def resolved_yaml(experiment: Experiment, beside: Path | None = None) -> str:
    """Return the experiment as the text of a file that reads back as the same experiment; see `resolved`."""
    return _HEAD + write_yaml(resolved(experiment, beside))


def changes(old: Experiment, new: Experiment, read: Sequence[FileRead] = ()) -> list[str]:
    """Return what keeps a run of `old` from going on as `new`, one sentence each; empty if it may.

    Free to change: where and how fast (addresses, names of secrets, concurrency, waits, prices and the cost limit),
    and where a file lies that the run read (`read`), as long as the same is in it.
    May grow: units, repeats, users, systems, judges, models under new names, and the number of people that are made
    (`profiles: {generate: N}`), where `limits.units` draws none out of them. Nothing else may change. Blocks may
    stand in another order, but for systems where a unit is a pair of them (a protocol with `pairs_systems`).
    """
    before, after = stated(old), stated(new)

    def moved(was: str, now: str) -> bool:
        home = Path(old.folder).resolve()
        try:
            return same_files(read, (home / was).resolve(), (Path(new.folder) / now).resolve(), home)
        except (OSError, ValueError):  # a text that is no path
            return False

    if read:
        for part in (*_SIDES, "models", "data", "options"):
            before[part] = _followed(before[part], after[part], moved)
    return list(_changes(before, after))


def check_resumable(old: Experiment, new: Experiment, read: Sequence[FileRead] = ()) -> None:
    """Make sure that a run of `old`, which read these files, may go on as `new`.

    Raises:
        ConfigError: Something changed that must not; everything is named.
    """
    if refused := changes(old, new, read):
        raise ConfigError(
            "this run can't go on with a changed experiment: " + "; ".join(refused) + ". Undo that, or start a new run."
        )


def stated(experiment: Experiment) -> dict[str, Any]:
    """Return what makes an experiment what it is: its content without what is free to change, blocks by their names.

    Paths are whole, so that two experiments that lie in different folders can be compared.
    """
    content, home = resolved(experiment), Path(experiment.folder)
    content.pop("folder")
    content["limits"] = {key: value for key, value in content["limits"].items() if key not in _FREE_LIMITS}
    for side in _SIDES:
        content[side] = {block["name"]: _fixed(block, home) for block in content[side]}
    content["models"] = {name: _fixed(block, home) for name, block in content["models"].items()}
    content["data"] = _fixed(content["data"], home)
    return content


def _followed(old: Any, new: Any, moved: Callable[[str, str], bool]) -> Any:
    """Return old content with each path of a file that was moved as the new content has it."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {key: _followed(value, new.get(key), moved) for key, value in old.items()}
    if isinstance(old, str) and isinstance(new, str) and old != new and moved(old, new):
        return new
    return old


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    yield from _shrunk(old, new)
    yield from _people(old["users"], new["users"], new["limits"]["units"])
    old["limits"].pop("units")
    new["limits"].pop("units")
    yield from _reordered(old, new)
    for side in (*_SIDES, "models"):
        for name in old[side]:
            if name not in new[side]:
                yield f"{side}: {name!r} is gone"
            else:
                yield from _different(old[side][name], new[side][name], f"{side}.{name}")
    for key in old:
        if key not in (*_SIDES, "models", "repeats"):
            yield from _different(old[key], new[key], key)


def _shrunk(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = old["limits"]["units"], new["limits"]["units"]
    if after is not None and (before is None or after < before):
        yield f"limits.units may only grow, from {'all' if before is None else before} to {after}"
    if new["repeats"] < old["repeats"]:
        yield f"repeats may only grow, from {old['repeats']} to {new['repeats']}"


def _reordered(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield what forbids another order of the systems, where a unit is a pair of them in their order."""
    from mysteryshopper.protocols import PROTOCOLS  # here: only who resumes needs it

    kept = [name for name in new["systems"] if name in old["systems"]]
    known = [name for name in old["systems"] if name in kept]
    if kept != known and getattr(PROTOCOLS.load(old["protocol"]), "pairs_systems", False):
        yield (
            f"systems: {', '.join(map(repr, known))} stand in another order, and all of their pairs would be held anew"
        )


def _people(old: Mapping[str, Any], new: Mapping[str, Any], units: int | None) -> Iterator[str]:
    """Take the numbers of made people out of the blocks where they may grow, and yield what forbids it."""
    for name in old.keys() & new.keys():
        before, after = old[name]["profiles"], new[name]["profiles"]
        if not isinstance(before, dict) or not isinstance(after, dict):
            continue
        for key in _MADE:
            if before.get(key) == after.get(key) or None in (before.get(key), after.get(key)):
                continue
            had, has = before.pop(key), after.pop(key)
            if has < had:
                yield f"users.{name}.profiles.{key} may only grow, from {had} to {has}"
            elif units is not None:
                yield (
                    f"users.{name}.profiles.{key} grew from {had} to {has}, and limits.units draws {units} out of them,"
                    " which would be others (set limits.units to null to take all)"
                )


def _fixed(block: Any, home: Path) -> Any:
    """Return a block without what may change freely, its paths made whole."""
    if not isinstance(block, Mapping):
        return block
    fixed: dict[str, Any] = {}
    for key, value in block.items():
        if key in _FREE_KEYS:
            continue
        if key in ("model", "embedding"):
            value = _fixed(value, home)
        elif key == "headers":
            value = {name: {"env": ""} if isinstance(given, Mapping) else given for name, given in value.items()}
        elif key in _PATHS and isinstance(value, str) and not value.startswith("${"):
            value = str((home / value).resolve())
        fixed[key] = value
    return fixed


def _different(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from _different(old.get(key), new.get(key), f"{path}.{key}")
    elif old != new or type(old) is not type(new):
        yield f"{path} changed from {_short(old)} to {_short(new)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
