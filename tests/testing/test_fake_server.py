"""The fake server's good replies, records and counts."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import struct
from typing import Any

import aiohttp
import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.testing import FakeServer, Fault, Reply, Seen, hash_vector

CHAT = "/v1/chat/completions"


async def post(server: FakeServer, path: str, body: dict[str, Any], **options: Any) -> Any:
    async with (
        aiohttp.ClientSession() as client,
        client.post(server.url + path, json=body, **options) as response,
    ):
        return await response.json(content_type=None)


def asking(text: str) -> dict[str, Any]:
    return {"model": "any", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]}


async def test_each_door_answers_in_its_own_form() -> None:
    async with FakeServer(text="Try a ferry film.", items=[{"id": "i1", "title": "The Last Ferry"}]) as server:
        chat = await post(server, CHAT, asking("hi"))
        raw = await post(server, "/v1/completions", {"prompt": "Q: hi\nA:"})
        system = await post(server, "/reply", {"session": "s", "turn": 1, "messages": []})
        vectors = await post(server, "/v1/embeddings", {"input": ["slow film", "tax law"]})
    assert chat["choices"][0]["message"] == {"role": "assistant", "content": "Try a ferry film."}
    assert chat["usage"] == {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}
    assert raw["choices"][0]["text"] == "Try a ferry film."
    assert system == {"content": "Try a ferry film.", "items": [{"id": "i1", "title": "The Last Ferry"}]}
    assert [row["index"] for row in vectors["data"]] == [0, 1]
    assert vectors["data"][1]["embedding"] == hash_vector("tax law")


async def test_base64_embeddings_hold_the_same_numbers() -> None:
    async with FakeServer(dimension=8) as server:
        answer = await post(server, "/v1/embeddings", {"input": "slow film", "encoding_format": "base64"})
    numbers = struct.unpack("<8f", base64.b64decode(answer["data"][0]["embedding"]))
    assert numbers == pytest.approx(hash_vector("slow film", 8), abs=1e-6)


async def test_named_behaviours() -> None:
    async def two(behaviour: str, *texts: str) -> list[str]:
        async with FakeServer(behaviour, text="Reply") as server:
            return [(await post(server, CHAT, asking(text)))["choices"][0]["message"]["content"] for text in texts]

    assert await two("echo", "千と千尋", "b") == ["千と千尋", "b"]
    assert await two("numbered", "a", "a") == ["Reply 1", "Reply 2"]
    first, second, third = await two("hashed", "a", "b", "a")
    assert first == third != second


async def test_schema_behaviour_fills_what_is_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {"action": {"enum": ["ask", "end"]}, "score": {"type": "integer", "minimum": 1}, "x": {}},
        "required": ["action", "score"],
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    async with FakeServer("schema") as server:
        answer = await post(server, CHAT, {**asking("hi"), "response_format": wanted})
    assert json.loads(answer["choices"][0]["message"]["content"]) == {"action": "ask", "score": 1}


async def test_a_function_decides_reply_fault_or_raw_json() -> None:
    async def behaviour(seen: Seen) -> Any:
        match seen.text:
            case "tools":
                return Reply(None, finish="tool_calls", tool_calls=(("c1", "find", {"title": "Ferry"}),))
            case "odds":
                return Reply("yes", logprobs=[{"yes": -0.1, "no": -2.0}])
            case "down":
                return Fault("error_500")
            case _:
                return {"anything": [1]}

    async with FakeServer(behaviour) as server:
        tools = await post(server, CHAT, asking("tools"))
        odds = await post(server, CHAT, asking("odds"))
        await post(server, CHAT, asking("down"))
        raw = await post(server, CHAT, asking("else"))
        assert server.count(CHAT, "error_500") == 1
        assert server.count(CHAT, "ok") == 3
    call = tools["choices"][0]["message"]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"title": "Ferry"}
    assert odds["choices"][0]["logprobs"]["content"][0]["top_logprobs"][1]["token"] == "no"
    assert raw == {"anything": [1]}


async def test_requests_are_recorded_as_they_came() -> None:
    async with FakeServer() as server:
        await post(server, CHAT, asking("hi"), headers={"Authorization": "Bearer k-1"})
        await post(server, "/reply", {"session": "s"})
        assert server.bodies(CHAT) == [asking("hi")]
        assert server.requests[0].headers["authorization"] == "Bearer k-1"
        assert [seen.door for seen in server.requests] == ["chat", "reply"]
        server.clear()
        assert server.count() == 0
        assert server.bodies() == []


async def test_large_bodies_are_taken_whole() -> None:
    async with FakeServer("echo") as server:
        text = "long " * 600_000
        raw = io.BytesIO(json.dumps(asking(text)).encode())
        async with aiohttp.ClientSession() as client, client.post(server.url + CHAT, data=raw) as response:
            answer = await response.json()
    assert answer["choices"][0]["message"]["content"] == text


async def test_counts_how_many_are_open_at_once() -> None:
    async with FakeServer(latency=0.05) as server:
        await asyncio.gather(*(post(server, CHAT, asking("hi")) for _ in range(5)))
        assert server.max_in_flight == 5


async def test_a_key_is_asked_for() -> None:
    async with FakeServer(key="right") as server:
        wrong = await post(server, CHAT, asking("hi"), headers={"Authorization": "Bearer wrong"})
        right = await post(server, CHAT, asking("hi"), headers={"Authorization": "Bearer right"})
    assert wrong["error"]["code"] == "invalid_api_key"
    assert right["choices"]


async def test_unknown_paths_are_404() -> None:
    async with FakeServer() as server:
        answer = await post(server, "/v2/elsewhere", {})
    assert "nothing at /v2/elsewhere" in answer["error"]["message"]


def test_wrong_names_offer_the_near_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'numbered'"):
        FakeServer("numberd")
    with pytest.raises(ConfigError, match="did you mean 'rate_limit'"):
        FakeServer(faults=["ok", "rate_limt"])
    with pytest.raises(ConfigError, match="name:seconds"):
        FakeServer(faults=["rate_limit:soon"])
