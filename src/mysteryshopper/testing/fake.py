"""A server that pretends to be a model provider and a system under test, and fails the way real ones do."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import TracebackType
from typing import Self

from aiohttp import web

from mysteryshopper.core import Json, JsonObject
from mysteryshopper.testing.behaviours import Behaviour, Seen, named
from mysteryshopper.testing.faults import TRANSIENT, Answer, Fault, commit
from mysteryshopper.testing.replies import DOORS, Door, Reply, embeddings, payload, to_bytes


@dataclass(frozen=True)
class Recorded(Seen):
    """A request with what it got: `ok`, `status NNN`, or the name of a fault."""

    outcome: str = "ok"


class FakeServer:
    """An HTTP server on 127.0.0.1 with the doors of `DOORS`; use it as an async context manager.

    `GET /stats` and `GET /bodies` show counts and requests, `POST /clear` forgets them.

    Attributes:
        requests: Every request in order of arrival of its body; empty if `record` is off.
        counts: Number of requests by path and outcome.
        max_in_flight: Most requests that were open at once.
    """

    def __init__(
        self,
        behaviour: str | Behaviour = "fixed",
        *,
        text: str = "Hello there.",
        items: Sequence[JsonObject] = (),
        faults: Iterable[str | Fault | None] = (),
        fault_rate: float = 0.0,
        fault_mix: Sequence[str] = TRANSIENT,
        seed: int = 0,
        latency: float = 0.0,
        key: str | None = None,
        dimension: int = 32,
        record: bool = True,
        port: int = 0,
    ) -> None:
        """Make a server; it listens once entered.

        Args:
            behaviour: A name (see `named`), or a function of the request that gives an `Outcome`, plain or async. The
                embeddings door sends hash vectors unless it gives a JSON object or a fault.
            text: What the named behaviours say.
            items: Items that a reply of the `/reply` door carries if it names none itself.
            faults: What the first requests get, one entry each: a fault, its name, `name:seconds`, or None or `ok`.
                It may be endless; requests after its end are answered well.
            fault_rate: Share of the requests after those that get a fault. Which ones depends on `seed`, the body and
                how often that body came, not on the order of requests.
            fault_mix: Faults to draw from, each equally often.
            seed: Seed of the drawn faults.
            latency: Seconds before each answer.
            key: If given, a request without `Authorization: Bearer KEY` gets 401.
            dimension: Length of embedding vectors.
            record: Keep requests; off saves memory under load.
            port: Port, 0 for a free one.

        Raises:
            ConfigError: A behaviour or fault that does not exist.
        """
        self._behaviour = named(behaviour, text) if isinstance(behaviour, str) else behaviour
        self._fixed = text if behaviour == "fixed" else None
        self._items = tuple(items)
        if isinstance(faults, Sequence):  # checked now; an endless script is read as it goes
            faults = [_fault(entry) for entry in faults]
        self._script = (_fault(entry) for entry in faults)
        self._rate = fault_rate
        self._mix = [Fault(name) for name in fault_mix]
        self._seed = seed
        self._latency = latency
        self._key = key
        self._dimension = dimension
        self._record = record
        self._port = port
        self._runner: web.ServerRunner | None = None
        self._ready: dict[Door, bytes] = {}
        self._repeats: Counter[bytes] = Counter()
        self._number = 0
        self._in_flight = 0
        self.requests: list[Recorded] = []
        self.counts: Counter[tuple[str, str]] = Counter()
        self.max_in_flight = 0

    async def __aenter__(self) -> Self:
        """Start to listen."""
        self._runner = web.ServerRunner(
            web.Server(self._handle, access_log=None, handler_cancellation=True), shutdown_timeout=0.0
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop; open requests are dropped."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What a model block's `base_url` takes."""
        return f"{self.url}/v1"

    @property
    def reply_url(self) -> str:
        """What an HTTP system's `url` takes."""
        return f"{self.url}/reply"

    def count(self, path: str | None = None, outcome: str | None = None) -> int:
        """Return how many requests came, of one path and with one outcome if given."""
        return sum(n for (p, o), n in self.counts.items() if path in (None, p) and outcome in (None, o))

    def bodies(self, path: str | None = None) -> list[dict[str, Json]]:
        """Return the JSON bodies that came, in order, of one path if given."""
        return [seen.body for seen in self.requests if path in (None, seen.path)]

    def clear(self) -> None:
        """Forget requests and counts; the script of faults goes on where it was."""
        self.requests.clear()
        self.counts.clear()
        self.max_in_flight = 0

    def stats(self) -> dict[str, Json]:
        """Return the counts as JSON: `total`, `max_in_flight`, and `counts` by path and outcome."""
        counts: dict[str, dict[str, int]] = {}
        for (path, outcome), n in sorted(self.counts.items()):
            counts.setdefault(path, {})[outcome] = n
        return {"total": self.count(), "max_in_flight": self.max_in_flight, "counts": counts}

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        door = DOORS.get(request.path)
        if door is None or request.method != "POST":
            return self._serve_own(request)
        self._in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self._in_flight)
        try:
            raw = await request.content.read()
            self._number += 1
            headers = {name.lower(): value for name, value in request.headers.items()} if self._record else {}
            seen = Seen(self._number, door, request.path, headers, raw, time.monotonic())
            answer = await self._decide(request, seen)
            return await _send(request, answer)
        finally:
            self._in_flight -= 1

    def _serve_own(self, request: web.BaseRequest) -> web.Response:
        match request.method, request.path:
            case "GET", "/stats":
                return web.json_response(self.stats())
            case "GET", "/bodies":
                return web.json_response([_shown(seen) for seen in self.requests])
            case "POST", "/clear":
                self.clear()
                return web.json_response({})
            case _:
                return web.json_response({"error": {"message": f"nothing at {request.path}"}}, status=404)

    async def _decide(self, request: web.BaseRequest, seen: Seen) -> Answer:
        fault = next(self._script, None) or self._draw(seen.raw)
        if self._key is not None and request.headers.get("Authorization") != f"Bearer {self._key}":
            fault = Fault("unauthorized")
        body, text = b"", self._fixed or ""
        if fault is None and self._fixed is not None and seen.door in self._ready:
            body = self._ready[seen.door]
        elif fault is None or fault.name not in _NEEDS_NO_REPLY:
            body, text, late = await self._good(seen)
            fault = fault or late
        outcome = "ok" if fault is None else fault.name
        self.counts[seen.path, outcome] += 1
        if self._record:
            self.requests.append(Recorded(seen.number, seen.door, seen.path, seen.headers, seen.raw, seen.at, outcome))
        if self._latency:
            await asyncio.sleep(self._latency)
        return Answer(body) if fault is None else commit(fault, seen.door, body, text)

    async def _good(self, seen: Seen) -> tuple[bytes, str, Fault | None]:
        outcome = self._behaviour(seen)
        if inspect.isawaitable(outcome):
            outcome = await outcome
        if isinstance(outcome, dict):
            return to_bytes(outcome), "", None
        if isinstance(outcome, Fault):
            return to_bytes(payload(Reply("Hello."), seen.door)), "Hello.", outcome
        if seen.door == "embeddings":
            return to_bytes(embeddings(seen.body, self._dimension)), "", None
        reply = Reply(outcome) if isinstance(outcome, str) else outcome
        body = payload(reply, seen.door)
        if seen.door == "reply" and self._items:
            body.setdefault("items", list(self._items))
        sent = to_bytes(body)
        if self._fixed is not None:
            self._ready[seen.door] = sent
        return sent, reply.text or "", None

    def _draw(self, raw: bytes) -> Fault | None:
        if not self._rate:
            return None
        mark = hashlib.blake2b(raw, digest_size=8).digest()
        self._repeats[mark] += 1
        drawn = Random(f"{self._seed} {mark.hex()} {self._repeats[mark]}")
        return drawn.choice(self._mix) if drawn.random() < self._rate else None


