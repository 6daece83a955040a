"""Errors that carry one plain sentence, and failures that carry whose fault they are."""

from __future__ import annotations

from typing import Literal

Ended = Literal[
    "user_done",
    "user_gave_up",
    "max_turns",
    "repetition",
    "empty",
    "unreadable",
    "timeout",
    "http_error",
    "context_exceeded",
    "budget",
    "cancelled",
    "answered",
    "depth",
    "transfer",
    "step_limit",
    "user_fault",
    "unknown",
]
"""How a dialogue (or a unit of any other protocol) ended; `unknown` only where it was held elsewhere."""

Fault = Literal["none", "user", "system", "judge", "infra"]
"""Whose fault it was. `system` counts against the system; the other faults leave the unit out, counted."""


class ShopperError(Exception):
    """Base of every error of this package: one plain sentence that says what to do next."""


class ConfigError(ShopperError):
    """An experiment file, profile or option that can't be used; names the key, what it got and what it takes."""

    def __init__(self, message: str, *, key: str | None = None) -> None:
        """Make the error; `key` is the path of the offending key, as in `users[0].kind`."""
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key


class DataError(ShopperError):
    """A data file that can't be read; names the file, the line (1-based) and what was expected."""

    def __init__(self, message: str, *, path: object = None, line: int | None = None) -> None:
        """Make the error; the place is put in front of the message as `file:line: …`."""
        place = "" if path is None else f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(place + message)
        self.path = path
        self.line = line


class StopRun(ShopperError):  # noqa: N818 - it is an order, not an error of the one who raises it
    """The whole run must stop now (a refused key, a full disk); everything committed so far is kept."""


class CallFailed(ShopperError):  # noqa: N818 - reads as what happened
    """A call to a model or system failed for good, after its retries.

    Attributes:
        ended: How the dialogue ends because of it.
        fault: Whose fault it is; `None` means the side that made the request (an overlong context).
        status: The HTTP status, where there was one.
    """

    def __init__(self, message: str, *, ended: Ended, fault: Fault | None = "infra", status: int | None = None) -> None:
        """Make the failure; `message` is kept as the dialogue's detail."""
        super().__init__(message)
        self.ended: Ended = ended
        self.fault: Fault | None = fault
        self.status = status
