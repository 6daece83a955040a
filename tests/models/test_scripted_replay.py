"""Models that need no endpoint: scripts, and the calls of an earlier run."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from call_logs import MemoryLog

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    ConfigError,
    ShopperError,
)
from mysteryshopper.models import MODELS, ModelBlock, Models, ScriptedModel
from mysteryshopper.testing import FakeServer


def asked(*texts: str) -> ChatRequest:
    roles = ("user", "assistant")
    return ChatRequest(tuple(ChatMessage(roles[number % 2], text) for number, text in enumerate(texts)))  # type: ignore[arg-type]


async def test_a_list_is_said_in_turn_and_its_end_is_told() -> None:
    model = ScriptedModel(["one", ChatReply(None, "content_filter"), CallFailed("down", ended="timeout")])
    assert isinstance(model, ChatModel)
    first = await model.chat(asked("a"), Address(unit="u"))
    assert (first.text, first.call) == ("one", "scripted-1")
    assert (await model.chat(asked("b"), Address())).finish == "content_filter"
    with pytest.raises(CallFailed):
        await model.chat(asked("c"), Address())
    with pytest.raises(ShopperError, match="used up"):
        await model.chat(asked("d"), Address())
    assert [request.messages[0].content for request, _ in model.requests] == ["a", "b", "c", "d"]
    assert model.requests[0][1] == Address(unit="u")


async def test_functions_and_purposes() -> None:
    async def late(request: ChatRequest, address: Address) -> str:
        return f"{request.messages[-1].content} for {address.role}"

    model = ScriptedModel({"stop": ["no", "yes"], "": late})
    said = [await model.chat(asked("hello"), Address(role="user", purpose=name)) for name in ("stop", "reply", "stop")]
    assert [reply.text for reply in said] == ["no", "hello for user", "yes"]
    with pytest.raises(ShopperError, match="purpose 'rating'"):
        await ScriptedModel({"stop": ["no"]}).chat(asked("a"), Address(purpose="rating"))


async def test_a_scripted_block_says_the_reply_for_the_turn_whatever_the_order() -> None:
    block = ModelBlock(provider="scripted", params={"replies": {"": ["hi", "more", "bye"], "stop": ["no"]}})
    async with Models(MemoryLog()) as models:
        model = models.model("user", block)
        turns = [asked("a"), asked("a", "b", "c"), asked("a", "b", "c", "d", "e"), asked(*"abcdefg")]
        replies = await asyncio.gather(*(model.chat(turn, Address(purpose="reply")) for turn in reversed(turns)))
        assert [reply.text for reply in replies] == ["bye", "bye", "more", "hi"]
        assert (await model.chat(asked("a"), Address(purpose="stop"))).text == "no"


@pytest.mark.parametrize(
    "params", [{}, {"replies": []}, {"replies": "hi"}, {"replies": {"a": "hi"}}, {"replies": ["a"], "x": 1}]
)
async def test_a_script_that_is_none_is_refused(params: dict[str, Any]) -> None:
    async with Models(MemoryLog()) as models:
        with pytest.raises(ConfigError, match="replies"):
            models.model("user", ModelBlock(provider="scripted", params=params))


def keep_run(folder: Path, log: MemoryLog) -> Path:
    from mysteryshopper.experiment.store import RunStore

    store = RunStore(folder / "run.sqlite")

    async def write() -> None:
        for call in log.calls:
            await store.commit_call(call)

    asyncio.run(write())
    store.close()
    return folder


def test_a_replay_gives_what_the_earlier_run_got_and_sends_nothing(tmp_path: Path) -> None:
    keys: dict[str, Any] = {"name": "m", "temperature": 0.8, "params": {"top_p": 0.9}}

    async def first(log: MemoryLog) -> list[str | None]:
        async with (
            FakeServer(behaviour="numbered", faults=["ok", "ok", "length"]) as server,
            Models(log, seed=5) as models,
        ):
            model = models.model("w", ModelBlock(base_url=server.base_url, **keys))
            return [(await model.chat(asked("hi"), Address(unit=str(unit)))).text for unit in range(3)]

    async def again(seed: int, text: str = "hi") -> list[str | None]:
        async with Models(MemoryLog(), seed=seed, folder=tmp_path) as models:
            model = models.model("w", ModelBlock(provider="replay", path="old", **keys))
            return [(await model.chat(asked(text), Address(unit=str(unit)))).text for unit in range(3)]

    said = asyncio.run(first(log := MemoryLog()))
    (tmp_path / "old").mkdir()
    keep_run(tmp_path / "old", log)
    assert asyncio.run(again(5)) == said
    for seed, text in ((6, "hi"), (5, "other")):
        with pytest.raises(CallFailed, match="made no such call"):
            asyncio.run(again(seed, text))
    with sqlite3.connect(tmp_path / "old" / "run.sqlite") as db:
        assert db.execute("SELECT count(*) FROM calls").fetchone() == (3,)
    db.close()


async def test_a_replay_of_nothing_is_refused(tmp_path: Path) -> None:
    async with Models(MemoryLog()) as models:
        with pytest.raises(ConfigError, match="no run at") as error:
            models.model("w", ModelBlock(provider="replay", name="m", path=str(tmp_path / "none")))
        assert error.value.key == "models.w.path"


async def test_a_run_of_a_newer_version_is_not_replayed(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "run.sqlite") as db:
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO meta VALUES ('schema', '99')")
    db.close()
    async with Models(MemoryLog()) as models:
        with pytest.raises(ConfigError, match=r"schema version 99.*update mysteryshopper"):
            models.model("w", ModelBlock(provider="replay", name="m", path=str(tmp_path)))


async def test_models_are_built_once_and_what_they_share_is_closed() -> None:
    closed: list[str] = []

    class Thing:
        def __init__(self, name: str, late: bool) -> None:
            self.name, self.late = name, late

        def close(self) -> Any:
            async def later() -> None:
                closed.append(self.name)

            if self.late:
                return later()
            closed.append(self.name)
            return None

    block = ModelBlock(provider="scripted", params={"replies": ["a"]})
    async with Models(MemoryLog()) as models:
        assert models.model("a", block) is models.model("a", block.model_copy())
        assert models.model("a", block) is not models.model("a", block.model_copy(update={"temperature": 0.0}))
        one = models.resource("x", lambda: Thing("x", True))
        assert models.resource("x", lambda: Thing("other", True)) is one
        models.resource("y", lambda: Thing("y", False))
        with pytest.raises(ConfigError, match="did you mean 'scripted'"):
            models.model("b", block.model_copy(update={"provider": "scriptd"}))
    assert closed == ["y", "x"]


@pytest.mark.parametrize("name", ["openai", "local", "scripted", "replay"])
def test_every_provider_can_be_built(name: str) -> None:
    assert callable(MODELS.load(name).build)
