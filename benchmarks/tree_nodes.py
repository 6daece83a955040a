"""What a tree of two chat endpoints costs beside a bare loop: 100 roots of depth 4, answered after 50 ms, 32 at once.

A user with a model (`single-prompt`) goes on from both replies to every history; a judge with a model compares the
replies pair by pair, in both orders: 45 calls a root for the talk and 30 for the judge. All that `mysteryshopper run`
does, but for the report, is done in a child, so that its CPU and memory are its own; the bare aiohttp loop, another
child, posts as many bodies of like length with as many at once. Both are measured in turns, and medians are compared.
The ideal is calls × latency ÷ 32. Bars: talk and judging together keep 80 % of the ideal, or of the bare loop where the
machine does not let even that reach it; the largest memory of 400 roots is at most 1.25 times that of 100.

Run it with `make bench`, or by itself; `python benchmarks/tree_nodes.py 20` grows so many roots, once, and has no bars.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.testing import ServerProcess

ROOTS, MANY, DEPTH = 100, 400, 4
AT_ONCE, LATENCY_MS = 32, 50
TALK = 1 + 2 * (2**DEPTH - 1) + 2 * (2 ** (DEPTH - 1) - 1)
RULINGS = 2 * (2**DEPTH - 1)
ROUNDS = 3
LEAST, MOST_GROWTH = 0.8, 1.25
SAID = "Something quiet by the sea would do for tonight, a bit like what we saw last week"
TALKING = ("--behaviour", "numbered", "--text", SAID, "--no-record", "--latency-ms", str(LATENCY_MS))
JUDGING = ("--behaviour", "schema", "--no-record", "--latency-ms", str(LATENCY_MS))
STAGES = "simulate", "judge"


@dataclass(frozen=True)
class Used:
    """What a child took: seconds of its two stages together and of all of it, of CPU, and MB of memory."""

    stages: float
    wall: float
    work: float
    memory: float


def child(*words: str) -> Used:
    """Run a part of this program in a process of its own; it prints the seconds of its stages."""
    begin = time.perf_counter()
    process = subprocess.Popen((sys.executable, __file__, *words), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words[0]} ended with {process.returncode}")
    wall = time.perf_counter() - begin
    return Used(float(told.split()[-1]), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


async def bare(talk: str, judge: str, roots: int) -> float:
    """Post what a tree posts, in dialogues of growing length and then in rulings; return the seconds it took."""
    import aiohttp

    async def chat(session: aiohttp.ClientSession, url: str, messages: list[dict[str, str]]) -> str:
        body = {"model": "m", "messages": messages, "temperature": 0.7, "max_tokens": 64}
        async with session.post(f"{url}/v1/chat/completions", json=body) as response:
            return str(json.loads(await response.read())["choices"][0]["message"]["content"])

    async def talking(session: aiohttp.ClientSession, left: list[int]) -> None:
        while left:
            said = 2 * (left.pop() % DEPTH) + 1
            messages = [{"role": "system", "content": f"Somebody who looks for a film. {SAID}"}]
            messages += [{"role": "assistant" if place % 2 else "user", "content": SAID} for place in range(said)]
            await chat(session, talk, messages)

    async def ruling(session: aiohttp.ClientSession, left: list[int]) -> None:
        while left:
            left.pop()
            await chat(session, judge, [{"role": "user", "content": f"Which is the better reply?\n{SAID * 12}"}])

    begin = time.perf_counter()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for work, each in ((talking, TALK), (ruling, RULINGS)):
            left = list(range(each * roots))  # in any order: it waits for nothing but an answer
            await asyncio.gather(*(work(session, left) for _ in range(AT_ONCE)))
    return time.perf_counter() - begin


def ours(talk: str, judge: str, roots: int, folder: Path) -> float:
    """Plan, talk, judge and measure; return the seconds of talk and judging together."""
    from mysteryshopper import Experiment, run
    from mysteryshopper.experiment.progress import Snapshot

    moments: dict[str, list[float]] = {name: [] for name in STAGES}

    class Clock:
        def show(self, snapshot: Snapshot) -> None:
            if snapshot.stage in moments:
                moments[snapshot.stage].append(time.perf_counter())

        def close(self) -> None:
            pass

    wishes = (f"a quiet film about the sea, shorter than {90 + number % 60} minutes" for number in range(roots))
    people = folder / "people.jsonl"
    people.write_text("\n".join(json.dumps({"id": f"p{place}", "wish": wish}) for place, wish in enumerate(wishes)))
    model = {"name": "m", "base_url": f"{talk}/v1", "temperature": 0.7, "max_tokens": 64}
    experiment = Experiment(
        protocol="tree",
        models={"writer": model, "wise": {**model, "base_url": f"{judge}/v1"}},
        users=[{"name": "people", "kind": "single-prompt", "model": "writer", "profiles": str(people)}],
        systems=[{"name": name, "kind": "openai", "model": "writer"} for name in ("one", "two")],
        judges=[{"name": "duel", "kind": "pairwise", "model": "wise"}],
        options={"controls": 0},
        limits={"concurrency": AT_ONCE, "turns": DEPTH},
    )
    done = run(experiment, folder / "out", Clock())
    usage = done.summary["usage"]
    made = usage["user"]["calls"] + usage["system"]["calls"], usage["judge"]["calls"]
    if done.exit_code or made != (TALK * roots, RULINGS * roots):
        raise SystemExit(f"the roots came out as {done.summary['units']}, with {made} calls")
    return sum(found[-1] - found[0] for found in moments.values())


def part(name: str, talk: str, judge: str, roots: str) -> None:
    """Do one part, as a child."""
    if name == "bare":
        print(asyncio.run(bare(talk, judge, int(roots))))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MYSTERYSHOPPER_CACHE"] = folder  # nothing is met again
        print(ours(talk, judge, int(roots), Path(folder)))


def told(name: str, rows: list[Used], calls: int, ideal: float) -> float:
    """Print the medians of a program, and return its share of the ideal."""
    stages, wall, work, memory = (
        statistics.median(getattr(row, key) for row in rows) for key in ("stages", "wall", "work", "memory")
    )
    share = ideal / stages
    print(
        f"{name:<5} {stages:6.1f} s talking and judging ({share:.0%} of the ideal), {wall:5.1f} s in all,"
        f" {work:5.1f} s of CPU ({work / calls * 1e3:.2f} ms a call), {memory:4.0f} MB"
    )
    return share


def main() -> int:
    """Print the medians; return 1 if a bar is missed."""
    whole = len(sys.argv) < 2
    roots = ROOTS if whole else int(sys.argv[1])
    calls = roots * (TALK + RULINGS)
    ideal = calls * LATENCY_MS / 1e3 / AT_ONCE
    found: dict[str, list[Used]] = {"bare": [], "ours": []}
    with ServerProcess(*TALKING) as talk, ServerProcess(*JUDGING) as judge:
        for _ in range(ROUNDS if whole else 1):
            for name, rows in found.items():
                rows.append(child(name, talk.url, judge.url, str(roots)))
        many = child("ours", talk.url, judge.url, str(MANY)) if whole else None
    print(f"{roots:,} roots of depth {DEPTH}, {calls:,} calls, {AT_ONCE} at once, answered after {LATENCY_MS} ms:")
    print(f"ideal {ideal:6.1f} s")
    shares = {name: told(name, rows, calls, ideal) for name, rows in found.items()}
    if many is None:
        return 0
    kept = shares["ours"] / min(1.0, shares["bare"])
    growth = many.memory / statistics.median(row.memory for row in found["ours"])
    print(f"share of what the bare loop reaches: {kept:.0%} (bar: {LEAST:.0%})")
    print(f"memory of {MANY:,} roots: {many.memory:.0f} MB, {growth:.2f} times that of {roots:,} (bar: {MOST_GROWTH})")
    return 0 if kept >= LEAST and growth <= MOST_GROWTH else 1


if __name__ == "__main__":
    if len(sys.argv) == 5:
        part(*sys.argv[1:])
    else:
        sys.exit(main())
