"""What iEvaLM's attribute setting costs on ReDial, by the number of turns: CPU, wall time and memory of whole runs.

The experiment is `examples/ievalm-redial.yaml` with `setting: attribute` alone: every turn with all six reference
systems, from plan to report. Each run is a child, so that its CPU and memory are its own. Bar: under a minute of CPU
for all 3,341 turns. The last column is what 1,000 turns more cost beyond the row above; it stays the same where cost
grows linearly.

Run it with `make bench`, or by itself; `python benchmarks/attribute_units.py 500 1000` does these sizes alone. It needs
ReDial where MYSTERYSHOPPER_DATA says (else `../shared/data`), and says so where it is absent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

SIZES = (500, 1_000, 2_000, 3_341)
FULL, SYSTEMS, MOST_WORK = 3_341, 6, 60.0
COMMAND = Path(sys.executable).with_name("mysteryshopper")
EXPERIMENT = Path(__file__).parent.parent / "examples" / "ievalm-redial.yaml"
DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA", "../shared/data"))


@dataclass(frozen=True)
class Used:
    """Seconds of CPU and of wall time, and the largest memory in MB, of one run."""

    work: float
    wall: float
    memory: float


def measure(turns: int) -> Used:
    """Run so many turns with all systems; return what it took."""
    experiment = yaml.safe_load(EXPERIMENT.read_text(encoding="utf-8"))
    experiment["options"]["setting"] = "attribute"
    experiment["limits"] = {"units": turns}
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name) / "experiment.yaml", Path(name) / "out"
        file.write_text(json.dumps(experiment))  # JSON is YAML
        begin = os.times().elapsed
        words = (str(COMMAND), "run", str(file), "--out", str(out))
        environment = {**os.environ, "MYSTERYSHOPPER_DATA": str(DATA.resolve())}
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"mysteryshopper run ended with {process.returncode}")
        units = json.loads((out / "summary.json").read_text())["units"]
        if units["complete"] != turns * SYSTEMS:
            raise SystemExit(f"the run of {turns:,} turns came out as {units}")
        return Used(usage.ru_utime + usage.ru_stime, os.times().elapsed - begin, usage.ru_maxrss / 1024)


def main() -> int:
    """Print what was measured; return 1 if the bar is missed."""
    if not (DATA / "redial").is_dir():
        print(f"not measured: there is no ReDial in {DATA}; say where it is with MYSTERYSHOPPER_DATA")
        return 0
    found: dict[int, Used] = {}
    print(f"{'turns':>6} {'units':>7} {'CPU':>8} {'wall':>8} {'memory':>8}  1,000 turns more")
    for turns in [int(word) for word in sys.argv[1:]] or SIZES:
        before = next(reversed(found.items()), None)
        found[turns] = used = measure(turns)
        more = f"{(used.work - before[1].work) / (turns - before[0]) * 1e3:6.1f} s" if before else ""
        print(
            f"{turns:>6,} {turns * SYSTEMS:>7,} {used.work:6.1f} s {used.wall:6.1f} s {used.memory:5.0f} MB  {more}",
            flush=True,
        )
    if FULL not in found:
        return 0
    print(f"all {FULL:,} turns: {found[FULL].work:.0f} s of CPU (bar: {MOST_WORK:g} s)")
    return 0 if found[FULL].work < MOST_WORK else 1


if __name__ == "__main__":
    sys.exit(main())
