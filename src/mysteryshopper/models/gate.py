"""One gate for each endpoint: how many calls at once, how many and how many tokens a minute, and when to hold still."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

_MINUTE = 60.0


@dataclass(slots=True)
class _Sent:
    """One request that went out in the last minute."""

    at: float
    tokens: int


class Gate:
    """What every call to one endpoint passes, first come first served.

    Blocks that share an endpoint share its gate; of their limits the strictest holds. Waiting here is no part of an
    attempt's deadline.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Make an open gate; `clock` gives seconds."""
        self._clock = clock
        self._concurrency: float = inf
        self._rpm: float = inf
        self._tpm: float = inf
        self._inside = 0
        self._closed_until = 0.0
        self._minute: deque[_Sent] = deque()
        self._queue: deque[tuple[asyncio.Future[_Sent | None], int]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def limit(self, *, concurrency: int | None = None, rpm: int | None = None, tpm: int | None = None) -> None:
        """Tighten the gate; None leaves a limit as it is."""
        self._concurrency = min(self._concurrency, concurrency or inf)
        self._rpm = min(self._rpm, rpm or inf)
        self._tpm = min(self._tpm, tpm or inf)

    def hold(self, seconds: float) -> None:
        """Let nobody through for so long, counted from now; a longer hold that is on stays."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    async def enter(self, tokens: int) -> _Sent | None:
        """Wait for one's turn; what is returned goes to `leave`.

        Args:
            tokens: About how many tokens the call will take. A call that takes more than a minute's worth goes out
                when nothing else did for a minute.
        """
        if not self._queue and not self._delay(tokens):
            return self._let_in(tokens)
        turn: asyncio.Future[_Sent | None] = asyncio.get_running_loop().create_future()
        self._queue.append((turn, tokens))
        self._pump()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in and cancelled in the same moment
                self.leave(turn.result())
            else:
                self._queue = deque(entry for entry in self._queue if entry[0] is not turn)
                self._pump()
            raise

    def leave(self, sent: _Sent | None, tokens: int | None = None) -> None:
        """Make room for the next; `tokens` corrects the guess where they are known."""
        self._inside -= 1
        if sent is not None and tokens is not None:
            sent.tokens = tokens
        if self._queue:
            self._pump()

    def _let_in(self, tokens: int) -> _Sent | None:
        self._inside += 1
        if self._rpm == inf and self._tpm == inf:
            return None
        sent = _Sent(self._clock(), tokens)
        self._minute.append(sent)
        return sent

    def _delay(self, tokens: int) -> float:
        """Seconds until a call may go; 0 is now, infinity means when another leaves."""
        if self._inside >= self._concurrency:
            return inf
        if not self._closed_until and not self._minute:
            return 0.0
        now = self._clock()
        wait = max(0.0, self._closed_until - now)
        while self._minute and self._minute[0].at <= now - _MINUTE:
            self._minute.popleft()
        if len(self._minute) >= self._rpm:
            wait = max(wait, self._minute[len(self._minute) - int(self._rpm)].at + _MINUTE - now)
        if self._tpm != inf:
            over = sum(sent.tokens for sent in self._minute) + tokens - self._tpm
            for sent in self._minute:
                if over <= 0:
                    break
                over -= sent.tokens
                wait = max(wait, sent.at + _MINUTE - now)
        return wait

    def _pump(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue:
            turn, tokens = self._queue[0]
            if turn.done():
                self._queue.popleft()
                continue
            wait = self._delay(tokens)
            if wait == inf:
                return
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._pump)
                return
            self._queue.popleft()
            turn.set_result(self._let_in(tokens))
