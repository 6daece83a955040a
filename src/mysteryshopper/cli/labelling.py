"""`label`: a blind sheet of judged pairs or dialogues for people, and their votes back into the run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mysteryshopper.cli.output import say, show
from mysteryshopper.cli.running import write_run_report
from mysteryshopper.core import Metric, ShopperError
from mysteryshopper.experiment import measure_again
from mysteryshopper.experiment.labels import Taken, make_copies, take_votes, write_copies
from mysteryshopper.experiment.sheets import Sheet, list_sheet
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.summary import write_whole
from mysteryshopper.report.label_sheet import render_label_sheet
from mysteryshopper.report.labels import agreement_rows


def write_sheet(
    folder: Path, pairs: int, annotators: int, kind: Literal["pair", "one"] | None, criteria: Sequence[str], seed: int
) -> int:
    """Write a sheet's copies with a page beside each, and say what to do with them; return the exit code.

    Raises:
        ShopperError: The folder holds no run, or nothing that could be asked about.
    """
    _, store = open_run(folder)
    try:
        copies = make_copies(store, pairs=pairs, annotators=annotators, kind=kind, criteria=criteria, seed=seed)
    finally:
        store.close()
    paths = write_copies(folder, copies)
    for copy, path in zip(copies, paths, strict=True):
        write_whole(path.with_suffix(".html"), render_label_sheet(copy))
    first = copies[0]
    found = len(first.entries)
    what = "pairs" if len(first.entries[0].shown) == 2 else "dialogues"
    fewer = f" (the run has no more than {found})" if found < pairs else ""
    say(f"sheet {first.sheet}: {found} {what}{fewer}, asked about {', '.join(one.criterion for one in first.asked)}")
    for path in paths:
        say(f"  {path}    to fill in; {path.with_suffix('.html').name} beside it is for reading")
    say(f"The key stays in {folder / 'labels'}: hand out {paths[0].parent} alone. When the votes are in:")
    say(f"  mysteryshopper label {folder} --read {' '.join(map(str, paths))}")
    return 0


def read_sheets(folder: Path, files: Sequence[Path], encoding: str) -> int:
    """Read filled-in sheets into a run, measure and report it again, and show how far judges agree with people.

    Raises:
        ShopperError: A file is no sheet of this run, or holds what is no vote; nothing is kept then.
    """
    if not files:
        raise ShopperError("name the filled-in sheets behind --read.")
    _, store = open_run(folder)
    try:
        taken = take_votes(folder, store, files, encoding)
    finally:
        store.close()
    show([_taken(taken)])
    say("")
    result = measure_again(folder)
    show(_agreement(result.metrics))
    say(f"report: {write_run_report(result)}")
    return 0


def _taken(taken: Sequence[Taken]) -> Sheet:
    rows = [(one.annotator, str(one.file), str(one.votes), str(one.blank), str(one.replaced)) for one in taken]
    return list_sheet("Votes", ("annotator", "file", "votes", "left open", "replaced"), rows)


def _agreement(metrics: Sequence[Metric]) -> list[Sheet]:
    columns = ("who", "with whom", "on", "agreement", "kappa", "alpha", "n", "why undefined")
    rows = [
        (row.who, row.other, row.criterion, row.agreement, row.kappa, row.alpha, row.n, row.reason or "–")
        for row in agreement_rows(metrics)
    ]
    return [Sheet("How far people and judges agree", columns, tuple(rows))]
