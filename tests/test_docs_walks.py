"""The tutorial and the how-tos, walked as they are written: examples run, numbers are about right."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from plugin import write_plugin

from mysteryshopper import Experiment, compare, run
from mysteryshopper.cli.importing import importing
from mysteryshopper.cli.judges import with_judges
from mysteryshopper.experiment.init import starters, write_starter
from mysteryshopper.judges.criteria_files import load_criteria

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.M | re.S)


def smaller(text: str, people: int, **limits) -> dict:
    """Return an experiment of the docs with fewer people, so that it runs in a moment."""
    content = yaml.safe_load(text)
    for user in content["users"]:
        if isinstance(user.get("profiles"), dict):
            user["profiles"] = {**user["profiles"], "generate": people}
    return {**content, "limits": {**content.get("limits", {}), **limits}}


@pytest.mark.slow
def test_the_tutorials_second_version_is_better_by_what_it_says(tmp_path):
    (bot,) = blocks("tutorial.md", "python")
    (change,) = blocks("tutorial.md", "diff")
    old, new = (line[1:] + "\n" for line in change.splitlines())
    assert old in bot
    found = []
    for name, source in (("first", bot), ("second", bot.replace(old, new))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "shop.py").write_text(source, "utf-8")
        (folder / "first.yaml").write_text(blocks("tutorial.md", "yaml")[0], "utf-8")
        found.append(run(Experiment.load(folder / "first.yaml"), out=folder / "run"))
    first, second = (one.metric("success", system="shop").estimate.value for one in found)
    result = compare(found[0].path, found[1].path)
    (row,) = (row for row in result.rows if row.metric == "success" and row.systems == ("shop", "shop"))
    assert row.difference.low > 0
    said = re.search(r"^success: (0\.\d+) and then (0\.\d+), ", (DOCS / "tutorial.md").read_text("utf-8"), re.M)
    assert said is not None
    assert (first, second) == pytest.approx(tuple(map(float, said.groups())), abs=0.05)


def test_the_bot_of_twenty_lines_is_evaluated_after_changing_one_block(tmp_path):
    (source,) = blocks("howto/http-bot.md", "python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bot = tmp_path / "bot.py"
    bot.write_text(source.replace("9001", str(port)), "utf-8")
    content = smaller(blocks("howto/http-bot.md", "yaml")[0], 12, turns=3)
    content["systems"][0]["url"] = f"http://127.0.0.1:{port}/reply"
    del content["systems"][0]["headers"]
    with subprocess.Popen([sys.executable, str(bot)], stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            result = run(Experiment.from_dict(content), out=tmp_path / "run")
        finally:
            process.kill()
    assert result.summary["units"]["complete"] == 24
    assert result.metric("success", system="mine").estimate.n == 12
    replies = result.table("turns").to_pylist()
    assert any(json.loads(row["items"]) for row in replies if row["role"] == "system" and "How about" in row["text"])


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the bot did not start")


def test_the_criteria_and_the_judges_of_the_how_to_fit_a_run(tmp_path):
    criteria, judges = blocks("howto/own-criteria.md", "yaml")
    (tmp_path / "mine.yaml").write_text(criteria, "utf-8")
    (tmp_path / "judges.yaml").write_text(judges, "utf-8")
    plain = Experiment.from_dict(
        {
            "protocol": "conversation",
            "folder": str(tmp_path),
            "users": [{"kind": "agenda", "profiles": {"generate": 2}}],
            "systems": [{"kind": "lexical"}],
            "data": {"name": "films"},
        }
    )
    judged = with_judges(plain, tmp_path / "judges.yaml")
    (block,) = judged.judges
    loaded = load_criteria(block.options["criteria"], tmp_path, "one")
    assert [one.name for one in loaded.criteria] == ["asked_first", "tone", "detours"]
    assert loaded.takes == "one"


def test_own_items_and_people_of_the_how_to_are_read(tmp_path):
    item, person = map(json.loads, blocks("howto/own-data.md", "json"))
    items = [{**item, "id": f"w{number}", "title": f"{item['title']} {number}"} for number in range(8)]
    for one, colour in zip(items, ["grey", "black"] * 4, strict=True):
        one["colour"] = [colour]
    (tmp_path / "kettles.jsonl").write_text("".join(json.dumps(one) + "\n" for one in items), "utf-8")
    (tmp_path / "people.jsonl").write_text(json.dumps(person) + "\n", "utf-8")
    own_people = yaml.safe_load(blocks("howto/own-data.md", "yaml")[1])
    result = run(Experiment.from_dict({**own_people, "folder": str(tmp_path)}), out=tmp_path / "run")
    (row,) = result.table("dialogues").to_pylist()
    assert row["profile"] == "anna"
    assert row["success"] is True
    shown = {one["id"] for turn in result.table("turns").to_pylist() for one in json.loads(turn["items"] or "[]")}
    assert shown <= {one["id"] for one in items}


def test_stored_users_of_the_how_to_speak_again(tmp_path):
    (source,) = blocks("tutorial.md", "python")
    (tmp_path / "shop.py").write_text(source, "utf-8")
    base = {**smaller(blocks("tutorial.md", "yaml")[0], 4), "folder": str(tmp_path), "judges": []}
    first = run(Experiment.from_dict(base), out=tmp_path / "runs/first")
    again = yaml.safe_load(blocks("howto/replay.md", "yaml")[0])
    second = run(Experiment.from_dict({**again, "folder": str(tmp_path)}), out=tmp_path / "runs/second")
    said = {row["text"] for row in first.table("turns").to_pylist() if row["role"] == "user"}
    assert {row["text"] for row in second.table("turns").to_pylist() if row["role"] == "user" and row["text"]} <= said
    assert second.summary["units"]["complete"] == 4


def test_the_protocol_of_the_how_to_runs_as_a_plug_in(tmp_path, monkeypatch):
    (source,) = (block for block in blocks("howto/plug-ins.md", "python") if "class Greeting:" in block)
    folder = write_plugin(tmp_path / "plugin", source, protocols={"greeting-of-the-docs": "Greeting"})
    monkeypatch.syspath_prepend(folder)
    experiment = Experiment.from_dict(
        {
            "protocol": "greeting-of-the-docs",
            "systems": [{"name": "asker", "kind": "attribute-asker"}, {"name": "chance", "kind": "random"}],
            "data": {"name": "films"},
        }
    )
    result = run(experiment, out=tmp_path / "run")
    assert result.summary["units"]["complete"] == 6
    assert result.metric("asks_back", system="asker").estimate.value == 1
    assert result.metric("asks_back", system="chance").estimate.value == 0


def test_the_import_of_the_how_to_is_taken(tmp_path):
    (line,) = blocks("howto/import-dialogues.md", "json")
    (tmp_path / "chats.jsonl").write_text(line, "utf-8")
    result = run(importing(tmp_path / "chats.jsonl"), out=tmp_path / "run")
    assert result.summary["units"]["complete"] == 1
    assert result.metric("label", label="satisfaction").estimate.value == 4


def test_assertions_of_the_how_to_hold(tmp_path):
    text = next(block for block in blocks("howto/resume-budget-ci.md", "yaml") if "assert:" in block)
    result = run(Experiment.from_dict(yaml.safe_load(text)), out=tmp_path / "run")
    assert [held.holds for held in result.results] == [True, True]
    assert result.exit_code in (0, 3)


@pytest.mark.parametrize("name", starters())
def test_every_file_to_start_from_loads(name, tmp_path):
    protocol = "conversation" if name.startswith("demo") else name
    assert Experiment.load(write_starter(name, tmp_path / f"{name}.yaml")).protocol == protocol


def test_the_picture_is_there_and_small():
    assert 10_000 < os.path.getsize(DOCS / "img/report.png") < 300_000
