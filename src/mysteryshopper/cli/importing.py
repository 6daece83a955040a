"""`import`: dialogues of one's own as a run, judged by rules or by judges of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mysteryshopper.cli.judges import with_judges
from mysteryshopper.cli.running import run_experiment
from mysteryshopper.core import ShopperError
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.run import default_folder

_RULES = {"name": "rules", "kind": "rules"}


def import_file(file: Path, out: Path | None, judges: Path | None, quiet: bool) -> int:
    """Import a file (or folder) of dialogues into a run's folder, judge and report it; return the exit code.

    Raises:
        ShopperError: There is no such file, or it holds something else.
    """
    experiment = importing(file)
    if judges is not None:
        experiment = with_judges(experiment.model_copy(update={"judges": ()}), judges)
    return run_experiment(experiment, out or default_folder(file), None, quiet)


def importing(file: Path) -> Experiment:
    """Return the experiment that imports a file of dialogues, or a folder that holds one, and judges it by rules.

    Raises:
        ShopperError: There is no such file or folder.
    """
    if not file.exists():
        raise ShopperError(
            f"there is no file {file}; name one with a dialogue a line, as `docs/protocols/import` shows."
        )
    data: dict[str, Any] = {"path": str(file.resolve())}
    if file.is_file():
        data["kind"] = "dialogues"
    return Experiment.from_dict({"protocol": "import", "seed": 7, "data": data, "judges": [_RULES]})
