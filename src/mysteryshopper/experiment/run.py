"""The library's front door: run an experiment, go on with one, judge or measure again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mysteryshopper.core import Json, Metric, ShopperError
from mysteryshopper.experiment.assertions import Result, check_assertions
from mysteryshopper.experiment.collecting import seldom_collecting
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.files_read import FILES, read_record
from mysteryshopper.experiment.interrupts import run_until_interrupted
from mysteryshopper.experiment.measuring import measure
from mysteryshopper.experiment.progress import Progress, Silent
from mysteryshopper.experiment.resolved import check_resumable
from mysteryshopper.experiment.sitting import Sat, holds_run, open_run, sit
from mysteryshopper.experiment.view import procedure_of

if TYPE_CHECKING:
    import pyarrow

DONE, FAULTS, FAILED = 0, 3, 4


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was measured.

    Attributes:
        path: Its folder.
        experiment: What was done.
        metrics: The numbers, in the protocol's order.
        summary: Content of `summary.json`.
        results: How the assertions came out.
        ran: Units run in this sitting; 0 if it was already complete.
        unjudged: Cases that no verdict came back for in this sitting.
        judged: Cases that judges were asked about in this sitting.
    """

    path: Path
    experiment: Experiment = field(repr=False)  # a notebook that shows a run should fit on its screen
    metrics: tuple[Metric, ...] = field(repr=False)
    summary: Mapping[str, Json] = field(repr=False)
    results: tuple[Result, ...] = ()
    ran: int = 0
    unjudged: int = 0
    judged: int = 0

    @property
    def exit_code(self) -> int:
        """0 done, 3 done with faults, 4 an assertion failed."""
        if any(not result.holds for result in self.results):
            return FAILED
        units = self.summary["units"]
        return FAULTS if units["pending"] or sum(units["faults"].values()) or self.unjudged else DONE

    def table(self, name: str) -> pyarrow.Table:
        """Return one of the run's tables: dialogues, turns, verdicts, unjudged, calls or metrics.

        Raises:
            ShopperError: There is no such table.
        """
        import pyarrow.parquet

        from mysteryshopper.experiment.table_rows import SCHEMAS

        if name not in SCHEMAS:
            raise ShopperError(f"there is no table {name!r}; tables are {', '.join(sorted(SCHEMAS))}.")
        return pyarrow.parquet.read_table(self.path / "tables" / f"{name}.parquet")

    def metric(self, name: str, **group: str) -> Metric:
        """Return the one metric of this name whose group holds these values.

        Raises:
            ShopperError: There is none, or there are several.
        """
        found = [
            metric
            for metric in self.metrics
            if metric.name == name and all(metric.group.get(key) == value for key, value in group.items())
        ]
        if len(found) != 1:
            which = f"{len(found)} metrics" if found else "no metric"
            known = ", ".join(sorted({metric.name for metric in self.metrics}))
            raise ShopperError(f"there is {which} {name!r} with {group or 'any group'}; the run has {known}.")
        return found[0]


async def arun(
    experiment: Experiment | str | Path, out: str | Path | None = None, progress: Progress | None = None
) -> Run:
    """Run an experiment: plan, simulate, judge, measure.

    Args:
        experiment: The experiment, or the path of its file.
        out: Folder of the run; by default `runs/NAME`, after the file, or else the protocol.
        progress: Who is told how far it is; by default nobody.

    Raises:
        ShopperError: It can't start (the folder holds a run already), or can't go on.
    """
    folder = Path(out) if out is not None else default_folder(experiment)
    if isinstance(experiment, str | Path):
        experiment = Experiment.load(experiment)
    if holds_run(folder):
        raise ShopperError(
            f"{folder} holds a run already: go on with it by `mysteryshopper resume {folder}`, or choose another --out."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return await _sit_and_measure(folder, experiment, progress)


async def aresume(
    folder: str | Path, experiment: Experiment | str | Path | None = None, progress: Progress | None = None
) -> Run:
    """Go on with a run. No committed call is made again; a finished run makes none at all.

    Args:
        folder: The run's folder.
        experiment: A grown experiment (more units, repeats, systems, users, judges; other addresses or limits), or
            its file; by default the run's own.
        progress: Who is told how far it is; by default nobody.

    Raises:
        ShopperError: The folder holds no run, something else of the experiment changed, or it can't go on.
    """
    folder = Path(folder)
    old, store = open_run(folder)
    read = read_record(store.noted(FILES)) or ()
    store.close()
    new = Experiment.load(experiment) if isinstance(experiment, str | Path) else experiment
    if new is not None:
        check_resumable(old, new, read)
    return await _sit_and_measure(folder, new or old, progress)


def run(experiment: Experiment | str | Path, out: str | Path | None = None, progress: Progress | None = None) -> Run:
    """Run an experiment to its end; see `arun`. Ctrl-C saves and raises KeyboardInterrupt.

    Raises:
        ShopperError: As `arun`; or an event loop is running already (then `await arun(…)`).
    """
    _refuse_loop("arun")
    return run_until_interrupted(arun(experiment, out, progress))


def resume(
    folder: str | Path, experiment: Experiment | str | Path | None = None, progress: Progress | None = None
) -> Run:
    """Go on with a run to its end; see `aresume`."""
    _refuse_loop("aresume")
    return run_until_interrupted(aresume(folder, experiment, progress))


def measure_again(folder: str | Path) -> Run:
    """Measure a run again and write its tables and summary; nobody is called.

    Raises:
        ShopperError: The folder holds no run.
    """
    with seldom_collecting():
        return _measured(Path(folder))


async def _sit_and_measure(folder: Path, experiment: Experiment, progress: Progress | None) -> Run:
    shown = progress or Silent()
    with seldom_collecting():
        try:
            sat = await sit(folder, experiment, shown)
        finally:
            shown.close()
        return _measured(folder, sat)


def _measured(folder: Path, sat: Sat | None = None) -> Run:
    sat = sat or Sat(0)
    experiment, store = open_run(folder)
    try:
        measured = measure(folder, store, procedure_of(experiment), experiment.protocol, experiment.seed)
    finally:
        store.close()
    results = tuple(check_assertions(experiment.assert_, measured.metrics))
    return Run(folder, experiment, measured.metrics, measured.summary, results, sat.ran, sat.unjudged, sat.judged)


def _refuse_loop(instead: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ShopperError(f"an event loop is running here, as in a notebook: use `await mysteryshopper.{instead}(…)`.")


def default_folder(experiment: Experiment | str | Path) -> Path:
    """Return where a run goes if nobody says: `runs/NAME`, after the experiment's file, or else its protocol.

    Of the name only letters, digits, dots, dashes and underscores are kept, and 80 characters at most.
    """
    name = Path(experiment).resolve().stem if isinstance(experiment, str | Path) else experiment.protocol
    return Path("runs") / (re.sub(r"[^\w.-]+", "-", name).strip(".-")[:80] or "run")
