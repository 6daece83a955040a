"""Experiments: the file, the plan, the runner, the store, budgets, and what a run leaves behind.

A run is `run(Experiment)`, or `await arun(...)` where an event loop is running; it goes on with `resume(folder)`.
"""

from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.progress import LiveProgress, PlainProgress, Progress, Silent, Snapshot, progress_for
from mysteryshopper.experiment.run import Run, aresume, arun, measure_again, resume, run

__all__ = [
    "Experiment",
    "LiveProgress",
    "PlainProgress",
    "Progress",
    "Run",
    "Silent",
    "Snapshot",
    "aresume",
    "arun",
    "measure_again",
    "progress_for",
    "resume",
    "run",
]
