"""What an endpoint's refusal means: try again, how much later, or give up, and in which words. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from mysteryshopper.core import Ended

RETRIED = frozenset({408, 409, 425, 429})
"""Statuses that are tried again, besides all from 500 up."""

_CONTEXT_STATUSES = frozenset({400, 413, 422, 500})
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context[_ ]window|context size|context length"
    r"|prompt is too long|input is too long|too many (?:input )?tokens|string_above_max_length"
    r"|maximum (?:number of )?(?:input )?tokens|input token count|reduce the length|model_max_prompt_tokens_exceeded"
    r"|max_model_len|tokens? limit exceeded"
    r"|exceeds? (?:the )?(?:model'?s )?max(?:imum)? (?:input |context |prompt )?length",
    re.IGNORECASE,
)
_NOT_CONTEXT = re.compile(r"tokens per (?:minute|day)|rate limit|max_tokens is too large", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient_quota|billing_hard_limit|insufficient balance", re.IGNORECASE)
_LONGEST_DETAIL = 300


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an attempt gave no answer.

    Attributes:
        text: In a few words, as in `answered 503: overloaded`.
        ended: How the dialogue ends if it stays so.
        retry: Whether another attempt may help.
        status: The HTTP status, where there was one.
        wait: Seconds the endpoint asked to wait; None if it did not.
        lost: The attempt may have been worked on, and charged, although no answer came.
        stop: Nothing sent to this endpoint can succeed.
    """

    text: str
    ended: Ended = "http_error"
    retry: bool = True
    status: int | None = None
    wait: float | None = None
    lost: bool = False
    stop: bool = False


def trouble(status: int, headers: Mapping[str, str], raw: bytes) -> Trouble:
    """Return what an answer with this status, which is no success, means."""
    text = raw.decode("utf-8", "replace")
    said = detail(text)
    named = f"answered {status}{': ' if said else ''}{said}"
    if status == 401:  # what it said may repeat the key in part
        return Trouble("refused the key (401)", retry=False, status=status, stop=True)
    if status == 402 or (status == 429 and _NO_MONEY.search(text)):
        return Trouble(f"wants to be paid first ({named})", retry=False, status=status, stop=True)
    if status in _CONTEXT_STATUSES and _CONTEXT.search(text) and not _NOT_CONTEXT.search(text):
        return Trouble(f"the context is too long ({named})", "context_exceeded", retry=False, status=status)
    if status in RETRIED or status >= 500:
        return Trouble(named, status=status, wait=retry_after(headers))
    if 300 <= status < 400:
        named = f"answered {status}, a redirection, which is not followed: write the address it leads to"
    elif status == 400 and "response_format" in text:
        named += " (set `reply_format: text` if it can't bind its output to a schema)"
    return Trouble(named, retry=False, status=status)


def error_in_body(body: object) -> tuple[int, str] | None:
    """Return status and text of an error that came with status 200, as some routers send it; None if it is none."""
    if not isinstance(body, dict) or body.get("choices") or not body.get("error"):
        return None
    error = body["error"]
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code)
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    return status, json.dumps(body, ensure_ascii=True)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how many seconds an answer asks to wait: `Retry-After` as seconds or date, or `Retry-After-Ms`.

    A date in the past is 0; None where nothing, or nothing readable, is asked. A date is compared with the answer's
    own `Date` where it has one, so that clocks may differ; `now` is for tests.
    """
    given = headers.get("Retry-After-Ms")
    if given is not None and (seconds := _seconds(given)) is not None:
        return seconds / 1000
    given = headers.get("Retry-After")
    if given is None:
        return None
    if (seconds := _seconds(given)) is not None:
        return seconds
    until = _date(given)
    if until is None:
        return None
    since = now or _date(headers.get("Date", "")) or datetime.now(UTC)
    return max(0.0, (until - since).total_seconds())


def detail(text: str) -> str:
    """Return the message in an error's body, in one short line without control characters."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        error = body.get("error", body)
        found = error
        if isinstance(error, dict):
            found = error.get("message") or error.get("detail") or error.get("code") or ""
        text = found if isinstance(found, str) else json.dumps(found)
    elif "<html" in text[:1000].lower():
        text = re.sub(r"<[^>]*>", " ", re.sub(r"(?is)<(style|script).*?</\1>", " ", text))
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * _LONGEST_DETAIL]).split())
    return line if len(line) <= _LONGEST_DETAIL else line[: _LONGEST_DETAIL - 1] + "…"


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        value = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
