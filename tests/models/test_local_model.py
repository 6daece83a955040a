"""The local model: what it sends to llama.cpp, and what real weights do with it (skipped where they are absent)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatMessage,
    ChatReply,
    ChatRequest,
    ConfigError,
    ShopperError,
    Tool,
)
from mysteryshopper.models import ModelBlock, Models
from mysteryshopper.models.local import LocalModel, settings_of
from mysteryshopper.models.local_server import LocalServer, LocalServers, LocalSettings

EXAMPLES = """Someone wants a funny film and is offered a funny one. Answer: accept
Someone wants a funny film and is offered a war film. Answer: reject
Someone wants a war film and is offered a war film. Answer:"""


class Unloaded:
    """Stands for a server, where only the body sent matters."""

    file = Path("SmolLM2.gguf")
    digest = "0" * 64

    def __init__(self, answer: dict[str, Any] | None = None) -> None:
        self.answer = answer or {}

    async def ask(self, door: str, body: Any) -> dict[str, Any]:
        return self.answer


def local(answer: dict[str, Any] | None = None, **block: Any) -> LocalModel:
    return LocalModel(ModelBlock(provider="local", **block), Unloaded(answer))  # type: ignore[arg-type]


def test_bodies_are_always_capped_and_seeded() -> None:
    door, body = local().body(ChatRequest(completion="Once", stop=("\n",)))
    assert door == "completions"
    assert body == {"prompt": "Once", "max_tokens": 128, "temperature": 0.0, "seed": 0, "stop": ["\n"]}
    _, body = local(temperature=0.8, max_tokens=9).body(ChatRequest(completion="Once"), seed=2**31 + 5)
    assert (body["seed"], body["max_tokens"], body["temperature"]) == (5, 9, 0.8)
    _, body = local().body(ChatRequest(completion="Once", temperature=0.8))
    assert "seed" not in body


def test_chat_always_has_a_system_message() -> None:
    asked = (ChatMessage("user", "Hello \ud83d"),)
    door, body = local().body(ChatRequest(asked, top_logprobs=3))
    assert door == "chat"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"] == "Hello ?"
    assert (body["logprobs"], body["top_logprobs"]) == (True, 3)
    _, body = local().body(ChatRequest((ChatMessage("system", "Be brief."), *asked)))
    assert body["messages"][0]["content"] == "Be brief."


def test_output_is_bound_by_choices_or_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}
    _, body = local().body(ChatRequest(completion="Answer:", choices=("yes", "no")))
    assert body["grammar"] == 'root ::= " "? ("yes" | "no")'
    _, body = local().body(ChatRequest(completion="Answer:\n", choices=("yes", "no")))
    assert body["grammar"] == 'root ::= ("yes" | "no")'
    _, body = local().body(ChatRequest(completion="JSON:", schema=schema))
    assert body["json_schema"]["additionalProperties"] is False
    _, body = local().body(ChatRequest((ChatMessage("user", "a"),), schema=schema))
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["a"]
    _, body = local(reply_format="text").body(ChatRequest(completion="JSON:", schema=schema))
    assert "json_schema" not in body


def test_params_win_and_null_removes() -> None:
    model = local(params={"top_p": 0.5, "stop": None, "context": 512, "threads": 2})
    _, body = model.body(ChatRequest(completion="a", stop=("x",)))
    assert body == {"prompt": "a", "max_tokens": 128, "temperature": 0.0, "seed": 0, "top_p": 0.5}
    block = ModelBlock(provider="local", concurrency=2, params={"context": 512, "threads": 2})
    assert settings_of(block) == LocalSettings("smollm2", 2, 512, 2)
    with pytest.raises(ConfigError, match=r"params\.context: expected a whole number above 0, got 'much'"):
        settings_of(ModelBlock(provider="local", params={"context": "much"}))


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(ConfigError, match="can't call tools"):
        local().body(ChatRequest(completion="a", tools=(Tool("find", "Finds."),)))
    with pytest.raises(ConfigError, match="asked nothing"):
        local().body(ChatRequest())


async def test_errors_of_the_runtime_become_failures() -> None:
    async def failure(error: Any) -> CallFailed:
        with pytest.raises(CallFailed) as caught:
            await local({"error": error}).answer(ChatRequest(completion="a"), Address(), None)
        return caught.value

    long = await failure({"type": "exceed_context_size_error", "n_prompt_tokens": 601, "n_ctx": 512})
    assert (long.ended, long.fault) == ("context_exceeded", None)
    assert "601 tokens does not fit the 512" in str(long)
    other = await failure({"type": "server_error", "message": "no memory"})
    assert (other.ended, other.fault) == ("http_error", "infra")
    assert (await failure("odd")).ended == "http_error"


def test_missing_files_name_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="models pull smollm2"):
        LocalSettings(str(tmp_path / "none.gguf")).file()
    monkeypatch.setenv("MYSTERYSHOPPER_MODELS", str(tmp_path))
    with pytest.raises(ConfigError, match="run `mysteryshopper models pull smollm2`"):
        LocalServers().get(LocalSettings())


async def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF but not really")
    server = LocalServers().get(LocalSettings(str(path)))
    with pytest.raises(ShopperError, match=r"broken\.gguf can't be loaded"):
        await server.ask("completions", {"prompt": "a", "max_tokens": 1})
    server.close()


async def test_one_process_holds_one_model(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"")
    servers = LocalServers()
    first = servers.get(LocalSettings(str(tmp_path / "a.gguf")))
    (tmp_path / "x").mkdir()
    assert servers.get(LocalSettings(str(tmp_path / "x" / ".." / "a.gguf"))) is first
    assert servers.get(LocalSettings(str(tmp_path / "a.gguf"))) is first
    for other in (LocalSettings(str(tmp_path / "b.gguf")), LocalSettings(str(tmp_path / "a.gguf"), slots=2)):
        with pytest.raises(ConfigError, match=r"one process can hold one local model: a\.gguf"):
            servers.get(other)
    await servers.close()
    with pytest.raises(ShopperError, match="was closed"):
        await first.ask("completions", {})
    assert servers.get(LocalSettings(str(tmp_path / "b.gguf"))).file.name == "b.gguf"
    await servers.close()


async def test_a_forked_process_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(tmp_path / "a.gguf", LocalSettings())
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(ShopperError, match="forked process"):
        await server.ask("completions", {})


# --- with real weights ----------------------------------------------------------------------------------------------


class NoLog:
    """Keeps no calls, so that each request is computed."""

    async def find(self, key: str) -> None:
        return None

    async def commit(self, call: Any) -> None:
        return None


@pytest.fixture(scope="module")
def loaded(local_weights: Callable[[str], Path]) -> Any:
    """One loaded model for this module: loading takes a second."""
    local_weights("smollm2")
    pytest.importorskip("xllamacpp")
    server = LocalServers().get(LocalSettings(slots=2, context=256))
    yield server
    server.close()


@pytest.fixture
def model(loaded: LocalServer) -> LocalModel:
    return LocalModel(ModelBlock(provider="local"), loaded)


async def answer(model: LocalModel, request: ChatRequest, seed: int | None = None) -> ChatReply:
    return await model.answer(request, Address(), seed)


@pytest.mark.slow
async def test_choices_hold_and_log_probabilities_come(model: LocalModel) -> None:
    reply = await answer(model, ChatRequest(completion=EXAMPLES, choices=("accept", "reject"), top_logprobs=5))
    assert reply.text in ("accept", "reject")
    assert reply.finish == "stop"
    assert reply.usage.input_tokens > 30
    assert reply.usage.output_tokens >= 1
    assert reply.usage.cost == 0.0
    assert len(reply.logprobs[0]) == 5
    assert list(reply.logprobs[0].values()) == sorted(reply.logprobs[0].values(), reverse=True)
    odd = ('say "no"\\\n', "千と千尋 👩‍👩‍👧")
    assert (await answer(model, ChatRequest(completion="Answer:", choices=odd))).text in odd


@pytest.mark.slow
async def test_equal_draws_are_equal_at_any_concurrency(model: LocalModel) -> None:
    cold = ChatRequest(completion="A slow film about trains is", max_tokens=8)
    warm = cold._replace(temperature=0.9)
    first = [(await answer(model, cold)).text, (await answer(model, warm, 7)).text]
    at_once = await asyncio.gather(
        answer(model, cold), answer(model, warm, 7), answer(model, cold), answer(model, warm, 7)
    )
    assert [reply.text for reply in at_once] == first * 2
    others = {(await answer(model, warm, seed)).text for seed in (8, 9, 10)}
    assert others - {first[1]}


@pytest.mark.slow
async def test_stop_length_and_schema(model: LocalModel) -> None:
    cut = await answer(model, ChatRequest(completion="Count: 1, 2, 3,", max_tokens=3))
    assert cut.finish == "length"
    stopped = await answer(model, ChatRequest(completion="Count: 1, 2, 3, 4, 5,", max_tokens=20, stop=(",",)))
    assert stopped.finish == "stop"
    assert "," not in (stopped.text or "")
    schema = {"type": "object", "properties": {"mood": {"enum": ["good", "bad"]}}, "required": ["mood"]}
    bound = await answer(model, ChatRequest(completion="The mood as JSON:", schema=schema))
    assert json.loads(bound.text or "")["mood"] in ("good", "bad")
    chatted = await answer(model, ChatRequest((ChatMessage("user", "What is the capital of France?"),), max_tokens=10))
    assert "Paris" in (chatted.text or "")


@pytest.mark.slow
async def test_an_overlong_prompt_is_context_exceeded(model: LocalModel) -> None:
    with pytest.raises(CallFailed, match="does not fit the 256 tokens") as caught:
        await answer(model, ChatRequest(completion="word " * 400))
    assert caught.value.ended == "context_exceeded"
    assert caught.value.fault is None


@pytest.mark.slow
async def test_it_plugs_into_a_run(loaded: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalServers, "get", lambda self, settings: loaded)
    async with Models(NoLog(), seed=3) as models:
        chat = models.model("small", ModelBlock(provider="local", max_tokens=4))
        assert chat.form == "completion"
        reply = await chat.chat(ChatRequest(completion="Trains are"), Address(unit="u"))
    assert reply.text
    assert reply.usage.cost == 0.0
    assert reply.usage.output_tokens <= 4
