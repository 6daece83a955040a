"""What 70,000 units of one question each cost: CPU of plan, run and measure beside a bare aiohttp loop, and memory.

The protocol is a plug-in made on the fly: it asks one question a unit and measures the share of answers. The fake
server answers at once, from a process of its own; 64 calls are out at a time. Run and bare loop are children, so that
their CPU and memory are theirs alone. Bars: under 60 s of CPU beyond the bare loop's, under 250 MB.

Run it with `make bench`, or by itself; `python benchmarks/one_question.py 5000` does fewer.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mysteryshopper.testing import ServerProcess

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from plugin import write_plugin

UNITS = 70_000
AT_ONCE = 64
MOST_CPU, MOST_MEMORY = 60.0, 250.0

PROTOCOL = """
    from pydantic import BaseModel
    from mysteryshopper.core import ChatMessage, ChatRequest, Dialogue, Estimate, Message, Metric, Node, Unit

    class OneQuestionOptions(BaseModel, extra="forbid"):
        units: int

    class OneQuestion:
        options = OneQuestionOptions

        def __init__(self, options):
            self._units = options.units

        def units(self, plan):
            return (Unit(f"question-{number}") for number in range(self._units))

        async def run(self, unit, context):
            asked = ChatMessage("user", f"You are person {unit.id}. Did you like the last film you saw? Say yes or no.")
            address = context.address.to(role="user", component="writer", purpose="answer")
            reply = await context.model("writer").chat(ChatRequest((asked,)), address)
            node = Node("0", None, "user", 1, (Message("user", reply.text or ""),), calls=(reply.call,))
            context.save(Dialogue(unit.key, unit.id, (node,), "answered"))

        def cases(self, store):
            return ()

        def measure(self, store):
            texts = [stored.dialogue.nodes[0].messages[0].text for stored in store.dialogues()]
            yield Metric("yes", {}, Estimate(texts.count("yes") / len(texts), n=len(texts)))
"""

RUN = """
import sys
from mysteryshopper import Experiment, run
done = run(Experiment.load(sys.argv[1]), sys.argv[2])
assert done.exit_code == 0, done.summary
assert done.metric("yes").estimate.value == 1.0
"""


async def bare(url: str, units: int) -> None:
    """Post as many questions and read the answers, keeping nothing."""
    import aiohttp

    numbers = iter(range(units))

    async def work(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            said = f"You are person question-{number}. Did you like the last film you saw? Say yes or no."
            body = {"model": "m", "messages": [{"role": "user", "content": said}], "max_tokens": 8, "seed": number}
            async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                assert json.loads(await response.read())["choices"][0]["message"]["content"] == "yes"

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(work(session) for _ in range(AT_ONCE)))


def child(*command: str, **environment: str) -> tuple[float, float, float]:
    """Run a child; return its seconds of CPU, its largest memory in MB, and its seconds of wall time."""
    process = subprocess.Popen((sys.executable, *command), env={**os.environ, **environment})
    begin = os.times().elapsed
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.times().elapsed - begin


def measure(units: int) -> dict[str, tuple[float, float, float]]:
    """Return what the bare loop and the run took."""
    with ServerProcess("--no-record", "--text", "yes") as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plugins = write_plugin(folder / "plugins", PROTOCOL, protocols={"one-question": "OneQuestion"})
        experiment = {
            "protocol": "one-question",
            "models": {"writer": {"name": "m", "base_url": server.base_url, "temperature": 0.7, "max_tokens": 8}},
            "options": {"units": units},
            "limits": {"concurrency": AT_ONCE},
        }
        (folder / "experiment.yaml").write_text(json.dumps(experiment))  # JSON is YAML
        paths = os.pathsep.join(filter(None, (str(plugins), os.environ.get("PYTHONPATH"))))
        environment = {"PYTHONPATH": paths, "MYSTERYSHOPPER_CACHE": str(folder / "cache")}
        return {
            "bare loop": child(__file__, "--bare", server.url, str(units)),
            "run": child("-c", RUN, str(folder / "experiment.yaml"), str(folder / "out"), **environment),
        }


def main() -> int:
    """Print what was measured; return 1 if a bar is missed."""
    if sys.argv[1:2] == ["--bare"]:
        asyncio.run(bare(sys.argv[2], int(sys.argv[3])))
        return 0
    units = int(sys.argv[1]) if len(sys.argv) > 1 else UNITS
    found = measure(units)
    print(f"{units:,} units of one question, {AT_ONCE} at once")
    for name, (work, memory, wall) in found.items():
        each = work / units * 1e3
        print(f"{name:<10} {work:7.1f} s CPU {memory:7.0f} MB {wall:7.1f} s wall {each:7.3f} ms CPU a unit")
    beyond, memory = found["run"][0] - found["bare loop"][0], found["run"][1]
    print(f"CPU beyond the bare loop: {beyond:.1f} s (bar: {MOST_CPU * units / UNITS:g} s)")
    print(f"memory of the run: {memory:.0f} MB (bar: {MOST_MEMORY:g} MB)")
    return 0 if beyond < MOST_CPU * units / UNITS and memory < MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
