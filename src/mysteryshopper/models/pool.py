"""All models and connections of one run: opened when first used, closed together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from urllib.parse import urlsplit

from mysteryshopper.core import CallLog, ConfigError, Registry
from mysteryshopper.models.block import FromEnv, ModelBlock
from mysteryshopper.models.budget import Budget
from mysteryshopper.models.gate import Gate
from mysteryshopper.models.limits import CallLimits
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.record import RecordedModel, Recorder

if TYPE_CHECKING:
    import aiohttp

    from mysteryshopper.models.caller import Caller, Target
    from mysteryshopper.models.poster import HttpPoster

T = TypeVar("T")

MODELS = Registry(
    "model",
    {
        "local": "mysteryshopper.models.local:LocalModel",
        "openai": "mysteryshopper.models.http:HttpModel",
        "replay": "mysteryshopper.models.replay:ReplayModel",
        "scripted": "mysteryshopper.models.scripted:ScriptedProvider",
    },
    "mysteryshopper.models",
)
"""Providers: classes with `build(name, block, models) -> Sender` (see `Sender` and `SimpleSender`)."""


class Models:
    """Models, HTTP systems and their connections, for one run. An async context manager; or call `close`.

    Attributes:
        limits: How long and how often calls are tried.
        secrets: What is masked.
        folder: Where relative paths of blocks start.
        recorder: The recording layer all of them go through.
    """

    def __init__(
        self,
        log: CallLog,
        *,
        seed: int = 0,
        limits: CallLimits | None = None,
        budget: Budget | None = None,
        secrets: Secrets | None = None,
        folder: Path | None = None,
    ) -> None:
        """Make an empty pool; nothing is opened before it is used.

        Args:
            log: Where calls are kept and found.
            seed: Seed of the run.
            limits: How long and how often calls are tried.
            budget: What may be spent; by default without limit.
            secrets: Where secrets come from; by default the process's environment.
            folder: Where relative paths of blocks start; by default the working directory.
        """
        self.limits = limits or CallLimits()
        self.secrets = secrets or Secrets()
        self.folder = folder or Path()
        self.recorder = Recorder(log, seed=seed, budget=budget, secrets=self.secrets)
        self._models: dict[str, tuple[ModelBlock, RecordedModel]] = {}
        self._gates: dict[str, Gate] = {}
        self._resources: dict[str, Any] = {}
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Return the pool."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything."""
        await self.close()

    async def close(self) -> None:
        """Close connections and whatever providers share; the newest first."""
        while self._resources:
            _, resource = self._resources.popitem()
            closing = resource.close() if hasattr(resource, "close") else None
            if inspect.isawaitable(closing):
                await closing
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def model(self, name: str, block: ModelBlock) -> RecordedModel:
        """Return the model of a block; the same one for the same name and block.

        Raises:
            ConfigError: There is no such provider.
        """
        known = self._models.get(name)
        if known is not None and known[0] == block:
            return known[1]
        self.secrets.watch(block.variables())
        sender = MODELS.load(block.provider, key=f"models.{name}.provider").build(name, block, self)
        model = RecordedModel(name, sender, self.recorder)
        self._models[name] = (block, model)
        return model

    def poster(self, name: str, url: str, headers: Mapping[str, str | FromEnv]) -> HttpPoster:
        """Return the poster of a system block; header values from the environment are read when a call is sent."""
        from mysteryshopper.models.caller import Target
        from mysteryshopper.models.poster import HttpPoster

        hint = "check the block's headers and the environment variables they name."
        make = self._headers(f"systems.{name}.headers", headers, None)
        target = Target(f"system {name!r}", url, "system", make, hint)
        self.secrets.watch(value.env for value in headers.values() if isinstance(value, FromEnv))
        return HttpPoster(name, self._caller(target, self.limits), self.recorder, self.secrets)

    def caller(self, name: str, block: ModelBlock, path: str) -> Caller:
        """Return what posts to one path below a block's `base_url`, through the endpoint's gate.

        Raises:
            ConfigError: The block has no `base_url`.
        """
        from mysteryshopper.models.caller import Target

        if block.base_url is None:
            raise ConfigError(
                "is missing; write the endpoint's root, as in http://host/v1.", key=f"models.{name}.base_url"
            )
        self.secrets.watch(block.variables())
        checked = "headers" if block.api_key_env is None else f"the environment variable {block.api_key_env}"
        make = self._headers(f"models.{name}", block.headers, block.api_key_env)
        target = Target(f"model {name!r}", join(block.base_url, path), "model", make, f"check {checked}.")
        limits = self.limits
        if block.attempt_timeout is not None or block.concurrency is not None:
            limits = CallLimits(
                concurrency=block.concurrency or limits.concurrency,
                attempt_timeout=block.attempt_timeout or limits.attempt_timeout,
                retries=limits.retries,
                max_wait=limits.max_wait,
                backoff=limits.backoff,
            )
        return self._caller(target, limits, rpm=block.rpm, tpm=block.tpm)

    def resource(self, key: str, make: Callable[[], T]) -> T:
        """Return what several models of this run share under a key, made when first asked for.

        It is closed with the pool, if it has a `close`, plain or async.
        """
        if key not in self._resources:
            self._resources[key] = make()
        return cast(T, self._resources[key])

    def _caller(self, target: Target, limits: CallLimits, *, rpm: int | None = None, tpm: int | None = None) -> Caller:
        from mysteryshopper.models.caller import Caller

        gate = self._gates.setdefault(place(target.url), Gate())
        gate.limit(concurrency=limits.concurrency, rpm=rpm, tpm=tpm)
        return Caller(target, gate, limits, self._connect, self.secrets)

    def _connect(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp  # here: planning and reporting open no connection

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the gates limit
                cookie_jar=aiohttp.DummyCookieJar(),  # calls share nothing
                timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
            )
        return self._session

    def _headers(
        self, key: str, headers: Mapping[str, str | FromEnv], api_key_env: str | None
    ) -> Callable[[], Mapping[str, str]]:
        def make() -> Mapping[str, str]:
            values: dict[str, str] = {}
            if api_key_env is not None:
                values["Authorization"] = f"Bearer {self.secrets.get(api_key_env, key=f'{key}.api_key_env')}"
            for name, value in headers.items():
                values[name] = value if isinstance(value, str) else self.secrets.get(value.env, key=f"{key}.{name}")
            return values

        return make


def place(url: str) -> str:
    """Return scheme, host and port of a URL: what shares a gate."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    return f"{parts.scheme}://{parts.hostname}:{port}"


def join(base_url: str, path: str) -> str:
    """Return the URL of a path below a base URL, whose query stays at the end."""
    base, mark, query = base_url.partition("?")
    base = base.rstrip("/")
    url = base if base.endswith("/" + path) else f"{base}/{path}"
    return url + mark + query
