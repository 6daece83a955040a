"""How many calls a second whole dialogues make beside a bare aiohttp loop: 1,000 dialogues of 11 calls, 64 at once.

A user with a model (`single-prompt`) talks to a chat endpoint (`openai`); the system opens, so that five user turns
come to eleven calls. The fake server answers after 50 ms, from a process of its own. The rate of ours is that of the
simulation, from its first moment to its last: prompts, calls with their record, fault detectors, and storing. Both are
measured in turns in this process, and medians are compared. Bar: at least 85 % of the bare loop's calls a second.

Run it with `make bench`, or by itself; `python benchmarks/dialogue_calls.py 200` holds so many dialogues.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from mysteryshopper import Experiment, arun
from mysteryshopper.experiment.progress import Snapshot
from mysteryshopper.testing import ServerProcess

DIALOGUES, USER_TURNS, CALLS_EACH = 1_000, 5, 11
AT_ONCE, LATENCY_MS = 64, 50
OPTIONS = ("--no-record", "--latency-ms", str(LATENCY_MS))
ROUNDS = 3
LEAST = 0.85
SAID = "Something quiet by the sea would do for tonight, a bit like what we saw last week"


class Clock:
    """Notes when the simulation began and ended, and the CPU in between."""

    def __init__(self) -> None:
        self.moments: list[tuple[float, float]] = []

    def show(self, snapshot: Snapshot) -> None:
        """Note a moment of the simulation."""
        if snapshot.stage == "simulate":
            self.moments.append((time.perf_counter(), time.process_time()))

    def close(self) -> None:
        """Do nothing."""


async def bare(url: str, dialogues: int) -> tuple[float, float]:
    """Post as many chats of growing length, each a dialogue's one after another; return seconds and CPU."""
    numbers = iter(range(dialogues))

    async def work(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            messages = [{"role": "system", "content": f"You are somebody who looks for a film, number {number}."}]
            for turn in range(CALLS_EACH):
                body = {"model": "m", "messages": messages, "temperature": 0.7, "max_tokens": 64, "seed": number}
                async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                    said = json.loads(await response.read())["choices"][0]["message"]["content"]
                messages.append({"role": "user" if turn % 2 else "assistant", "content": said})

    start, work_start = time.perf_counter(), time.process_time()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(work(session) for _ in range(AT_ONCE)))
    return time.perf_counter() - start, time.process_time() - work_start


async def ours(url: str, dialogues: int, folder: Path) -> tuple[float, float]:
    """Hold the dialogues; return seconds and CPU of the simulation."""
    profiles = folder / "profiles.jsonl"
    wishes = (f"a quiet film about the sea, shorter than {90 + number % 60} minutes" for number in range(dialogues))
    lines = (json.dumps({"id": f"p{number}", "wish": wish}) for number, wish in enumerate(wishes))
    profiles.write_text("\n".join(lines))
    model = {"name": "m", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 64}
    clock = Clock()
    experiment = Experiment(
        protocol="conversation",
        models={"writer": model, "bot": model},
        users=[{"name": "people", "kind": "single-prompt", "model": "writer", "profiles": str(profiles)}],
        systems=[{"name": "mine", "kind": "openai", "model": "bot"}],
        options={"first": "system", "rating": False},
        limits={"concurrency": AT_ONCE, "turns": USER_TURNS},
    )
    run = await arun(experiment, folder / "out", clock)
    calls = run.summary["usage"]
    made = sum(calls[role]["calls"] for role in ("user", "system"))
    if run.exit_code or made != dialogues * CALLS_EACH:
        raise SystemExit(f"the dialogues came out as {run.summary['units']}, with {made:,} calls")
    (begin, work_begin), (end, work_end) = clock.moments[0], clock.moments[-1]
    return end - begin, work_end - work_begin


def main() -> int:
    """Print the medians; return 1 if the bar is missed."""
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else DIALOGUES
    calls = dialogues * CALLS_EACH
    found: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
    with ServerProcess("--behaviour", "numbered", "--text", SAID, *OPTIONS) as server:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as name:
                os.environ["MYSTERYSHOPPER_CACHE"] = name  # nothing is met again
                found["bare"].append(asyncio.run(bare(server.url, dialogues)))
                found["ours"].append(asyncio.run(ours(server.url, dialogues, Path(name))))
    rates = {name: statistics.median(calls / wall for wall, _ in rows) for name, rows in found.items()}
    print(f"{dialogues:,} dialogues of {CALLS_EACH} calls, {AT_ONCE} at once, answered after {LATENCY_MS} ms")
    for name, rows in found.items():
        each = statistics.median(work for _, work in rows) / calls * 1e3
        print(f"{name:<5} {rates[name]:8.0f} calls/s {each:7.3f} ms CPU a call")
    share = rates["ours"] / rates["bare"]
    print(f"calls a second: {share:.0%} of the bare loop's (bar: {LEAST:.0%})")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