def _fault(entry: str | Fault | None) -> Fault | None:
    return Fault.parse(entry) if isinstance(entry, str) else entry


_NEEDS_NO_REPLY = frozenset({"rate_limit", "rate_limit_date", "rate_limit_bare", "hang", "reset", "unauthorized"})


def _shown(seen: Recorded) -> Mapping[str, Json]:
    try:
        body = json.loads(seen.raw)
    except ValueError:
        body = seen.raw.decode("utf-8", "replace")
    return {"path": seen.path, "outcome": seen.outcome, "headers": dict(seen.headers), "body": body}


async def _send(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
    match answer.manner:
        case "hang" | "late":
            await asyncio.sleep(answer.seconds)
        case "reset":
            return await _cut(request, None)
        case "cut_body":
            return await _cut(request, answer.body)
        case "slow_bytes":
            return await _drip(request, answer)
        case "split_bytes":
            return await _drip(request, answer, b"")
    return web.Response(
        body=answer.body, status=answer.status, headers=answer.headers, content_type=answer.kind.partition(";")[0]
    )


async def _cut(request: web.BaseRequest, body: bytes | None) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    if body is not None:
        response.content_length = len(body)
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
    if request.transport is not None:
        if body is None:
            request.transport.abort()
        else:
            request.transport.close()
    raise asyncio.CancelledError


async def _drip(request: web.BaseRequest, answer: Answer, endless: bytes = b" ") -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": answer.kind})
    await response.prepare(request)
    if endless:
        while True:
            await response.write(endless)
            await asyncio.sleep(answer.seconds)
    for index in range(len(answer.body)):
        await response.write(answer.body[index : index + 1])
        await asyncio.sleep(0)
    await response.write_eof()
    return response
