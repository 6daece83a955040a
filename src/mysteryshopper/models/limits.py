"""How long and how often a call is tried: the part of `limits:` that models and HTTP systems keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of calls.

    Attributes:
        concurrency: Most calls at once to one endpoint, where its block does not say.
        attempt_timeout: Seconds for one attempt, from connecting to the last byte.
        retries: How often a failed attempt is repeated.
        max_wait: Seconds; a longer wait that an endpoint asks for is cut to this.
        backoff: Seconds of the first wait where the endpoint asks for none; doubles each time.
    """

    concurrency: int = 16
    attempt_timeout: float = 60.0
    retries: int = 3
    max_wait: float = 600.0
    backoff: float = 0.5
