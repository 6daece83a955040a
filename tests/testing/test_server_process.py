"""The fake server as a program of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection

import psutil
import pytest

from mysteryshopper.core import ShopperError
from mysteryshopper.testing import ServerProcess


def ask(url: str, path: str, body: object) -> tuple[int, object]:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request("POST", path, json.dumps(body), {"Authorization": "Bearer k"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_serves_counts_shows_and_ends() -> None:
    with ServerProcess("--behaviour", "echo", "--faults", "rate_limit:2,ok", "--latency-ms", "1") as server:
        body = {"messages": [{"role": "user", "content": "ping"}]}
        assert ask(server.url, "/v1/chat/completions", body)[0] == 429
        status, answer = ask(server.url, "/v1/chat/completions", body)
        assert status == 200
        assert isinstance(answer, dict)
        assert answer["choices"][0]["message"]["content"] == "ping"
        assert server.stats() == {
            "total": 2,
            "max_in_flight": 1,
            "counts": {"/v1/chat/completions": {"ok": 1, "rate_limit": 1}},
        }
        assert server.bodies() == [body, body]
        assert server.seen()[0]["headers"]["authorization"] == "Bearer k"
        server.clear()
        assert server.stats()["total"] == 0
        pid = server.pid
    assert not psutil.pid_exists(pid)
    with pytest.raises(ShopperError, match="not running"):
        _ = server.pid


def test_a_wrong_option_is_told() -> None:
    with pytest.raises(ShopperError, match="there is no fault 'nope'"), ServerProcess("--faults", "nope"):
        pass


def test_ends_when_its_starter_dies() -> None:
    code = (
        "import os\nfrom mysteryshopper.testing import ServerProcess\n"
        "server = ServerProcess().__enter__()\nprint(server.pid, flush=True)\nos._exit(9)"
    )
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert started.returncode == 9, started.stderr
    pid = int(started.stdout)
    if psutil.pid_exists(pid):
        psutil.wait_procs([psutil.Process(pid)], timeout=10)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
