"""The demo: simulated people and three recommenders, offline; then three dialogues in the local model's words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mysteryshopper.cli.output import say
from mysteryshopper.cli.running import RUNS, carry, progress, unused, write_run_report
from mysteryshopper.core import ShopperError, Store
from mysteryshopper.experiment import Experiment, Run, run
from mysteryshopper.experiment.init import starter
from mysteryshopper.experiment.yaml_text import read_yaml
from mysteryshopper.report import ReportInput, verdict_lines
from mysteryshopper.report.headline import headline

DEMO, LOCAL = "demo", "demo-local"

_MODEL = "smollm2"


def run_demo(out: Path | None, quiet: bool) -> int:
    """Run the demo; return the exit code.

    The dialogues in the local model's words go into a run of their own within the demo's folder. They are left out, and
    a line says so, if the model is not here or fails.
    """
    folder = out or unused(RUNS / DEMO)

    def work() -> Run:
        result = run(_experiment(DEMO), folder, progress(quiet))
        say(_local_part(folder / LOCAL, quiet))
        return result

    return carry(folder, work, None, verdict=demo_verdict)


def demo_verdict(report: ReportInput) -> list[str]:
    """Return three lines: who served the people best and how sure that is, why, and what it is worth."""
    answers = headline(report).answers
    best = f"{answers[0].text} {answers[0].beside}".strip() if answers else verdict_lines(report)[1]
    return [
        best,
        f"Why: {_told_and_kept(report.store)}",
        "Mind: these people are rules, not people, with wishes made from the catalogue; and `popular` counts a log"
        " that was drawn by chance (nobody watched anything), so all it shows is what comes of not listening.",
    ]


def _told_and_kept(store: Store) -> str:
    """Return whom each system served: of people who keep a requirement to themselves, and of people who tell all."""
    served: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    people: dict[bool, set[str]] = {True: set(), False: set()}
    for stored in store.dialogues(nodes=False):
        data = stored.dialogue.data
        keeps = not set(data.get("hidden", ())).isdisjoint(data.get("constraints", {}))
        people[keeps].add(stored.unit.id)
        served[keeps][stored.unit.system] += bool(stored.dialogue.success)
    told = {keeps: ", ".join(f"{system} {served[keeps][system]}" for system in store.plan.systems) for keeps in served}
    return (
        f"{len(people[True])} people keep a requirement to themselves until it is asked for or missed: served were"
        f" {told[True]}. Of the {len(people[False])} others: {told[False]}."
    )


def _local_part(folder: Path, quiet: bool) -> str:
    from mysteryshopper.models.weights import is_pulled

    if not is_pulled(_MODEL):
        return (
            f"three dialogues in a local model's words were left out: its weights are not here (`mysteryshopper models"
            f" pull {_MODEL}`, once)."
        )
    try:
        report = write_run_report(run(_experiment(LOCAL), folder, progress(quiet)))
    except KeyboardInterrupt:
        return "three dialogues in a local model's words were left out: interrupted."
    except ShopperError as error:
        return f"three dialogues in a local model's words were left out: {error}"
    return f"a demonstration, three dialogues in a local model's words (no number in it says anything): {report}"


def _experiment(name: str) -> Experiment:
    return Experiment.from_dict(read_yaml(starter(name), f"{name}.yaml"))
