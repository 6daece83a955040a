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
    """Do the main job offline, in a minute: simulated users talk to three recommenders of films."""
    from mysteryshopper.cli.demo import run_demo

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
def optimize(file: ExperimentFile, out: Out = None, junit: Junit = None, quiet: Quiet = False) -> int:
    """Optimise the prompt of a simulated user: `run FILE`, for the protocol prompt-optimisation alone."""
    from mysteryshopper.cli.optimizing import optimize_file

    return optimize_file(file, out, junit, quiet)


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


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="DIR_A", help="Folder of the run to compare with.")],
    second: Annotated[Path, typer.Argument(metavar="DIR_B", help="Folder of the other run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.html", help="Write the comparison as a page.")
    ] = None,
    systems: Annotated[
        tuple[str, str] | None,
        typer.Option("--systems", metavar="A B", help="A system of each run; by default those of equal names."),
    ] = None,
) -> int:
    """Compare two runs on the units they share: differences with intervals, and what was won and lost."""
    from mysteryshopper.cli.comparing import compare_folders

    return compare_folders(first, second, systems, out)


@app.command()
def label(
    folder: RunFolder,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="With --read: the filled-in sheets.")
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, max=10_000, help="How many pairs (or dialogues) to ask about.")] = 30,
    annotators: Annotated[int, typer.Option(min=1, max=100, help="How many people; each gets a copy.")] = 1,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="What to ask; may be repeated. By default overall, or else the first."),
    ] = None,
    singles: Annotated[
        bool, typer.Option("--singles", help="Ask about single dialogues, with the judges' scores or labels.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Draws what is on the sheet, and in which order.")] = 0,
    read: Annotated[bool, typer.Option("--read", help="Read filled-in sheets back, and report again.")] = False,
    encoding: Annotated[str, typer.Option(help="Encoding of the sheets to read.")] = "utf-8",
) -> int:
    """Write a blind sheet of judged pairs for people, or read their votes: how far does the judge agree with them?"""
    from mysteryshopper.cli.labelling import read_sheets, write_sheet

    if files and not read:
        raise typer.BadParameter("files are filled-in sheets to read: say --read before them")
    if read:
        return read_sheets(folder, files or [], encoding)
    return write_sheet(folder, pairs, annotators, "one" if singles else None, criterion or [], seed)


@app.command()
def profiles(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="JSONL file to write.", show_default=False)],
    data: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Data set, items or domain to wish from; by default the data of --experiment, else films.",
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many people.")] = 60,
    seed: Annotated[
        int | None, typer.Option(help="Equal seeds give equal people; by default that of --experiment, else 0.")
    ] = None,
    hard: Annotated[int, typer.Option(min=1, max=5, help="Most constraints of a wish.")] = 3,
    soft: Annotated[int, typer.Option(min=0, max=5, help="Most preferences beside them.")] = 2,
    hidden: Annotated[int, typer.Option(min=0, max=5, help="Most attributes told only when asked for.")] = 1,
    demographic: Annotated[
        bool, typer.Option("--demographic", help="People by title, surname and how picky, without wishes.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Have this model of --experiment write who they are.")
    ] = None,
    experiment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The experiment file they are for: its data, its seed, its models."),
    ] = None,
) -> None:
    """Make people for simulated users, without a model or by one, and show what they cover."""
    from mysteryshopper.cli.profiles import find_source, write_demographic, write_generated
    from mysteryshopper.experiment import Experiment
    from mysteryshopper.profiles import MadeProfiles

    if model is not None and experiment is None:
        raise typer.BadParameter("name the file whose models hold it, too: --experiment FILE")
    file = None if experiment is None else Experiment.load(experiment)
    source = find_source(data, seed, file)
    made = MadeProfiles(generate=count, hard=hard, soft=soft, hidden=hidden)
    if demographic:
        show([write_demographic(count, out, source.seed)])
    elif model is not None and file is not None:
        from mysteryshopper.cli.written_profiles import write_by_model

        show([write_by_model(file, model, source, out, made)])
    else:
        show([write_generated(source, out, made)])


@app.command(name="import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Dialogues: JSONL, one a line, or a folder.", show_default=False)
    ],
    out: Out = None,
    with_: Annotated[
        Path | None, typer.Option("--judge", metavar="FILE", help="File with a `judges` block; by default rules.")
    ] = None,
    quiet: Quiet = False,
) -> int:
    """Take dialogues that one already has as a run, to judge and report. Nothing is simulated."""
    from mysteryshopper.cli.importing import import_file

    return import_file(file, out, with_, quiet)


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
