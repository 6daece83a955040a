"""The further pages of a large report, drawn in a process of their own while its numbers are still being measured.

They hold dialogues alone. Whatever goes wrong with the process, or changes in the run meanwhile, the report is then
drawn as if it had never been.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from mysteryshopper.core import ShopperError
from mysteryshopper.experiment.collecting import seldom_collecting
from mysteryshopper.experiment.sitting import DATABASE, EXPERIMENT, open_run
from mysteryshopper.experiment.summary import summarise
from mysteryshopper.report.book import Gathered
from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.page import write_further_pages

_LARGE = 20_000_000
"""Bytes of a run's database from which on a process, which takes a second to start, is worth it: 1,000 dialogues."""


class Ahead:
    """Pages that are being drawn."""

    def __init__(self, process: subprocess.Popen[bytes] | None) -> None:
        """Make it; None where nothing is drawn."""
        self._process = process

    def gathered(self, state: str) -> Gathered | None:
        """Wait for the pages, and return what the report shows of dialogues.

        Args:
            state: The run's `RunStore.state`.

        Returns:
            None where there are no such pages: nothing was drawn, it failed, or the run was in another state.
        """
        if self._process is None:
            return None
        written, _ = self._process.communicate()
        if self._process.returncode != 0:
            return None
        try:
            then, gathered = pickle.loads(written)  # noqa: S301 - written by our own process
        except Exception:  # a plug-in, as it is loaded there, may print whatever it likes
            return None
        return gathered if then == state else None


@contextmanager
def drawing_ahead(report: Path) -> Iterator[Ahead]:
    """Have the further pages of a run's report drawn meanwhile, if the run is large and there is a core for it.

    Args:
        report: File of the report's first page, in the run's folder.
    """
    process = _start(report) if _is_large(report.parent) and (os.cpu_count() or 1) > 1 else None
    with process or nullcontext():
        try:
            yield Ahead(process)
        finally:
            if process is not None:
                process.kill()  # it may be drawing still, if measuring failed


def _start(report: Path) -> subprocess.Popen[bytes] | None:
    command = (sys.executable, "-P", "-m", __name__, str(report))  # -P: nothing of the folder that one stands in
    try:
        return subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None


def _is_large(folder: Path) -> bool:
    try:
        return (folder / DATABASE).stat().st_size >= _LARGE
    except OSError:
        return False


def draw_further(report: Path) -> tuple[str, Gathered]:
    """Draw the further pages of a run's report; return the run's state, and what the report shows of dialogues."""
    folder = report.parent
    experiment, store = open_run(folder)
    with closing(store), seldom_collecting():
        state = store.state()
        text = (folder / EXPERIMENT).read_text(encoding="utf-8")
        summary = summarise(store, experiment.protocol, experiment.seed, ())
        return state, write_further_pages(report, ReportInput(store, (), summary, text, folder.resolve().name))


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(pickle.dumps(draw_further(Path(sys.argv[1]))))
    except (ShopperError, OSError, KeyboardInterrupt):
        sys.exit(1)
