"""What a model call costs beside a bare aiohttp loop and the openai SDK, store and shared cache included.

The fake server runs in a process of its own; CPU is the process time of this one. All of a row is measured in the same
run, in turns, and medians are compared. Bars, at 64 calls at once: with an immediate answer at most 3 times the bare
loop's CPU and under a quarter of the SDK's; with an answer after 50 ms at least 85 % of the bare loop's calls a second.
Run it with `make bench` or by itself.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

from mysteryshopper.core import Address, ChatMessage, ChatRequest
from mysteryshopper.experiment.log import RunLog
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.models import CallLimits, ModelBlock, Models, SharedCache
from mysteryshopper.testing import ServerProcess

AT_ONCE = 64
ROUNDS = 7
MESSAGES = (
    ("system", "You are somebody who looks for a film to watch tonight. Answer in one or two short sentences."),
    ("user", "Hello! What kind of film are you in the mood for?"),
    ("assistant", "Something slow and warm, like the old sea films my aunt used to show us on rainy Sundays."),
    ("user", "How about a quiet film about a lighthouse keeper and his daughter?"),
)
Call = Callable[[int], Awaitable[object]]


async def drive(call: Call, calls: int) -> tuple[float, float]:
    """Make calls, `AT_ONCE` at a time; return CPU seconds per call and calls per second."""
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            await call(number)

    work_begin, begin = time.process_time(), time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return (time.process_time() - work_begin) / calls, calls / (time.perf_counter() - begin)


def bare(session: aiohttp.ClientSession, base_url: str) -> Call:
    """What anybody would write: post, read, json.loads."""
    messages = [{"role": role, "content": content} for role, content in MESSAGES]

    async def call(number: int) -> object:
        body = {"model": "m", "messages": messages, "temperature": 0.7, "max_tokens": 64, "seed": number}
        async with session.post(f"{base_url}/chat/completions", json=body) as response:
            return json.loads(await response.read())["choices"][0]["message"]["content"]

    return call


async def compare(latency_ms: int, calls: int, *, with_sdk: bool) -> dict[str, tuple[float, float]]:
    """Return median CPU seconds per call and calls per second of each way."""
    messages = tuple(ChatMessage(role, content) for role, content in MESSAGES)  # type: ignore[arg-type]
    found: dict[str, list[tuple[float, float]]] = {}
    arguments = ["--no-record", "--latency-ms", str(latency_ms)]
    with ServerProcess(*arguments) as server, tempfile.TemporaryDirectory() as folder:
        store, cache = RunStore(Path(folder) / "run.sqlite"), SharedCache(Path(folder))
        limits = CallLimits(concurrency=AT_ONCE)
        block = ModelBlock(name="m", base_url=server.base_url, temperature=0.7, max_tokens=64)
        connector = aiohttp.TCPConnector(limit=0)
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            Models(RunLog(store, cache), limits=limits) as ours,
        ):
            model = ours.model("writer", block)
            client = _client(server.base_url) if with_sdk else None
            for turn in range(ROUNDS + 1):  # the first warms up

                async def ask(number: int, turn: int = turn) -> object:
                    where = Address(
                        unit=f"unit-{turn}-{number}", path="0.1", role="user", component="plain", purpose="say"
                    )
                    return await model.chat(ChatRequest(messages), where)

                ways: dict[str, tuple[Call, int]] = {
                    "bare": (bare(session, server.base_url), calls),
                    "ours": (ask, calls),
                }
                if client is not None:
                    ways["openai SDK"] = (_through(client), calls // 8)
                for name, (call, number) in ways.items():
                    measured = await drive(call, number)
                    if turn:
                        found.setdefault(name, []).append(measured)
            if client is not None:
                await client.close()
        cache.close()
        store.close()
    return {
        name: (statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows))
        for name, rows in found.items()
    }


def _client(base_url: str) -> Any:
    try:
        from openai import AsyncOpenAI
    except ImportError:
        print("the openai SDK is not installed: its bar is not checked (pip install 'mysteryshopper[bench]')")
        return None
    return AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)


def _through(client: Any) -> Call:
    messages = [{"role": role, "content": content} for role, content in MESSAGES]

    async def call(number: int) -> object:
        reply = await client.chat.completions.create(
            model="m", messages=messages, temperature=0.7, max_tokens=64, seed=number
        )
        return reply.choices[0].message.content

    return call


def main() -> int:
    """Print the medians; return 1 if a bar is missed."""
    quick = asyncio.run(compare(0, 2000, with_sdk=True))
    slow = asyncio.run(compare(50, 2000, with_sdk=False))
    for name, (work, speed) in quick.items():
        print(f"{name:<12} {work * 1e3:7.3f} ms CPU a call {speed:8.0f} calls/s at 0 ms")
    for name, (work, speed) in slow.items():
        print(f"{name:<12} {work * 1e3:7.3f} ms CPU a call {speed:8.0f} calls/s at 50 ms")
    times = quick["ours"][0] / quick["bare"][0]
    share = slow["ours"][1] / slow["bare"][1]
    print(f"CPU of a call: {times:.2f} times the bare loop's (bar: 3)")
    fine = times <= 3 and share >= 0.85
    if "openai SDK" in quick:
        part = quick["ours"][0] / quick["openai SDK"][0]
        print(f"CPU of a call: {part:.2f} of the SDK's (bar: 0.25)")
        fine = fine and part < 0.25
    print(f"calls a second at 50 ms: {share:.0%} of the bare loop's (bar: 85 %)")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
