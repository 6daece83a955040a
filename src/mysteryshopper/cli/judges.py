"""`judge --judge FILE`: a run's experiment with further judges."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mysteryshopper.core import ConfigError, unknown
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.resolved import resolved
from mysteryshopper.experiment.yaml_text import read_yaml

_KEYS = ("judge", "judges", "models")


def with_judges(experiment: Experiment, file: Path) -> Experiment:
    """Return an experiment with the judges, and the models they need, of a further file.

    Judges of the run stay; those of the file have names of their own, so that verdicts are never mixed up.

    Raises:
        ConfigError: The file can't be read, holds other keys, or its judges don't fit.
    """
    try:
        content = read_yaml(file.read_text(encoding="utf-8-sig"), str(file))
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from None
    if not isinstance(content, Mapping):
        raise ConfigError(f"{file} must hold `judges:`, and `models:` if they need any.")
    for key in content:
        if key not in _KEYS:
            raise ConfigError(unknown("key", str(key), _KEYS), key=str(key))
    old = resolved(experiment)
    further = content.get("judges") or [content[key] for key in ("judge",) if key in content]
    models = content.get("models") or {}
    for name in models:
        if name in old["models"] and not _same_model(models[name], old["models"][name]):
            raise ConfigError(
                f"the run has another model of this name; give the one in {file} a new name.", key=f"models.{name}"
            )
    names = {judge["name"] for judge in old["judges"]}
    for judge in further:
        name = judge.get("name", judge.get("kind")) if isinstance(judge, Mapping) else None
        if name in names:
            raise ConfigError(
                f"{file}: the run has a judge {name!r}, whose verdicts are kept; give this one a name of its own, or"
                " leave --judge out to go on with the run's own judges."
            )
    judges = [_beside(judge, file.parent, Path(experiment.folder)) for judge in further]
    return Experiment.from_dict({**old, "judges": [*old["judges"], *judges], "models": {**models, **old["models"]}})


def _same_model(new: Any, old: Mapping[str, Any]) -> bool:
    """Whether a model says nothing that is not in the run's own; what it leaves out may be a default."""
    return isinstance(new, Mapping) and all(old.get(key) == value for key, value in new.items())


def _beside(judge: Any, folder: Path, home: Path) -> Any:
    """Return a judge whose file of criteria, if it lies beside the file that names it, is found from the run's home."""
    options = judge.get("options") if isinstance(judge, Mapping) else None
    if not isinstance(options, Mapping):
        return judge
    given = options.get("criteria")
    if not isinstance(given, str) or not (folder / given).is_file():
        return judge
    return {**judge, "options": {**options, "criteria": os.path.relpath((folder / given).resolve(), home.resolve())}}
