"""The commands about what experiments are made from: data sets, local models, detectors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mysteryshopper.cli.output import plain, say, show
from mysteryshopper.core import ShopperError

_STYLE: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None}

data_app = typer.Typer(help="Public data sets, and files of your own.", **_STYLE)
models_app = typer.Typer(help="The local models.", **_STYLE)
check_app = typer.Typer(help="Check how far the tool's own instruments can be trusted.", **_STYLE)


@data_app.command(name="list")
def data_list() -> None:
    """Show the data sets that are known, and whether they are here."""
    from mysteryshopper.datasets import DATASETS, data_home, sources
    from mysteryshopper.experiment.sheets import list_sheet

    home = data_home()
    rows = []
    for name, source in sources().items():
        there = len(source.files) - len(source.missing(home))
        state = "comes with the package" if not source.files else f"{there} of {len(source.files)} files here"
        rows.append((name, source.title, source.licence, state))
    for name in {*DATASETS.names()} - {*sources()}:
        own = getattr(DATASETS.load(name), "of_ones_own", False)
        folder = _own_folder(name)
        title = " ".join((DATASETS.load(name).__doc__ or "").partition("\n\n")[0].split()).rstrip(".")
        state = "here" if folder.is_dir() else f"place its files in {folder}"
        rows.append((name, title, *(("yours", "name its folder with path") if own else ("see its makers", state))))
    show([list_sheet(f"Data sets in {home}", ("name", "what it is", "licence", "state"), sorted(rows))])


def _own_folder(name: str) -> Path:
    """Return where a data set lies that is read, but not fetched."""
    from mysteryshopper.datasets import DATASETS, data_home

    return data_home() / str(DATASETS.load(name).folder_name)


@data_app.command(name="get")
def data_get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set of `data list`.")],
    mirror: Annotated[str | None, typer.Option("--from", metavar="URL", help="A mirror of the files.")] = None,
) -> None:
    """Fetch a data set, going on where an earlier try stopped; every file is checked before it counts."""
    from mysteryshopper.datasets import DATASETS, data_home, get, sources

    if name in {*DATASETS.names()} - {*sources()}:
        raise ShopperError(f"{name} is read, but not fetched: place the files of its makers in {_own_folder(name)}.")
    with _Steps() as steps:
        placed = get(name, base_url=mirror, progress=steps.told)
    if placed:
        say(f"{len(placed)} files are in {data_home()}.")
    else:
        say(f"{name} was complete already, in {data_home()}.")


@data_app.command(name="check")
def data_check(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A JSONL, CSV, TSV or Parquet file of your own, or a domain's folder."),
    ],
    kind: Annotated[
        str | None, typer.Option("--kind", help="items, dialogues, ratings or profiles; by default found out.")
    ] = None,
    encoding: Annotated[str, typer.Option("--encoding", help="Its encoding.")] = "utf-8",
) -> int:
    """Say what is wrong with a file of your own, with line numbers."""
    from mysteryshopper.cli.checking import check_file

    found = check_file(file, kind, encoding)
    for line in (*found.problems, *found.notes):
        say(line)
    problems = len(found.problems)
    state = f"{problems} problem{'s' * (problems > 1)}" if problems else "nothing is wrong"
    say(f"{file}: {found.good:,} {found.kind}, {state}.")
    return 1 if found.problems else 0


@models_app.command(name="list")
def models_list() -> None:
    """Show the local models that can be pulled, and whether they are here."""
    from mysteryshopper.experiment.sheets import list_sheet
    from mysteryshopper.models.weights import CATALOG, is_pulled, models_folder

    rows = [
        (
            name,
            weights.about,
            weights.licence,
            f"{weights.size / 1e6:.0f} MB",
            "here" if is_pulled(name) else "not here",
        )
        for name, weights in sorted(CATALOG.items())
    ]
    heads = ("name", "what it is", "licence", "size", "state")
    show([list_sheet(f"Local models in {models_folder()}", heads, rows)])


@models_app.command(name="pull")
def models_pull(name: Annotated[str, typer.Argument(metavar="NAME", help="A model of `models list`.")]) -> None:
    """Fetch the weights of a local model; they are checked before they count."""
    from mysteryshopper.models.weights import pull

    with _Steps() as steps:
        path = pull(name, progress=steps.told)
    say(f"{name} is at {path}.")


@check_app.command(name="detectors")
def check_detectors_(
    data: Annotated[
        list[str] | None, typer.Option("--data", metavar="NAME", help="Data sets with dialogues between people.")
    ] = None,
) -> int:
    """Measure the fault detectors: false alarms on what people wrote, recall on planted faults."""
    from mysteryshopper.cli.detectors import detector_sheet, human_dialogues
    from mysteryshopper.dialogue import check_detectors

    rows = check_detectors(human_dialogues(data or ["redial", "inspired"]))
    show([detector_sheet(rows)])
    return 0 if all(row.trusted for row in rows) else 1


class _Steps:
    """Progress of a download on standard error: one line that renews itself on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = ""

    def __enter__(self) -> _Steps:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._last:
            print(file=sys.stderr)

    @property
    def told(self) -> Callable[..., None]:
        return self._told

    def _told(self, what: str, done: int, total: int | None = None) -> None:
        share = f" {100 * done // total} %" if total else f" {done / 1e6:.1f} MB"
        if self._live:
            print(f"\r\x1b[K{plain(what)}{share}", end="", file=sys.stderr, flush=True)
        elif what != self._last:
            say(what, sys.stderr)
        self._last = what
