"""The commands about experiments and runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mysteryshopper.cli.materials import check_app, data_app, models_app
from mysteryshopper.cli.output import say, show

app = typer.Typer(
    name="mysteryshopper",
    help="Simulated users who test conversational recommenders and agents, and are tested themselves against people.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 could not start or go on, 2 usage, 3 done with faults, 4 an assertion failed, "
    "130 interrupted. --debug shows where an error came from.",
)
app.add_typer(data_app, name="data")
app.add_typer(models_app, name="models")
app.add_typer(check_app, name="check")

ExperimentFile = Annotated[Path, typer.Argument(metavar="FILE", help="An experiment file.", show_default=False)]
RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the run; by default runs/NAME.")]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write assertions as JUnit XML.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


def _version(asked: bool) -> None:
    if asked:
        from mysteryshopper import __version__

        say(f"mysteryshopper {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(out: Out = None, quiet: Quiet = False) -> int:
    """Do the main job offline, in a minute: simulated users talk to a recommender of films."""
    from mysteryshopper.cli.running import run_demo

    return run_demo(out, quiet)


@app.command()
def init(
    protocol: Annotated[str, typer.Argument(metavar="PROTOCOL", help="See `mysteryshopper list protocols`.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="By default PROTOCOL.yaml.")] = None,
) -> None:
    """Write a commented experiment file to start from."""
    from mysteryshopper.experiment.init import write_starter

    path = write_starter(protocol, out)
    say(f"{path} is written. Next: mysteryshopper plan {path}")


@app.command()
def plan(file: ExperimentFile) -> None:
    """Show what an experiment would do, call, send where and cost. Calls nothing."""
    from mysteryshopper.experiment.config import Experiment
    from mysteryshopper.experiment.plan import make_plan
    from mysteryshopper.experiment.sheets import plan_sheets

    show(plan_sheets(make_plan(Experiment.load(file))))


@app.command()
def run(file: ExperimentFile, out: Out = None, junit: Junit = None, quiet: Quiet = False) -> int:
    """Plan, simulate, judge, measure and report."""
    from mysteryshopper.cli.running import run_file

    return run_file(file, out, junit, quiet)


@app.command()
def resume(
    folder: RunFolder,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="A grown experiment file; by default the run's own.")
    ] = None,
    junit: Junit = None,
    quiet: Quiet = False,
) -> int:
    """Go on after a crash, Ctrl-C or a full disk; may add units, systems, users, judges and repeats."""
    from mysteryshopper.cli.running import resume_folder

    return resume_folder(folder, file, junit, quiet)


@app.command()
def judge(
    folder: RunFolder,
    with_: Annotated[
        Path | None,
        typer.Option("--judge", metavar="FILE", help="File with a `judges` block; by default the run's own."),
    ] = None,
    quiet: Quiet = False,
) -> int:
    """Ask for verdicts again; old ones are kept. The systems are not talked to."""
    from mysteryshopper.cli.running import judge_folder

    return judge_folder(folder, with_, quiet)


@app.command()
def report(folder: RunFolder, junit: Junit = None) -> int:
    """Measure and report again. Nothing is called."""
    from mysteryshopper.cli.running import report_folder

    return report_folder(folder, junit)


@app.command(name="list")
def list_(
    what: Annotated[str, typer.Argument(metavar="[users|systems|judges|protocols|models]")] = "",
) -> None:
    """Show all kinds of users, systems, judges, protocols and models that are installed."""
    from mysteryshopper.cli.kinds import kind_sheets

    show(kind_sheets(what))


@app.command()
def schema() -> None:
    """Print the JSON Schema of experiment files."""
    import json

    from mysteryshopper.experiment.schema import json_schema

    print(json.dumps(json_schema(), indent=1))
