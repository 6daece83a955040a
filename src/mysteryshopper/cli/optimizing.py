"""`optimize FILE`: a run with the protocol `prompt-optimisation`, and where its prompts lie."""

from __future__ import annotations

from pathlib import Path

from mysteryshopper.cli.output import say
from mysteryshopper.cli.running import run_experiment
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.run import default_folder
from mysteryshopper.optimize.prompts import BEST, PROMPTS

PROTOCOL = "prompt-optimisation"


def optimize_file(file: Path, out: Path | None, junit: Path | None, quiet: bool) -> int:
    """Run the optimisation in an experiment file; return the exit code.

    Raises:
        ConfigError: The file names another protocol.
    """
    experiment = Experiment.load(file)
    if experiment.protocol != PROTOCOL:
        raise ConfigError(
            f"{file} is for {experiment.protocol!r}, and optimize takes {PROTOCOL!r} alone: use `mysteryshopper run"
            f" {file}`, or start from `mysteryshopper init {PROTOCOL}`.",
            key="protocol",
        )
    folder = out or default_folder(file)
    code = run_experiment(experiment, folder, junit, quiet)
    if (best := folder / PROMPTS / BEST).is_file():
        say(f"best prompt: {best}")
    return code
