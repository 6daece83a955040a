"""The cache that runs share: whatever happens to it, it is at worst empty."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from call_logs import MemoryLog

from mysteryshopper.core import Address, Call, ChatMessage, ChatRequest, Usage
from mysteryshopper.models import CallLimits, ModelBlock, Models, SharedCache, cache_folder
from mysteryshopper.testing import FakeServer


def call(key: str = "k", text: str = "hi", **keys: object) -> Call:
    reply = {"text": text, "finish": "stop"}
    return Call(key, key, Address(unit="u"), "m", "ok", reply, "stop", usage=Usage(3, 2, 0.5), **keys)  # type: ignore[arg-type]


def test_what_is_put_is_found_at_once_and_by_the_next_run(tmp_path: Path) -> None:
    cache = SharedCache(tmp_path)
    cache.put(call())
    found = cache.find("k")
    assert found is not None
    assert (found.id, found.cached, found.reply) == ("", True, {"text": "hi", "finish": "stop"})
    assert found.usage == Usage(3, 2, 0.0)
    cache.close()
    again = SharedCache(tmp_path)
    assert again.find("k") == found
    assert again.find("other") is None
    again.close()


async def test_a_reply_of_another_run_is_recorded_as_cached_and_free(tmp_path: Path) -> None:
    request = ChatRequest((ChatMessage("user", "hello"),))
    async with FakeServer() as server:
        block = ModelBlock(name="m", base_url=server.base_url, temperature=0.0)
        for number in range(2):
            cache = SharedCache(tmp_path)
            async with Models(log := MemoryLog(cache)) as models:
                reply = await models.model("w", block).chat(request, Address(unit="u"))
                assert reply.text == "Hello there."
                assert reply.cached is (number == 1)
                (row,) = log.calls
                assert (row.id, row.cached, row.attempts) == (reply.call, number == 1, 1 - number)
                assert row.usage.cost == (0.0 if number else None)
                assert row.address == Address(unit="u")
            cache.close()
        assert server.count() == 1


async def test_errors_and_bad_replies_never_get_into_it(tmp_path: Path) -> None:
    request = ChatRequest((ChatMessage("user", "hello"),))
    async with FakeServer(faults=["length", "empty", "error_500"]) as server:
        block = ModelBlock(name="m", base_url=server.base_url, temperature=0.0)
        texts = []
        for _ in range(4):
            cache = SharedCache(tmp_path)
            async with Models(MemoryLog(cache), limits=CallLimits(retries=1, backoff=0.001)) as models:
                texts.append((await models.model("w", block).chat(request, Address())).text)
            cache.close()
        assert texts == ["Hello ", "", "Hello there.", "Hello there."]
        assert server.count() == 4


async def test_a_system_under_test_is_asked_anew_by_every_run(tmp_path: Path) -> None:
    async with FakeServer(behaviour="numbered", text="number") as server:
        said = []
        for _ in range(2):
            cache = SharedCache(tmp_path)
            async with Models(MemoryLog(cache)) as models:
                poster = models.poster("mine", server.reply_url, {})
                answers = [await poster.post({"session": "s"}, Address(unit="u")) for _ in range(2)]
                said += [answer["content"] for answer, _ in answers]  # in its own run it meets its answer again
            cache.close()
        assert said == ["number 1", "number 1", "number 2", "number 2"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE calls SET body = substr(body, 1, length(body) / 2)",
        "UPDATE calls SET body = replace(body, 'hi', 'ho')",
        "UPDATE calls SET body = '[]', mark = ''",
        "UPDATE calls SET body = x'ff00'",
    ],
)
def test_a_torn_entry_is_a_miss_and_is_written_anew(tmp_path: Path, damage: str) -> None:
    cache = SharedCache(tmp_path)
    cache.put(call())
    cache.close()
    with sqlite3.connect(cache.path) as db:
        db.execute(damage)
    db.close()
    cache = SharedCache(tmp_path)
    assert cache.find("k") is None
    cache.put(call())
    cache.close()
    cache = SharedCache(tmp_path)
    assert cache.find("k") is not None
    cache.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000, b""])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = SharedCache(tmp_path)
    path.close()
    for file in tmp_path.iterdir():
        file.unlink()
    path.path.write_bytes(content)
    cache = SharedCache(tmp_path)
    assert cache.find("k") is None
    cache.put(call())
    cache.close()
    cache = SharedCache(tmp_path)
    assert cache.find("k") is not None
    cache.close()


def test_a_file_damaged_while_it_is_used_is_a_miss(tmp_path: Path) -> None:
    cache = SharedCache(tmp_path)
    for number in range(200):
        cache.put(call(f"k{number}", "text " * 50))
    with sqlite3.connect(cache.path) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    with cache.path.open("r+b") as file:
        file.seek(0)
        file.write(b"\xff" * os.path.getsize(cache.path))
    assert [cache.find(f"k{number}") for number in range(200)].count(None) > 0
    cache.put(call("new"))
    assert cache.find("new") is not None
    cache.close()
    cache = SharedCache(tmp_path)
    assert cache.find("new") is not None
    cache.close()


def test_a_locked_cache_is_a_miss_for_now(tmp_path: Path) -> None:
    cache = SharedCache(tmp_path)
    holder = sqlite3.connect(cache.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    cache.put(call())
    cache.flush()
    assert cache.find("k") is not None  # it waits in memory
    holder.execute("COMMIT")
    holder.close()
    cache.close()
    cache = SharedCache(tmp_path)
    assert cache.find("k") is not None
    cache.close()


def test_a_folder_that_cannot_be_used_is_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = SharedCache(tmp_path / "file" / "folder")
    cache.put(call())
    assert cache.find("k") is None
    cache.close()


async def test_entries_are_written_in_batches_and_soon(tmp_path: Path) -> None:
    cache = SharedCache(tmp_path)
    for number in range(50):
        cache.put(call(f"k{number}"))
    reader = sqlite3.connect(cache.path)
    assert reader.execute("SELECT count(*) FROM calls").fetchone() == (0,)
    await asyncio.sleep(0.5)
    assert reader.execute("SELECT count(*) FROM calls").fetchone() == (50,)
    reader.close()
    cache.close()


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path: Path) -> None:
    program = """
import sys
from contextlib import closing
from pathlib import Path
from mysteryshopper.core import Address, Call
from mysteryshopper.models import SharedCache
cache = SharedCache(Path(sys.argv[1]))
for number in range(300):
    cache.put(Call("", f"{sys.argv[2]}-{number}", Address(), "m", "ok", {"text": "x", "finish": "stop"}))
cache.close()
"""
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(number)]) for number in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    cache = SharedCache(tmp_path)
    assert all(cache.find(f"{writer}-{n}") is not None for writer in range(3) for n in range(300))
    cache.close()


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("MYSTERYSHOPPER_CACHE")
    assert cache_folder().name == "mysteryshopper"


async def test_a_file_locked_for_long_loses_nothing(tmp_path: Path) -> None:
    cache = SharedCache(tmp_path)
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as owner:
        owner.execute("BEGIN IMMEDIATE")
        cache.put(call("early"))
        await asyncio.sleep(0.4)
        owner.execute("ROLLBACK")
    cache.close()
    again = SharedCache(tmp_path)
    assert again.find("early") is not None
    again.close()
