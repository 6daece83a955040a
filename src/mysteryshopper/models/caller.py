"""Posting JSON to one URL: the attempts of one call, each through the gate and under its deadline."""

from __future__ import annotations

import asyncio
import io
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar
from urllib.parse import urlsplit

import aiohttp

from mysteryshopper.core import CallFailed, Fault, Json, StopRun
from mysteryshopper.models.failures import Trouble, error_in_body, trouble
from mysteryshopper.models.gate import Gate
from mysteryshopper.models.limits import CallLimits
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.replies import Unreadable, read_json_body
from mysteryshopper.models.sending import Tally

T = TypeVar("T")

_BIG = 1 << 20
_LONGEST_BACKOFF = 30.0
_FIRST = 3


@dataclass(frozen=True, slots=True)
class Target:
    """Where to post.

    Attributes:
        who: Block and kind for messages, as in `model 'writer'`.
        url: Full URL.
        side: A model's failure is nobody's fault but the infrastructure's; a system's is its own.
        headers: Makes the headers, secrets included, when a call is sent.
        hint: What to check when the key is refused.
    """

    who: str
    url: str
    side: Literal["model", "system"]
    headers: Callable[[], Mapping[str, str]]
    hint: str


class Caller:
    """Posts to one URL. Retries, waits and failures are as the rules say; see `post`."""

    def __init__(
        self,
        target: Target,
        gate: Gate,
        limits: CallLimits,
        session: Callable[[], aiohttp.ClientSession],
        secrets: Secrets,
    ) -> None:
        """Make it; nothing is opened before the first call."""
        self._target = target
        self._gate = gate
        self._limits = limits
        self._session = session
        self._secrets = secrets
        self._headers: dict[str, str] | None = None
        self._refused: list[int] = []
        self._proven = False
        parts = urlsplit(target.url)
        self._place = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")

    def read_json(self, raw: bytes) -> Json:
        """Return the JSON value of a body, tidied and without secrets."""
        return read_json_body(raw, self._secrets)[0]

    async def post(
        self,
        body: bytes,
        tally: Tally,
        *,
        read: Callable[[bytes], T],
        seed: int = 0,
        tokens: int | None = None,
    ) -> T:
        """Post a body until `read` makes something of the answer.

        408, 409, 425, 429, 5xx, broken connections, timeouts and what `read` can't read are tried again, up to
        `retries` times, after a growing random wait or the wait the endpoint asks for; all other calls to the
        endpoint hold still for that one too. An attempt has one deadline for everything, waits not included.

        Args:
            body: JSON, ready to send.
            tally: Counts attempts.
            read: Makes the result of a body with a status of success; raises `Unreadable` if it can't.
            seed: For the jitter of the waits.
            tokens: Guess at the tokens it takes, for the gate; by default from its length.

        Raises:
            CallFailed: It failed for good: http_error, timeout, unreadable or context_exceeded.
            StopRun: 401; or 403 and 404 on each of the first three calls.
        """
        jitter: random.Random | None = None
        guess = len(body) // 4 if tokens is None else tokens
        tries = self._limits.retries
        while True:
            result = await self._attempt(body, tally, read, guess)
            if not isinstance(result, Trouble):
                self._proven = True
                return result
            self._judge_first(result)
            if result.lost:
                tally.lost()
            if result.wait is not None:  # for all who wait at this gate, even if this call gives up
                self._gate.hold(min(result.wait, self._limits.max_wait))
            if result.stop or not result.retry or tries <= 0:
                raise self._failure(result, tally.attempts)
            if result.lost:
                tally.again()
            tries -= 1
            jitter = jitter or random.Random(seed)
            await self._back_off(result, self._limits.retries - tries, jitter)

    async def _attempt(self, body: bytes, tally: Tally, read: Callable[[bytes], T], guess: int) -> T | Trouble:
        headers = self._headers
        if headers is None:
            headers = self._headers = {**self._target.headers(), "Content-Type": "application/json"}
        sent = await self._gate.enter(guess)
        before = tally.input_tokens + tally.output_tokens
        tally.sent()
        try:
            async with asyncio.timeout(self._limits.attempt_timeout):
                # a large body goes as a file, in pieces: as bytes it would block the loop
                data = body if len(body) < _BIG else io.BytesIO(body)
                response = await self._session().post(
                    self._target.url, data=data, headers=headers, allow_redirects=False
                )
                raw = await response.read()  # to its end, which gives the connection back; else it is closed
            if 200 <= response.status < 300:
                return read(raw)
            return trouble(response.status, response.headers, raw)
        except Unreadable as error:
            return Trouble(f"sent what can't be read: {error}", "unreadable", lost=True)
        except InBody as error:
            return trouble(error.status, {}, error.text.encode())
        except TimeoutError:
            return Trouble(f"did not answer within {self._limits.attempt_timeout:g} s", "timeout", lost=True)
        except aiohttp.ClientPayloadError:
            return Trouble("broke off in the middle of its answer", "unreadable", lost=True)
        except (aiohttp.ClientError, OSError) as error:
            return Trouble(f"can't be reached: {type(error).__name__}: {error}")
        finally:
            used = tally.input_tokens + tally.output_tokens - before
            self._gate.leave(sent, used or None)

    async def _back_off(self, why: Trouble, number: int, jitter: random.Random) -> None:
        longest = min(_LONGEST_BACKOFF, self._limits.max_wait, self._limits.backoff * 2 ** (number - 1))
        if why.wait is None or why.wait < longest:  # else the gate makes this call wait long enough
            await asyncio.sleep(longest * (0.5 + jitter.random() / 2))

    def _judge_first(self, result: Trouble) -> None:
        if result.status not in (403, 404):
            self._proven = self._proven or result.status is not None
        elif not self._proven:
            self._refused.append(result.status)

    def _failure(self, why: Trouble, attempts: int) -> CallFailed | StopRun:
        name = f"{self._target.who} at {self._place}"
        text = self._secrets.mask(why.text).encode("utf-8", "replace").decode()
        if why.stop:
            return StopRun(f"{name} {text}: {self._target.hint}")
        if not self._proven and len(self._refused) >= _FIRST:
            return StopRun(
                f"{name} gave {', '.join(map(str, self._refused[:_FIRST]))} to its first {_FIRST} calls: check its "
                "address, the name of the model and what the key may do."
            )
        tries = f" ({attempts} attempts)" if attempts > 1 else ""
        fault: Fault | None = "infra"
        if self._target.side == "system":
            fault = "infra" if why.status == 429 else "system"
        elif why.ended == "context_exceeded":
            fault = None
        return CallFailed(f"{name} {text}{tries}", ended=why.ended, fault=fault, status=why.status)


class InBody(Exception):  # noqa: N818 - what it is, not what is wrong
    """An error that came with a status of success; raised by what reads the body."""

    def __init__(self, status: int, text: str) -> None:
        """Make it with the status it stands for and the body's text."""
        super().__init__(text)
        self.status = status
        self.text = text

    @classmethod
    def check(cls, body: object) -> None:
        """Raise if a body is an error."""
        if (found := error_in_body(body)) is not None:
            raise cls(*found)
