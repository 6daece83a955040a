"""Runs from the command line: the library does the work, the report is written, three lines say what came out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from mysteryshopper.cli.judges import with_judges
from mysteryshopper.cli.output import say
from mysteryshopper.core import ShopperError
from mysteryshopper.experiment import Experiment, Progress, Run, Silent, measure_again, progress_for, resume, run
from mysteryshopper.experiment.collecting import seldom_collecting
from mysteryshopper.experiment.junit import write_junit
from mysteryshopper.experiment.labels.agreeing import labelled
from mysteryshopper.experiment.run import default_folder
from mysteryshopper.experiment.sitting import EXPERIMENT, holds_run, open_run
from mysteryshopper.report import ReportInput, verdict_lines, write_report
from mysteryshopper.report.ahead import Ahead, drawing_ahead

INTERRUPTED = 130
RUNS = Path("runs")

Verdict: TypeAlias = Callable[[ReportInput], Sequence[str]]

_REPORT = "report.html"


def run_file(file: Path, out: Path | None, junit: Path | None, quiet: bool) -> int:
    """Run an experiment file; return the exit code."""
    return run_experiment(Experiment.load(file), out or default_folder(file), junit, quiet)


def run_experiment(experiment: Experiment, folder: Path, junit: Path | None, quiet: bool) -> int:
    """Run an experiment into a folder and report it; return the exit code."""
    return carry(folder, lambda: run(experiment, folder, progress(quiet)), junit)


def resume_folder(folder: Path, file: Path | None, junit: Path | None, quiet: bool) -> int:
    """Go on with a run; return the exit code."""
    grown = None if file is None else Experiment.load(file)
    return carry(folder, lambda: resume(folder, grown, progress(quiet)), junit, resumed=True)


def judge_folder(folder: Path, file: Path | None, quiet: bool) -> int:
    """Ask judges about a finished run; return the exit code.

    Raises:
        ShopperError: The run is not finished, or has no judges and the file names none.
    """
    experiment, store = open_run(folder)
    pending = store.count_pending()
    store.close()
    if pending:
        raise ShopperError(
            f"{pending:,} units of {folder} are still to run: `mysteryshopper resume {folder}` first, then judge."
        )
    if file is not None:
        experiment = with_judges(experiment, file)
    if not experiment.judges:
        raise ShopperError(f"{folder} has no judges: name some under `judges:` in a file, and give it with --judge.")
    return carry(folder, lambda: resume(folder, experiment, progress(quiet)), None)


def report_folder(folder: Path, junit: Path | None) -> int:
    """Measure and report again; return the exit code."""
    with drawing_ahead(folder / _REPORT) as ahead:
        return _finish(measure_again(folder), junit, ahead=ahead)


def carry(
    folder: Path,
    work: Callable[[], Run],
    junit: Path | None,
    *,
    resumed: bool = False,
    verdict: Verdict = verdict_lines,
) -> int:
    """Do the work on a run's folder, report what came out, and say how to go on where it broke off.

    Args:
        folder: The run's folder.
        work: Does it.
        junit: File for assertions, or None.
        resumed: Whether the run was there before.
        verdict: Makes the last lines on the screen.

    Returns:
        The exit code.
    """
    try:
        result = work()
    except KeyboardInterrupt:
        _say_how_to_go_on(folder, "interrupted; everything that was committed is safe")
        return INTERRUPTED
    except ShopperError as error:
        if holds_run(folder) and not resumed and "mysteryshopper resume" not in str(error):
            raise ShopperError(
                f"{str(error).rstrip('.')}. Then go on with `mysteryshopper resume {folder}`."
            ) from error
        raise
    if resumed and not result.ran and not result.judged:
        say("already complete: there was nothing left to run.")
    return _finish(result, junit, verdict)


def _say_how_to_go_on(folder: Path, what: str) -> None:
    how = f": go on with `mysteryshopper resume {folder}`" if holds_run(folder) else ""
    say(f"mysteryshopper: {what}{how}.", sys.stderr)


def _finish(result: Run, junit: Path | None, verdict: Verdict = verdict_lines, ahead: Ahead | None = None) -> int:
    path, lines = _write(result, verdict, ahead)
    for line in lines:
        say(line)
    for held in result.results:
        if not held.holds:
            say(f"assertion failed: {held.assertion}: {held.reason}")
    if junit is not None:
        write_junit(junit, result.results, result.path.resolve().name, "\n".join(lines))
    say(f"report: {path}")
    return result.exit_code


def _write(result: Run, verdict: Verdict, ahead: Ahead | None = None) -> tuple[Path, Sequence[str]]:
    text = (result.path / EXPERIMENT).read_text(encoding="utf-8")
    _, store = open_run(result.path)
    try:
        asserted = [(str(held.assertion), held.holds, held.reason) for held in result.results]
        people = labelled(result.path, store)
        content = ReportInput(store, result.metrics, result.summary, text, result.path.resolve().name, asserted, people)
        with seldom_collecting():
            drawn = None if ahead is None else ahead.gathered(store.state())
            return write_report(result.path / _REPORT, content, drawn), verdict(content)
    finally:
        store.close()


def write_run_report(result: Run) -> Path:
    """Write the report of a run into its folder; return the path of its page."""
    return _write(result, lambda _: ())[0]


def progress(quiet: bool) -> Progress:
    """Return who is told how far a run is: nobody, or the terminal."""
    return Silent() if quiet else progress_for()


def unused(folder: Path) -> Path:
    """Return the folder, or the first of `folder-2`, `folder-3` … that holds no run."""
    found, number = folder, 1
    while holds_run(found):
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found
