"""The fake server as a program: `python -m mysteryshopper.testing.server`. It prints its URL and serves until ended.

With `--watch-stdin` it ends when its standard input closes, so that it never outlives who started it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Sequence

from mysteryshopper.core import ShopperError
from mysteryshopper.testing.behaviours import BEHAVIOURS
from mysteryshopper.testing.fake import FakeServer
from mysteryshopper.testing.faults import TRANSIENT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server; returns 0 when it was told to stop, 2 where an option is wrong."""
    options = _parser().parse_args(arguments)
    try:
        server = FakeServer(
            options.behaviour,
            text=options.text,
            items=json.loads(options.items),
            faults=[entry for entry in options.faults.split(",") if entry],
            fault_rate=options.fault_rate,
            fault_mix=[name for name in options.fault_mix.split(",") if name],
            seed=options.seed,
            latency=options.latency_ms / 1000,
            key=options.key,
            record=not options.no_record,
            port=options.port,
        )
    except (ShopperError, json.JSONDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    asyncio.run(_serve(server, watch_stdin=options.watch_stdin))
    return 0


async def _serve(server: FakeServer, *, watch_stdin: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    async with server:
        print(server.url, flush=True)
        if watch_stdin:
            loop.run_in_executor(None, _wait_for_end_of_input, loop, stop)
        await stop.wait()


def _wait_for_end_of_input(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    sys.stdin.buffer.read()
    loop.call_soon_threadsafe(stop.set)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mysteryshopper.testing.server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--behaviour", default="fixed", choices=BEHAVIOURS)
    parser.add_argument("--text", default="Hello there.", help="what the behaviours say")
    parser.add_argument("--items", default="[]", help="JSON list of items in every reply of /reply")
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--faults", default="", help="what the first requests get, as in rate_limit:2,ok,reset")
    parser.add_argument("--fault-rate", type=float, default=0.0, help="share of the requests after those")
    parser.add_argument("--fault-mix", default=",".join(TRANSIENT), help="faults to draw from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--key", help="the bearer key to ask for")
    parser.add_argument("--no-record", action="store_true", help="keep counts only")
    parser.add_argument("--watch-stdin", action="store_true", help="end when standard input closes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
