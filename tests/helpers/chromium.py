"""A headless Chromium, driven over its debugging socket; enough to look at a page as a reader would."""

import asyncio
import itertools
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

BINARY = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One open page and everything that happened on it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **parameters: Any) -> Any:
        """Send one command and return its result; events on the way are kept."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = json.loads((await self._socket.receive(timeout=30)).data)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    async def wait_for(self, event: str) -> None:
        """Wait until an event was seen."""
        while not any(seen.get("method") == event for seen in self.events):
            self.events.append(json.loads((await self._socket.receive(timeout=30)).data))

    async def look(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; the page's own policy does not bind the debugger."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    async def view(self, width: int, scheme: str) -> None:
        """Set the width of the window and light or dark."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


@asynccontextmanager
async def open_page(file: Path) -> AsyncIterator[Page]:
    """Open a file in a browser of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            str(BINARY),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--remote-debugging-port=0",
            "--remote-allow-origins=*",
            f"--user-data-dir={profile}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            address = await asyncio.wait_for(_address(process), 60)
            async with aiohttp.ClientSession() as http:
                async with http.get(f"{address}/json/list") as answer:
                    target = next(one for one in await answer.json() if one["type"] == "page")
                async with http.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    for domain in ("Page", "Network", "Log", "Runtime"):
                        await page.call(f"{domain}.enable")
                    await page.call("Page.navigate", url=file.as_uri())
                    await page.wait_for("Page.loadEventFired")
                    yield page
        finally:
            process.terminate()
            await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    while line := (await process.stderr.readline()).decode(errors="replace"):
        if found := re.search(r"DevTools listening on ws://([^/]+)/", line):
            return f"http://{found[1]}"
    raise RuntimeError("the browser ended before it was ready")
