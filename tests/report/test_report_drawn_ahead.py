"""Pages of dialogues drawn ahead, in a process of their own, are the pages that would have been drawn without it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from report_samples import FakeStore, dialogue, report

from mysteryshopper.cli.running import report_folder
from mysteryshopper.core import Case, Exhibit, Ruling, StoredVerdict, Verdict
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.report import ahead, write_report
from mysteryshopper.report.ahead import Ahead, draw_further, drawing_ahead
from mysteryshopper.report.page import write_further_pages

PEOPLE = 205  # two pages
SHOP = """
def reply(messages, session):
    return {"content": "Try The Salt Clock.", "items": [{"id": "2", "title": "The Salt Clock"}]}
"""


def verdict(number):
    case = Case(f"c{number:03}", "u", (Exhibit("A", f"d{number}", "0.0", ()),), ())
    rulings = (Ruling("good", number / 7, "ok"), Ruling("kind", None, "refused"))
    return StoredVerdict(case, Verdict(case.id, rulings), "referee", "k")


def pages_of(folder: Path):
    return {path.name: path.read_bytes() for path in [*folder.glob("report*"), *folder.glob("plots/*.svg")]}


def test_a_report_of_pages_drawn_ahead_is_the_same_to_the_byte(tmp_path):
    store = FakeStore([dialogue(number) for number in range(450)], (), [verdict(number) for number in range(450)])
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    write_report(whole / "report.html", report(store=store))
    gathered = write_further_pages(parts / "report.html", report(store=store, metrics=()))
    assert sorted(pages_of(parts)) == ["report-dialogues-2.html", "report-dialogues-3.html"]
    write_report(parts / "report.html", report(store=store), gathered)
    assert pages_of(parts) == pages_of(whole)
    assert len(gathered.opinions.by_dialogue) == 200  # what the first page needs, and no more


@pytest.fixture
def done(tmp_path, monkeypatch):
    """A run whose report has two pages."""
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "shop.py").write_text(SHOP)
    items = [{"id": "2", "title": "The Salt Clock", "year": 2004, "genre": ["sea"]}]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    people = ({"id": f"p{number}", "wish": "the sea", "attributes": {"genre": ["sea"]}} for number in range(PEOPLE))
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    file = tmp_path / "experiment.yaml"
    turns = ["Something with the sea in it, please."]
    file.write_text(
        json.dumps(
            {
                "protocol": "conversation",
                "user": {"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": turns}},
                "system": {"name": "mine", "kind": "python", "function": "shop:reply"},
                "data": {"path": "items.jsonl"},
                "limits": {"turns": 1},
            }
        )
    )
    return run(Experiment.load(file), tmp_path / "out").path


def test_the_command_draws_a_large_run_ahead_and_everything_is_as_without(done, monkeypatch):
    report_folder(done, None)
    before = pages_of(done)
    assert "report-dialogues-2.html" in before
    for name in before:
        (done / name).unlink(missing_ok=True)
    monkeypatch.setattr(ahead, "_LARGE", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    written = []
    monkeypatch.setattr("mysteryshopper.report.page._further", lambda *_: written.append(1))  # in this process
    report_folder(done, None)
    assert pages_of(done) == before
    assert not written


def test_what_was_drawn_of_another_state_of_the_run_is_not_used(done):
    _, store = open_run(done)
    state = store.state()
    store.close()
    found, _ = draw_further(done / "report.html")
    assert found == state
    with drawing_ahead(done / "report.html") as small:
        assert small.gathered(state) is None  # too small a run to be worth it
    process = ahead._start(done / "report.html")
    assert Ahead(process).gathered("of later") is None


def test_a_process_that_fails_is_as_if_there_had_been_none(done, tmp_path):
    with ahead._start(tmp_path / "nowhere" / "report.html") as lost:
        assert Ahead(lost).gathered("any") is None
    assert lost.returncode == 1


@pytest.mark.parametrize("said", ["", "plug-in ready", "N."])
def test_what_a_plug_in_prints_there_does_no_harm(said):
    code = f"import pickle; print({said!r}, flush=True); print(pickle.dumps(('state', None)))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as noisy:
        assert Ahead(noisy).gathered("state") is None
    assert noisy.returncode == 0


def test_a_process_that_draws_still_is_ended_when_measuring_fails(done, monkeypatch):
    sleeping = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE)
    monkeypatch.setattr(ahead, "_start", lambda report: sleeping)
    monkeypatch.setattr(ahead, "_LARGE", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(RuntimeError), drawing_ahead(done / "report.html"):
        raise RuntimeError("the disk is full")
    assert sleeping.returncode not in (None, 0)
