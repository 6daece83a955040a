"""Every fault of the fake server, as a client meets it."""

from __future__ import annotations

import json
from collections import Counter
from email.utils import parsedate_to_datetime
from itertools import repeat
from time import time
from typing import Any

import aiohttp
import pytest

from mysteryshopper.testing import FAULTS, FakeServer, Fault

TEXT = "Try 千と千尋, it is slow."


async def meet(fault: str | Fault, door: str = "/v1/chat/completions", patience: float = 5) -> tuple[int, Any, bytes]:
    async with (
        FakeServer(faults=[fault], text=TEXT) as server,
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=patience)) as client,
        client.post(server.url + door, json={"messages": [{"role": "user", "content": "hi"}]}) as response,
    ):
        return response.status, response.headers, await response.read()


async def content(fault: str) -> dict[str, Any]:
    status, _, raw = await meet(fault)
    assert status == 200
    choice: dict[str, Any] = json.loads(raw)["choices"][0]
    return choice


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("rate_limit_bare", 429),
        ("error_500", 500),
        ("error_502", 502),
        ("error_503", 503),
        ("unauthorized", 401),
        ("forbidden", 403),
        ("not_found", 404),
        ("bad_request", 400),
        ("context_413", 413),
    ],
)
async def test_statuses(fault: str, status: int) -> None:
    got, headers, _ = await meet(fault)
    assert got == status
    assert "Retry-After" not in headers


async def test_retry_after_in_both_forms() -> None:
    _, headers, _ = await meet(Fault("rate_limit", 7))
    assert headers["Retry-After"] == "7"
    _, headers, _ = await meet("rate_limit_date:30")
    ahead = parsedate_to_datetime(headers["Retry-After"]).timestamp() - time()
    assert 25 < ahead <= 31
    _, headers, _ = await meet("error_503:2")
    assert headers["Retry-After"] == "2"


async def test_overlong_context_is_told_in_four_ways() -> None:
    told = {name: json.loads((await meet(name))[2])["error"] for name in FAULTS if name.startswith("context_")}
    assert told["context_code"]["code"] == "context_length_exceeded"
    assert "maximum context length" in told["context_text"]["message"]
    assert told["context_size"]["type"] == "exceed_context_size_error"
    assert set(told) == {"context_code", "context_text", "context_size", "context_413"}


async def test_cut_json_is_no_json_and_cut_body_no_body() -> None:
    _, _, raw = await meet("cut_json")
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw.decode("utf-8", "ignore"))
    with pytest.raises(aiohttp.ClientPayloadError):
        await meet("cut_body")


async def test_connection_faults() -> None:
    with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
        await meet("reset")
    with pytest.raises(TimeoutError):
        await meet("hang", patience=0.1)
    with pytest.raises(TimeoutError):
        await meet("slow_bytes:0.01", patience=0.1)


async def test_split_bytes_carry_the_whole_reply() -> None:
    choice = await content("split_bytes")
    assert choice["message"]["content"] == TEXT


async def test_late_reply_is_late_and_whole() -> None:
    status, _, raw = await meet("late:0.01")
    assert (status, json.loads(raw)["choices"][0]["message"]["content"]) == (200, TEXT)


async def test_odd_contents() -> None:
    assert json.loads((await meet("empty_choices"))[2])["choices"] == []
    assert "usage" not in json.loads((await meet("no_usage"))[2])
    assert (await content("null_message"))["message"] is None
    filtered = await content("content_filter")
    assert (filtered["message"]["content"], filtered["finish_reason"]) == (None, "content_filter")
    cut = await content("length")
    assert TEXT.startswith(cut["message"]["content"])
    assert cut["finish_reason"] == "length"
    assert (await content("reasoning_field"))["message"] == {
        "role": "assistant",
        "content": "",
        "reasoning_content": TEXT,
    }
    thought = (await content("think"))["message"]["content"]
    assert thought.startswith("<think>")
    assert thought.endswith(f"</think>\n{TEXT}")
    assert "</think>" not in (await content("think_unclosed"))["message"]["content"]
    assert not (await content("think_end_only"))["message"]["content"].startswith("<think>")
    assert (await content("surrogate"))["message"]["content"].endswith("\ud83d")
    assert (await content("blank"))["message"]["content"].strip() == ""
    assert (await content("refusal_field"))["message"]["content"] is None


async def test_a_systems_door_has_the_same_faults_in_its_form() -> None:
    assert json.loads((await meet("empty_choices", "/reply"))[2]) == {}
    assert json.loads((await meet("null_message", "/reply"))[2]) == {"content": None}
    assert json.loads((await meet("wrong_shape", "/reply"))[2]) == [1, 2]
    assert (await meet("error_500", "/reply"))[0] == 500


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_the_request_after_any_fault_is_answered(fault: str) -> None:
    async with (
        FakeServer(faults=[Fault(fault, 0.01)]) as server,
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.5)) as client,
    ):
        try:
            async with client.post(f"{server.base_url}/completions", json={"prompt": "a"}) as response:
                await response.read()
        except (aiohttp.ClientError, TimeoutError):
            pass
        async with client.post(f"{server.base_url}/completions", json={"prompt": "a"}) as response:
            assert (await response.json())["choices"][0]["text"] == "Hello there."
        assert server.counts == Counter({("/v1/completions", fault): 1, ("/v1/completions", "ok"): 1})


async def test_an_endless_script() -> None:
    async with FakeServer(faults=repeat("error_500")) as server, aiohttp.ClientSession() as client:
        for _ in range(3):
            async with client.post(server.reply_url, json={}) as response:
                assert response.status == 500


async def outcomes(order: list[int], seed: int = 3) -> dict[int, list[int]]:
    """Post each body three times in this order, and return the statuses by body."""
    got: dict[int, list[int]] = {body: [] for body in order}
    async with (
        FakeServer(fault_rate=0.3, fault_mix=["error_500", "rate_limit"], seed=seed, record=False) as server,
        aiohttp.ClientSession() as client,
    ):
        for body in order * 3:
            async with client.post(server.reply_url, json={"n": body}) as response:
                got[body].append(response.status)
        assert server.requests == []
    return got


async def test_drawn_faults_depend_on_seed_and_body_not_on_order() -> None:
    bodies = list(range(60))
    forwards, backwards, other = await outcomes(bodies), await outcomes(bodies[::-1]), await outcomes(bodies, seed=4)
    assert forwards == backwards
    assert forwards != other
    bad = sum(status != 200 for statuses in forwards.values() for status in statuses)
    assert 0.2 * 180 < bad < 0.4 * 180
