"""A model behind a server that fails in every way seen in the field."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

import pytest
from call_logs import MemoryLog

from mysteryshopper.core import Address, CallFailed, ChatMessage, ChatReply, ChatRequest, StopRun
from mysteryshopper.models import CallLimits, ModelBlock, Models, Price, Secrets
from mysteryshopper.testing import FakeServer, Fault

QUICK = CallLimits(retries=3, backoff=0.001, attempt_timeout=5.0)
KEY = "sk-not-a-real-key-0123456789"


def asked(text: str = "hello", **keys: Any) -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), **keys)


class Bench:
    """A fake server, and a model that talks to it."""

    def __init__(self, faults: Iterable[str | Fault | None] = (), limits: CallLimits = QUICK, **server: Any) -> None:
        self.server = FakeServer(faults=faults, **server)
        self.log = MemoryLog()
        self.limits = limits

    async def __aenter__(self) -> Bench:
        await self.server.__aenter__()
        self.models = Models(self.log, limits=self.limits, secrets=Secrets({"MY_KEY": KEY}))
        keys = {"name": "m", "base_url": self.server.base_url, "temperature": 0.5, "api_key_env": "MY_KEY"}
        self.model = self.models.model("writer", ModelBlock.model_validate(keys))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.models.close()
        await self.server.__aexit__(None, None, None)

    async def arrived(self, number: int) -> None:
        async with asyncio.timeout(5):
            while self.server.count() < number:  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0.005)

    async def chat(self, number: int = 0) -> ChatReply:
        return await self.model.chat(asked(f"hello {number}"), Address(unit=f"u{number}"))


@pytest.mark.parametrize(
    "fault",
    [
        "rate_limit:0.01",
        "rate_limit_bare",
        "error_500",
        "error_502",
        "error_503",
        "cut_json",
        "cut_body",
        "html",
        "reset",
        "wrong_shape",
    ],
)
async def test_a_passing_fault_costs_one_more_attempt(fault: str) -> None:
    async with Bench([fault]) as bench:
        assert (await bench.chat()).text == "Hello there."
        assert bench.server.count() == 2
        (call,) = bench.log.calls
        assert (call.status, call.attempts) == ("ok", 2)
        bodies = bench.server.bodies()
        assert bodies[0] == bodies[1]  # the same seed: an attempt is no new draw


@pytest.mark.parametrize(
    ("fault", "ended", "attempts"),
    [
        ("error_500", "http_error", 4),
        ("rate_limit:0.001", "http_error", 4),
        ("cut_json", "unreadable", 4),
        ("html", "unreadable", 4),
        ("reset", "http_error", 4),
        ("bad_request", "http_error", 1),
        ("context_code", "context_exceeded", 1),
        ("context_text", "context_exceeded", 1),
        ("context_size", "context_exceeded", 1),
        ("context_413", "context_exceeded", 1),
    ],
)
async def test_a_lasting_fault_ends_the_call_and_is_recorded(fault: str, ended: str, attempts: int) -> None:
    async with Bench([fault] * 9) as bench:
        with pytest.raises(CallFailed) as failure:
            await bench.chat()
        assert failure.value.ended == ended
        assert failure.value.fault == (None if ended == "context_exceeded" else "infra")
        assert bench.server.count() == attempts
        (call,) = bench.log.calls
        assert (call.status, call.attempts, call.reply) == ("error", attempts, None)
        assert call.finish == str(failure.value)
        assert "model 'writer' at http://127.0.0.1" in call.finish


async def test_an_error_is_never_given_again() -> None:
    async with Bench(["error_500"] * 4) as bench:
        with pytest.raises(CallFailed):
            await bench.chat()
        assert (await bench.chat()).text == "Hello there."


async def test_a_refused_key_stops_the_run_at_once_and_is_not_printed() -> None:
    async with Bench(key="another") as bench:
        with pytest.raises(StopRun) as stop:
            await bench.chat()
        assert bench.server.count() == 1
        assert "MY_KEY" in str(stop.value)
        assert KEY not in str(stop.value) + repr(bench.log.calls)


async def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    async with FakeServer() as server:
        models = Models(MemoryLog(), secrets=Secrets({}))
        block = ModelBlock(name="m", base_url=server.base_url, api_key_env="NO_KEY")
        with pytest.raises(StopRun, match="NO_KEY is not set"):
            await models.model("writer", block).chat(asked(), Address())
        await models.close()
        assert server.count() == 0


@pytest.mark.parametrize("fault", ["forbidden", "not_found"])
async def test_three_refusals_in_the_beginning_stop_the_run(fault: str) -> None:
    async with Bench([fault] * 9) as bench:
        for number in range(2):
            with pytest.raises(CallFailed):
                await bench.chat(number)
        with pytest.raises(StopRun, match="first 3 calls"):
            await bench.chat(3)
        assert bench.server.count() == 3


async def test_refusals_after_a_good_answer_fail_one_call_each() -> None:
    async with Bench(["not_found", "ok", *["not_found"] * 5]) as bench:
        for number in range(7):
            if number == 1:
                await bench.chat(number)
                continue
            with pytest.raises(CallFailed) as failure:
                await bench.chat(number)
            assert (failure.value.status, failure.value.ended, failure.value.fault) == (404, "http_error", "infra")


async def test_slow_bytes_meet_the_total_deadline() -> None:
    async with Bench(["slow_bytes:0.05"] * 3, CallLimits(retries=1, backoff=0.001, attempt_timeout=0.3)) as bench:
        begin = time.monotonic()
        with pytest.raises(CallFailed) as failure:
            await bench.chat()
        assert (failure.value.ended, failure.value.fault) == ("timeout", "infra")
        assert 0.55 < time.monotonic() - begin < 3
        assert bench.log.calls[0].attempts == 2


async def test_a_hanging_server_meets_it_too_and_the_next_attempt_may_succeed() -> None:
    async with Bench(["hang"], CallLimits(retries=1, backoff=0.001, attempt_timeout=0.2)) as bench:
        assert (await bench.chat()).text == "Hello there."


@pytest.mark.parametrize("fault", ["rate_limit:0.4", "rate_limit_date:0.4", "error_503:0.4"])
async def test_retry_after_holds_all_calls_and_is_no_part_of_the_deadline(fault: str) -> None:
    limits = CallLimits(retries=3, backoff=0.001, attempt_timeout=0.3, max_wait=0.6)
    async with Bench([fault], limits) as bench:
        begin = time.monotonic()
        await bench.chat(0)
        waited = time.monotonic() - begin
        assert 0.35 < waited < 2.5
    async with Bench(["rate_limit:0.4"], limits) as bench:
        first = asyncio.ensure_future(bench.chat(0))
        await bench.arrived(1)
        await asyncio.sleep(0.05)
        await asyncio.gather(first, *(bench.chat(number) for number in range(1, 4)))
        times = [seen.at for seen in bench.server.requests]
        assert all(later - times[0] > 0.35 for later in times[1:])


async def test_a_longer_wait_than_max_wait_is_cut_to_it() -> None:
    async with Bench(["rate_limit:3600"], CallLimits(retries=3, backoff=0.001, max_wait=0.1)) as bench:
        begin = time.monotonic()
        await bench.chat()
        assert 0.08 < time.monotonic() - begin < 2


async def test_a_server_that_is_not_there_is_infrastructure() -> None:
    models = Models(MemoryLog(), limits=CallLimits(retries=1, backoff=0.001))
    model = models.model("writer", ModelBlock(name="m", base_url="http://127.0.0.1:1/v1"))
    with pytest.raises(CallFailed, match="can't be reached") as failure:
        await model.chat(asked(), Address())
    assert (failure.value.ended, failure.value.fault) == ("http_error", "infra")
    await models.close()


@pytest.mark.parametrize(
    ("fault", "text", "finish"),
    [
        ("empty_choices", None, "none"),
        ("null_message", None, "stop"),
        ("content_filter", None, "content_filter"),
        ("empty", "", "stop"),
        ("blank", "  \n", "stop"),
        ("length", "Hello ", "length"),
        ("refusal_field", None, "stop"),
        ("refusal", "I'm sorry, but I can't help with that.", "stop"),
        ("reasoning_field", "", "stop"),
        ("think_unclosed", "<think>They want a short answer. Perhaps", "length"),
    ],
)
async def test_bad_replies_are_handed_on_and_recorded_but_not_given_again(
    fault: str, text: str | None, finish: str
) -> None:
    async with Bench([fault]) as bench:
        reply = await bench.chat()
        assert (reply.text, reply.finish) == (text, finish)
        (call,) = bench.log.calls
        assert (call.status, call.id) == ("bad", reply.call)
        again = await bench.chat()
        assert (again.text, again.cached) == ("Hello there.", False)
        assert (await bench.chat()).cached


async def test_text_cut_inside_its_characters_arrives_whole() -> None:
    text = "👩‍👩‍👧 千と千尋 مرحبا"
    async with Bench(["split_bytes"], text=text) as bench:
        assert (await bench.chat()).text == text


async def test_a_lone_surrogate_is_replaced_and_flagged() -> None:
    async with Bench(["surrogate"]) as bench:
        reply = await bench.chat()
        assert reply.text == "Hello there. \ufffd"
        assert reply.flags == ("lone_surrogate",)
        assert (await bench.chat()).flags == ("lone_surrogate",)


async def test_an_error_sent_with_status_200_is_an_error() -> None:
    answers = iter([{"error": {"message": "Overloaded", "code": 503}}, {"error": {"message": "x", "code": 401}}])
    async with Bench(behaviour=lambda seen: next(answers)) as bench:
        with pytest.raises(StopRun):
            await bench.chat()
        assert bench.server.count() == 2


async def test_a_redirection_is_not_followed() -> None:
    from aiohttp import web

    async def moved(request: web.BaseRequest) -> web.Response:
        return web.Response(status=307, headers={"Location": "http://127.0.0.1:1/"})

    runner = web.ServerRunner(web.Server(moved))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    models = Models(MemoryLog(), limits=QUICK)
    model = models.model("w", ModelBlock(name="m", base_url=f"http://127.0.0.1:{runner.addresses[0][1]}/v1"))
    with pytest.raises(CallFailed, match="not followed"):
        await model.chat(asked(), Address())
    await models.close()
    await runner.cleanup()


async def test_an_echoed_key_is_masked_in_reply_record_and_error() -> None:
    async with Bench(behaviour=lambda seen: f"you sent {seen.headers['authorization']}") as bench:
        reply = await bench.chat()
        assert reply.text == "you sent Bearer ***"
        assert KEY not in repr(bench.log.calls)
    said = {"error": {"message": f"bad header {KEY}", "code": 400}}
    async with Bench(behaviour=lambda seen: said) as bench:
        with pytest.raises(CallFailed) as failure:
            await bench.chat()
        assert "bad header ***" in str(failure.value)
        assert KEY not in repr(bench.log.calls)


async def test_cancelling_leaves_nothing_behind() -> None:
    limits = CallLimits(concurrency=2, attempt_timeout=30)
    async with Bench(["hang"] * 2, limits) as bench:
        calls = [asyncio.ensure_future(bench.chat(number)) for number in range(6)]
        await bench.arrived(2)
        for call in calls[:4]:
            call.cancel()
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert [isinstance(outcome, asyncio.CancelledError) for outcome in done] == [True] * 4 + [False] * 2
        assert [call.address.unit for call in bench.log.calls] == ["u4", "u5"]


async def test_no_more_calls_at_once_than_the_block_allows() -> None:
    async with Bench(limits=CallLimits(concurrency=3), latency=0.01) as bench:
        await asyncio.gather(*(bench.chat(number) for number in range(20)))
        assert bench.server.max_in_flight == 3


async def test_tokens_and_cost_of_a_call_with_a_retry() -> None:
    async with FakeServer(faults=["error_500", "ok", "no_usage"]) as server:
        log = MemoryLog()
        async with Models(log, limits=QUICK) as models:
            price = Price(input=2.0, output=10.0)
            model = models.model("judge", ModelBlock(name="m", base_url=server.base_url, price=price, max_tokens=50))
            reply = await model.chat(asked(), Address(role="judge"))
            assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 2)
            assert reply.usage.cost == pytest.approx((10 * 2 + 2 * 10) / 1e6)
            assert log.calls[0].attempts == 2
            other = await model.chat(asked("other"), Address(role="judge"))
            assert other.usage.cost is None  # not reported is not known
            free = models.model("plain", ModelBlock(name="m", base_url=server.base_url))
            assert (await free.chat(asked(), Address(role="user"))).usage.cost is None
