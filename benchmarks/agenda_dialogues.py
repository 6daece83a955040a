"""What runs of agenda users cost: CPU, wall time and memory of whole commands, by the number of dialogues.

Every person is an agenda user with a wish of its own; they talk to `lexical` about the film catalogue of the package,
and the rules judge rules on every dialogue. `mysteryshopper run` plans, simulates, judges, measures, and writes tables
and report; then `mysteryshopper report` measures and reports once more. Each is a child, so that its CPU and memory are
its own: the CPU of all its processes (two draw a large report), the memory of the largest. Bars, for 10,000 dialogues:
the run in under 5 minutes on 2 cores, the report in under 20 s, and memory at most 1.25 times that of 2,000 dialogues.
Costs a dialogue at several sizes show whether anything grows too fast.

Run it with `make bench`, or by itself; `python benchmarks/agenda_dialogues.py 1000 2000` does these sizes alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SIZES = (1_000, 2_000, 5_000, 10_000)
FULL, SMALL = 10_000, 2_000
MOST_RUN, MOST_REPORT, MOST_GROWTH = 300.0, 20.0, 1.25
COMMAND = Path(sys.executable).with_name("mysteryshopper")


@dataclass(frozen=True)
class Used:
    """Seconds of CPU and of wall time, and the largest memory in MB, of one command."""

    work: float
    wall: float
    memory: float


def command(*words: str) -> Used:
    """Run a command of mysteryshopper to its end; exit code 3 (done, with faults of the users) is fine, too."""
    begin = os.times().elapsed
    process = subprocess.Popen((str(COMMAND), *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"mysteryshopper {words[0]} ended with {process.returncode}")
    return Used(usage.ru_utime + usage.ru_stime, os.times().elapsed - begin, usage.ru_maxrss / 1024)


def measure(dialogues: int) -> tuple[Used, Used]:
    """Return what a run of so many dialogues took, and its report."""
    experiment = {
        "protocol": "conversation",
        "seed": 7,
        "users": [{"name": "people", "kind": "agenda", "profiles": {"generate": dialogues}}],
        "systems": [{"name": "words", "kind": "lexical"}],
        "judges": [{"name": "rules", "kind": "rules"}],
        "data": {"name": "films"},
    }
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name) / "experiment.yaml", Path(name) / "out"
        file.write_text(json.dumps(experiment))  # JSON is YAML
        run = command("run", str(file), "--out", str(out))
        units = json.loads((out / "summary.json").read_text())["units"]
        lost = units["faults"]["system"] + units["faults"]["judge"] + units["faults"]["infra"]
        if units["planned"] != dialogues or units["pending"] or lost:
            raise SystemExit(f"the run of {dialogues:,} dialogues came out as {units}")
        return run, command("report", str(out))


def main() -> int:
    """Print what was measured; return 1 if a bar is missed."""
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    found: dict[int, tuple[Used, Used]] = {}
    print(f"{'dialogues':>9}  {'run':>28}  {'each':>7}  {'report':>28}")
    for size in sizes:
        found[size] = run, report = measure(size)
        print(f"{size:>9,}  {_told(run)}  {run.work / size * 1e3:4.1f} ms  {_told(report)}", flush=True)
    if FULL not in found:
        return 0
    run, report = found[FULL]
    fine = run.wall < MOST_RUN and report.wall < MOST_REPORT
    print(f"run of {FULL:,}: {run.wall:.0f} s (bar: {MOST_RUN:g} s)")
    print(f"report of {FULL:,}: {report.wall:.1f} s (bar: {MOST_REPORT:g} s)")
    if SMALL in found:
        growth = run.memory / found[SMALL][0].memory
        print(f"memory: {growth:.2f} times that of {SMALL:,} dialogues (bar: {MOST_GROWTH:g})")
        fine = fine and growth <= MOST_GROWTH
    return 0 if fine else 1


def _told(used: Used) -> str:
    return f"{used.work:6.1f} s CPU {used.wall:6.1f} s {used.memory:4.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
