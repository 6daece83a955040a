"""How busy iEvaLM's free chat keeps a slow model: 16 dialogues at once against a server that takes 50 ms an answer.

A user with a model (`single-prompt`, whose wishes come from ReDial's targets) talks to a chat endpoint (`openai`), as
in `setting: free`: leak filter, fault detectors, title matching and storing are all at work. The server counts what it
served. If every one of the 16 places always waited for it, it would serve 16 / 50 ms = 320 calls a second; the share
of that which it did serve, from the first moment of the simulation to its last, is how busy it was kept. Bar: 80 %.

Run it with `make bench`, or by itself; `python benchmarks/free_chat.py 64` holds so many dialogues. It needs ReDial
where MYSTERYSHOPPER_DATA says (else `../shared/data`), and says so where it is absent.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from mysteryshopper import Experiment, arun
from mysteryshopper.experiment.progress import Snapshot
from mysteryshopper.testing import ServerProcess

DIALOGUES, USER_TURNS = 1_000, 5
AT_ONCE, LATENCY_MS = 16, 50
LEAST = 0.8
SAID = "Something with that mood would do for tonight, a bit like what we saw last week"
DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA", "../shared/data"))


class Clock:
    """Notes how long the simulation took."""

    def __init__(self) -> None:
        self.moments: list[float] = []

    def show(self, snapshot: Snapshot) -> None:
        """Note a moment of the simulation."""
        if snapshot.stage == "simulate":
            self.moments.append(time.perf_counter())

    def close(self) -> None:
        """Do nothing."""


def served(server: ServerProcess) -> int:
    """Return how many requests the server answered."""
    with urllib.request.urlopen(f"{server.url}/stats") as reply:
        return int(json.load(reply)["total"])


async def chat(url: str, dialogues: int, folder: Path) -> float:
    """Hold the dialogues; return the seconds of the simulation."""
    model = {"name": "m", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 64}
    clock = Clock()
    experiment = Experiment(
        protocol="ievalm",
        seed=7,
        data={"name": "redial", "split": "test"},
        models={"writer": model, "bot": model},
        users=[{"name": "people", "kind": "single-prompt", "model": "writer"}],
        systems=[{"name": "mine", "kind": "openai", "model": "bot"}],
        options={"setting": "free"},
        limits={"concurrency": AT_ONCE, "turns": USER_TURNS, "units": dialogues},
    )
    run = await arun(experiment, folder / "out", clock)
    if run.summary["units"]["planned"] != dialogues or run.summary["units"]["faults"]["infra"]:
        raise SystemExit(f"the dialogues came out as {run.summary['units']}")
    return clock.moments[-1] - clock.moments[0]


def main() -> int:
    """Print the share; return 1 if the bar is missed."""
    if not (DATA / "redial").is_dir():
        print(f"not measured: there is no ReDial in {DATA}; say where it is with MYSTERYSHOPPER_DATA")
        return 0
    os.environ["MYSTERYSHOPPER_DATA"] = str(DATA.resolve())
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else DIALOGUES
    options = ("--behaviour", "numbered", "--text", SAID, "--no-record", "--latency-ms", str(LATENCY_MS))
    with ServerProcess(*options) as server, tempfile.TemporaryDirectory() as name:
        os.environ["MYSTERYSHOPPER_CACHE"] = name  # nothing is met again
        work = time.process_time()
        wall = asyncio.run(chat(server.url, dialogues, Path(name)))
        work, calls = time.process_time() - work, served(server)
    share = calls * LATENCY_MS / 1e3 / (wall * AT_ONCE)
    print(f"{dialogues:,} dialogues, {AT_ONCE} at once, {calls:,} calls served after {LATENCY_MS} ms each")
    print(f"simulated in {wall:.1f} s, {calls / wall:.0f} calls a second; the whole run took {work:.1f} s of CPU")
    print(f"the server was kept {share:.0%} busy (bar: {LEAST:.0%})")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
