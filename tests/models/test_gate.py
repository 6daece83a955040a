"""The gate of an endpoint, on a clock of its own."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from mysteryshopper.models import Gate
from mysteryshopper.models.failures import detail, retry_after, trouble

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)


class Clock:
    """The loop's own time, which a test can make jump."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return asyncio.get_running_loop().time() + self.ahead


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_no_more_than_allowed_are_inside_and_all_get_in_by_turns() -> None:
    gate = Gate()
    gate.limit(concurrency=3)
    inside, most, order = 0, 0, []

    async def visit(number: int) -> None:
        nonlocal inside, most
        sent = await gate.enter(1)
        order.append(number)
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        gate.leave(sent)

    await asyncio.gather(*(visit(number) for number in range(20)))
    assert most == 3
    assert order == list(range(20))


async def test_a_hold_keeps_all_waiting_until_it_is_over() -> None:
    gate = Gate()
    loop = asyncio.get_running_loop()
    gate.hold(0.08)
    gate.hold(0.02)  # a shorter one does not shorten it
    begin = loop.time()
    await asyncio.gather(*(gate.enter(1) for _ in range(5)))
    assert 0.07 <= loop.time() - begin < 1


@pytest.mark.parametrize(("limits", "tokens"), [({"rpm": 3}, 1), ({"tpm": 30}, 10)])
async def test_no_more_than_the_limit_in_any_minute(limits: dict[str, int], tokens: int) -> None:
    clock = Clock()
    gate = Gate(clock)
    gate.limit(**limits)
    calls = [asyncio.ensure_future(gate.enter(tokens)) for _ in range(7)]
    await settle()
    assert sum(call.done() for call in calls) == 3
    clock.ahead = 59.0
    gate.limit()
    gate._pump()
    await settle()
    assert sum(call.done() for call in calls) == 3
    clock.ahead = 60.5
    gate._pump()
    await settle()
    assert sum(call.done() for call in calls) == 6
    calls[-1].cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def test_a_call_larger_than_a_minutes_tokens_goes_out_alone() -> None:
    gate = Gate()
    gate.limit(tpm=10)
    await asyncio.wait_for(gate.enter(500), 1)


async def test_known_tokens_correct_the_guess() -> None:
    gate = Gate()
    gate.limit(tpm=100)
    sent = await gate.enter(90)
    late = asyncio.ensure_future(gate.enter(50))
    await settle()
    assert not late.done()
    gate.leave(sent, 20)
    await asyncio.wait_for(late, 1)


async def test_the_strictest_of_several_blocks_holds() -> None:
    gate = Gate()
    gate.limit(concurrency=5)
    gate.limit(concurrency=2)
    gate.limit(concurrency=9)
    calls = [asyncio.ensure_future(gate.enter(1)) for _ in range(4)]
    await settle()
    assert sum(call.done() for call in calls) == 2
    for call in calls[2:]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def test_who_is_cancelled_while_waiting_takes_no_place() -> None:
    gate = Gate()
    gate.limit(concurrency=1)
    first = await gate.enter(1)
    waiting = [asyncio.ensure_future(gate.enter(1)) for _ in range(3)]
    await settle()
    waiting[0].cancel()
    await settle()
    gate.leave(first)
    await asyncio.wait_for(waiting[1], 1)
    # let in and cancelled within one turn of the loop: the place goes on to the next
    gate.leave(waiting[1].result())
    waiting[2].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.wait_for(gate.enter(1), 1)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "Wed, 01 May 2024 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Wed, 01 May 2024 11:00:00 GMT"}, 0.0),  # past
        ({"Retry-After": "Wed, 01 May 2024 14:00:30 +0200"}, 30.0),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "Wed, 99 May 2024 12:00:30 GMT"}, None),
        ({"Retry-After-Ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After-Ms": "x", "Retry-After": "9"}, 9.0),
        ({}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_a_date_is_counted_from_the_answers_own_clock() -> None:
    headers = {"Retry-After": "Wed, 01 May 2024 12:00:30 GMT", "Date": "Wed, 01 May 2024 12:00:10 GMT"}
    assert retry_after(headers) == 20.0


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, '{"error": {"message": "too much", "code": "context_length_exceeded"}}'),
        (400, '{"error": {"message": "This model\'s maximum context length is 4096 tokens."}}'),
        (
            400,
            '{"error": {"type": "exceed_context_size_error", "message": "request exceeds the available context size"}}',
        ),
        (400, '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}'),
        (400, '{"error": {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}}'),
        (400, '{"message": "Input is too long for requested model."}'),
        (413, '{"error": {"message": "Please reduce the length of the messages."}}'),
        (422, '{"detail": "inputs must have less than max_model_len tokens"}'),
    ],
)
def test_too_long_a_context_is_told_apart_in_the_words_of_several_vendors(status: int, body: str) -> None:
    found = trouble(status, {}, body.encode())
    assert (found.ended, found.retry, found.stop) == ("context_exceeded", False, False)


@pytest.mark.parametrize(
    ("status", "body", "retry", "stop"),
    [
        (400, '{"error": {"message": "Unsupported parameter: seed"}}', False, False),
        (400, '{"error": {"message": "max_tokens is too large: 9 exceeds the maximum context length"}}', False, False),
        (413, '{"error": {"message": "Limit of 6000 tokens per minute, request too large"}}', False, False),
        (429, '{"error": {"message": "Slow down, too many tokens."}}', True, False),
        (429, '{"error": {"code": "insufficient_quota"}}', False, True),
        (402, "", False, True),
        (401, "", False, True),
        (408, "", True, False),
        (409, "", True, False),
        (425, "", True, False),
        (500, "", True, False),
        (529, "", True, False),
        (307, "", False, False),
        (404, "", False, False),
    ],
)
def test_other_statuses(status: int, body: str, retry: bool, stop: bool) -> None:
    found = trouble(status, {}, body.encode())
    assert (found.ended, found.retry, found.stop, found.status) == ("http_error", retry, stop, status)


def test_messages_are_one_short_line_without_controls() -> None:
    assert detail('{"error": {"message": "a\\u001b[2J\\nb\\u0007"}}') == "a [2J b"
    assert detail("<html><style>x{}</style><body><h1>Bad gateway</h1></body></html>") == "Bad gateway"
    assert len(detail("x" * 5000)) == 300
    assert detail('{"error": "plain"}') == "plain"
    assert detail('{"detail": [{"loc": ["a"]}]}') == '[{"loc": ["a"]}]'
