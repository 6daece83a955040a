"""Runs from the command line, without any model: a scripted user talks to a function."""

import json
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest

from mysteryshopper.cli.main import run

EXPERIMENT = """
protocol: conversation
seed: 3
user:
  name: steady
  kind: scripted
  profiles: people.jsonl
  options: {turns: ["Something with the sea in it, please.", "And anything else?"], on_hit: "That is the one."}
system: {name: mine, kind: python, function: "shop:reply"}
data: {path: items.jsonl}
limits: {turns: 3, concurrency: 2}
"""

SHOP = """
import os, time

def reply(messages, session):
    time.sleep(float(os.environ.get("SHOP_DELAY", "0")))
    if os.environ.get("SHOP_BROKEN") and len(messages) > 2:
        raise RuntimeError("out of stock")
    return {"content": "Try \\x1b[2J The Salt Clock.", "items": [{"id": "2", "title": "The Salt Clock"}]}
"""

ITEMS = [
    {"id": "1", "title": "Lantern Road", "year": 1998, "genre": ["drama"]},
    {"id": "2", "title": "The Salt Clock", "year": 2004, "genre": ["sea"]},
]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    people = (
        {"id": f"p{number}", "wish": "a film of the sea", "attributes": {"genre": ["sea"]}} for number in range(6)
    )
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    path = tmp_path / "shop.yaml"
    path.write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    return path


def add(shop, text):
    shop.write_text(EXPERIMENT + text)


def test_a_run_leaves_a_report_and_says_where(shop, tmp_path, capsys):
    assert run(["run", str(shop), "--quiet"]) == 0
    captured = capsys.readouterr()
    assert f"report: {'runs/shop/report.html'}" in captured.out
    assert "\x1b" not in captured.out
    assert (tmp_path / "runs" / "shop" / "report.html").read_text(encoding="utf-8").startswith("<!")
    summary = json.loads((tmp_path / "runs" / "shop" / "summary.json").read_text())
    assert summary["units"]["complete"] == summary["units"]["planned"] == 6
    assert run(["run", str(shop)]) == 1
    assert "mysteryshopper resume runs/shop" in capsys.readouterr().err


def test_a_finished_run_is_complete_already(shop, capsys):
    assert run(["run", str(shop), "--quiet", "--out", "out"]) == 0
    first = capsys.readouterr().out
    assert run(["resume", "out"]) == 0
    assert "already complete" in capsys.readouterr().out
    assert run(["report", "out"]) == 0
    assert capsys.readouterr().out == first


def test_a_run_may_grow_and_nothing_else(shop, capsys):
    add(shop, "repeats: 1\n")
    assert run(["run", str(shop), "--quiet", "--out", "out"]) == 0
    add(shop, "repeats: 2\n")
    assert run(["resume", "out", "--file", str(shop), "--quiet"]) == 0
    assert json.loads((shop.parent / "out" / "summary.json").read_text())["units"]["complete"] == 12
    shop.write_text(shop.read_text().replace("seed: 3", "seed: 4"))
    assert run(["resume", "out", "--file", str(shop)]) == 1
    assert "seed changed from 3 to 4" in capsys.readouterr().err


def test_a_failed_assertion_is_4_and_in_the_junit_file(shop, tmp_path, capsys):
    add(shop, 'assert:\n  - {metric: success, system: mine, value: ">= 0"}\n  - {metric: tokens, value: "< 5"}\n')
    assert run(["run", str(shop), "--quiet", "--out", "out", "--junit", "ci/junit.xml"]) == 4
    assert "assertion failed: tokens: value < 5: the run has no metric 'tokens'" in capsys.readouterr().out
    suite = ElementTree.parse(tmp_path / "ci" / "junit.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_faults_are_3(shop, monkeypatch):
    monkeypatch.setenv("SHOP_BROKEN", "1")
    shop.write_text(
        EXPERIMENT.replace("sea in it", "moon in it").replace('on_hit: "That is the one."', "wish_first: true")
    )
    assert run(["run", str(shop), "--quiet", "--out", "out"]) == 3
    assert json.loads((shop.parent / "out" / "summary.json").read_text())["units"]["faults"]["system"] == 6


def test_judging_needs_judges(shop, capsys):
    assert run(["run", str(shop), "--quiet", "--out", "out"]) == 0
    assert run(["judge", "out"]) == 1
    assert "has no judges" in capsys.readouterr().err
    (shop.parent / "judges.yaml").write_text("judges: [{name: fair, kind: nobody}]\n")
    assert run(["judge", "out", "--judge", "judges.yaml"]) == 1
    assert "there is no judge kind 'nobody'" in capsys.readouterr().err
    (shop.parent / "judges.yaml").write_text("limits: {units: 1}\n")
    assert run(["judge", "out", "--judge", "judges.yaml"]) == 1
    assert "there is no key 'limits'" in capsys.readouterr().err


@pytest.mark.slow
def test_an_interrupt_saves_and_says_how_to_go_on(shop, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_DELAY", "0.3")
    words = [sys.executable, "-m", "mysteryshopper", "run", str(shop), "--out", "out"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        started = time.monotonic()
        while not (tmp_path / "out" / "run.sqlite").exists() and time.monotonic() - started < 60:
            time.sleep(0.05)
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "go on with `mysteryshopper resume out`" in err
    assert "Traceback" not in err
    monkeypatch.setenv("SHOP_DELAY", "0")
    assert run(["resume", "out", "--quiet"]) == 0
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["units"]["complete"] == 6
