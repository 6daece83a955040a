"""`judge --judge FILE`: a run's experiment with further judges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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
    models = {**content.get("models", {}), **old["models"]}
    return Experiment.from_dict({**old, "judges": [*old["judges"], *further], "models": models})
