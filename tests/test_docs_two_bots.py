"""The how-to that compares two versions of a bot, walked as it is written; and the example of food."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mysteryshopper import Experiment, arun, run
from mysteryshopper.testing import FakeServer

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/howto/compare-two-bots.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def free_ports(count):
    """Return neighbouring free ports: the bot of the page adds its version to one number."""
    for first in range(20_000 + os.getpid() % 20_000, 60_000, count):
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", first))
                two.bind(("127.0.0.1", first + 1))
            except OSError:
                continue
            return first
    raise AssertionError("no port is free")


@pytest.mark.slow
def test_the_second_version_wins_where_memory_pays(tmp_path):
    port = free_ports(2)
    (tmp_path / "teas.csv").write_text(blocks("csv")[0], "utf-8")
    source = blocks("python")[0]
    assert "9000 + Bot.version" in source
    (tmp_path / "bot.py").write_text(source.replace("9000 + Bot.version", f"{port - 1} + Bot.version"), "utf-8")
    content = yaml.safe_load(blocks("yaml")[0])
    for system in content["systems"]:
        system["url"] = re.sub(r"900(\d)", lambda found: str(port - 1 + int(found[1])), system["url"])
    bots = [subprocess.Popen([sys.executable, "bot.py", version], cwd=tmp_path) for version in ("1", "2")]
    try:
        for place in (0, 1):
            _wait_for(port + place)
        done = run(Experiment.from_dict(content, tmp_path), tmp_path / "run")
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
    rate = done.metric("root_win_rate", system="old", criterion="overall").estimate
    said = re.search(r"root_win_rate of old (0\.\d+) \[(0\.\d+), (0\.\d+)\], over 40 roots", PAGE)
    assert (rate.value, rate.low, rate.high) == pytest.approx(tuple(map(float, said.groups())), abs=0.03)
    assert rate.high < 0.5
    table = [float(value) for value in re.findall(r"^\| [123] \| (0\.\d+) \|$", PAGE, re.M)]
    found = {
        one.group["depth"]: one.estimate.value
        for one in done.metrics
        if one.name == "win_rate_by_depth" and one.group["criterion"] == "overall"
    }
    assert [found[str(depth)] for depth in (1, 2, 3)] == pytest.approx(table, abs=0.05)
    shown = {name: done.metric("wanted_shown", system=name).estimate.value for name in ("old", "new")}
    told = re.search(r"(\d\d) % of the replies of `old` .*? and (\d\d) % of those of `new`", PAGE, re.S)
    assert (100 * shown["old"], 100 * shown["new"]) == pytest.approx(tuple(map(float, told.groups())), abs=4)


def _wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the bot did not start")


def _commented(text, block):
    """Return a block that stands in the comments of an example."""
    lines = [line.removeprefix("#").removeprefix("   ") for line in text.splitlines() if line.startswith("#   ")]
    start = lines.index(f"{block}:")
    end = next((place for place in range(start + 1, len(lines)) if not lines[place].startswith(" ")), len(lines))
    return yaml.safe_load("\n".join(lines[start:end]))


async def test_the_example_of_food_runs_with_an_endpoint_after_changing_one_block(tmp_path):
    text = (ROOT / "examples/tree-food.yaml").read_text("utf-8")
    content = yaml.safe_load(text)
    content["users"][0]["profiles"]["generate"] = 2
    content["limits"]["turns"] = 2
    offline = await arun(Experiment.from_dict(content), tmp_path / "offline")
    assert offline.summary["units"]["complete"] == 6
    async with FakeServer("schema", text="What would you like?") as server:
        content["models"]["writer"]["base_url"] = server.base_url
        content |= _commented(text, "systems")
        real = await arun(Experiment.from_dict(content), tmp_path / "real")
        assert server.count() > 0
        judged = await arun(Experiment.from_dict(content | _commented(text, "judges")), tmp_path / "judged")
    for done in (real, judged):
        assert done.summary["units"]["complete"] == 6
        assert {row["fault"] for row in done.table("dialogues").to_pylist()} == {"none"}
    assert {row["judge"] for row in judged.table("verdicts").to_pylist()} == {"duel"}
