"""HTTP systems under test: their failures are theirs, and retries repeat the same turn of the same session."""

from __future__ import annotations

import json
from typing import Any

import pytest
from call_logs import MemoryLog

from mysteryshopper.core import Address, CallFailed, StopRun
from mysteryshopper.models import CallLimits, FromEnv, ModelBlock, Models, Secrets
from mysteryshopper.models.sending import Tally
from mysteryshopper.testing import FakeServer

QUICK = CallLimits(retries=2, backoff=0.001, attempt_timeout=10.0)
SHORT = CallLimits(retries=2, backoff=0.001, attempt_timeout=0.2)
BODY = {"session": "s1", "turn": 2, "messages": [{"role": "user", "content": "hello"}]}


@pytest.mark.parametrize(
    ("fault", "ended", "fault_of", "attempts"),
    [
        ("error_500", "http_error", "system", 3),
        ("error_503", "http_error", "system", 3),
        ("cut_json", "unreadable", "system", 3),
        ("html", "unreadable", "system", 3),
        ("hang", "timeout", "system", 3),
        ("slow_bytes:0.02", "timeout", "system", 3),
        ("reset", "http_error", "system", 3),
        ("bad_request", "http_error", "system", 1),
        ("context_code", "context_exceeded", "system", 1),
        ("rate_limit:0.001", "http_error", "infra", 3),
    ],
)
async def test_a_failing_system_is_retried_with_the_same_turn_then_at_fault(
    fault: str, ended: str, fault_of: str, attempts: int
) -> None:
    limits = SHORT if ended == "timeout" else QUICK
    async with FakeServer(faults=[fault] * 9) as server, Models(log := MemoryLog(), limits=limits) as models:
        with pytest.raises(CallFailed) as failure:
            await models.poster("mine", server.reply_url, {}).post(BODY, Address(unit="u"))
        assert (failure.value.ended, failure.value.fault) == (ended, fault_of)
        assert server.bodies() == [BODY] * attempts
        assert [(call.status, call.attempts, call.model) for call in log.calls] == [("error", attempts, "mine")]


async def test_a_system_that_recovers_has_answered() -> None:
    async with (
        FakeServer(faults=["error_500", "cut_json"]) as server,
        Models(log := MemoryLog(), limits=QUICK) as models,
    ):
        answer, call = await models.poster("mine", server.reply_url, {}).post(BODY, Address(unit="u"))
        assert answer == call.reply == {"content": "Hello there."}
        assert (call.attempts, call.usage.cost) == (3, None)
        assert log.calls == [call]


async def test_a_refused_key_stops_the_run() -> None:
    async with FakeServer(key="right") as server, Models(MemoryLog(), limits=QUICK) as models:
        with pytest.raises(StopRun, match="system 'mine'"):
            await models.poster("mine", server.reply_url, {}).post(BODY, Address())
        assert server.count() == 1


async def test_headers_carry_secrets_to_their_own_endpoint_alone() -> None:
    secrets = Secrets({"SHOP_KEY": "shop-secret-0123456789", "MODEL_KEY": "model-secret-0123456789"})
    async with FakeServer() as shop, FakeServer() as model, Models(log := MemoryLog(), secrets=secrets) as models:
        await models.poster("mine", shop.reply_url, {"X-Key": FromEnv(env="SHOP_KEY"), "X-A": "b"}).post(
            BODY, Address()
        )
        block = ModelBlock(name="m", base_url=model.base_url, api_key_env="MODEL_KEY")
        await models.caller("writer", block, "embeddings").post(b"{}", Tally(), read=bytes)
        assert shop.requests[0].headers["x-key"] == "shop-secret-0123456789"
        assert shop.requests[0].headers["x-a"] == "b"
        assert model.requests[0].headers["authorization"] == "Bearer model-secret-0123456789"
        assert "model-secret" not in repr(shop.requests)
        assert "shop-secret" not in repr(model.requests)
        assert "secret" not in repr(log.calls)


async def test_cookies_do_not_tie_sessions_together() -> None:
    from aiohttp import web

    seen: list[Any] = []

    async def shop(request: web.BaseRequest) -> web.Response:
        seen.append(dict(request.cookies))
        return web.json_response({"content": "x"}, headers={"Set-Cookie": "who=someone"})

    runner = web.ServerRunner(web.Server(shop))
    await runner.setup()
    await web.TCPSite(runner, "localhost", 0).start()
    async with Models(MemoryLog()) as models:
        poster = models.poster("mine", f"http://localhost:{runner.addresses[0][1]}/", {})
        for number in range(2):
            await poster.post(BODY, Address(unit=str(number)))
    await runner.cleanup()
    assert seen == [{}, {}]


async def test_what_no_record_can_hold_is_replaced() -> None:
    said = {"content": "a \ud83d", "score": float("inf")}
    async with FakeServer(behaviour=lambda seen: said) as server, Models(MemoryLog(), limits=QUICK) as models:
        answer, call = await models.poster("mine", server.reply_url, {}).post(BODY, Address())
        assert answer == {"content": "a \ufffd", "score": None}
        assert call.finish == "lone_surrogate"
        json.dumps(answer, allow_nan=False, ensure_ascii=False).encode()


async def test_a_body_of_megabytes_goes_out() -> None:
    body = {**BODY, "messages": [{"role": "user", "content": "x" * 3_000_000}]}
    async with FakeServer() as server, Models(MemoryLog()) as models:
        await models.poster("mine", server.reply_url, {}).post(body, Address())
        assert server.bodies() == [body]
