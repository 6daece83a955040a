"""The demo as a newcomer runs it: offline, without a model, ending with three true lines and the report's path."""

import json
import re

import pytest

from mysteryshopper.cli.main import run
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.init import starter
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.yaml_text import read_yaml


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Folder, exit code and lines of a demo on a machine without local weights."""
    folder = tmp_path_factory.mktemp("demo") / "run"
    with pytest.MonkeyPatch.context() as patch, open(folder.parent / "out", "w+") as out:
        patch.setenv("MYSTERYSHOPPER_MODELS", str(folder.parent / "no-models"))
        patch.setattr("sys.stdout", out)
        code = run(["demo", "--out", str(folder), "--quiet"])
        out.seek(0)
        lines = out.read().splitlines()
    return folder, code, lines


@pytest.mark.slow
def test_it_ends_with_three_lines_and_the_report(demo):
    folder, code, lines = demo
    assert code == 0
    left_out, best, why, mind, report = lines
    assert "models pull smollm2" in left_out
    assert best.startswith(("asker served users best", "asker is ahead"))
    assert "the best control, popular" in best
    assert why.startswith("Why: ")
    assert mind.startswith("Mind: ")
    assert "drawn by chance" in mind
    assert report == f"report: {folder / 'report.html'}"
    assert (folder / "report.html").is_file()
    assert not (folder / "demo-local").exists()


@pytest.mark.slow
def test_all_systems_meet_the_same_sixty_people_and_nobody_is_lost(demo):
    summary = json.loads((demo[0] / "summary.json").read_text("utf-8"))
    assert summary["units"] == {
        "planned": 180,
        "complete": 180,
        "faults": {"user": 0, "system": 0, "judge": 0, "infra": 0},
        "pending": 0,
    }
    assert summary["usage"] == {} or all(role["calls"] == 0 for role in summary["usage"].values())
    _, store = open_run(demo[0])
    met = {}
    for stored in store.dialogues(nodes=False):
        met.setdefault(stored.unit.system, []).append((stored.unit.id, stored.dialogue.data["constraints"]))
    store.close()
    assert met["asker"] == met["words"] == met["popular"]
    assert len(met["asker"]) == 60


@pytest.mark.slow
def test_the_reason_given_is_counted_right(demo):
    """The line `Why` against the table of dialogues, counted anew."""
    folder, _, lines = demo
    _, store = open_run(folder)
    kept = {"asker": 0, "words": 0, "popular": 0}
    people = set()
    for stored in store.dialogues(nodes=False):
        data = stored.dialogue.data
        if any(name in data["constraints"] for name in data.get("hidden", [])):
            people.add(stored.unit.id)
            kept[stored.unit.system] += stored.dialogue.success is True
    store.close()
    said = re.search(r"(\d+) people keep .* served were asker (\d+), words (\d+), popular (\d+)\. Of", lines[2])
    assert said is not None
    assert tuple(map(int, said.groups())) == (len(people), kept["asker"], kept["words"], kept["popular"])
    assert kept["asker"] > kept["words"] > kept["popular"]


@pytest.mark.slow
def test_the_report_tells_people_who_hold_something_back_apart(demo):
    summary = json.loads((demo[0] / "summary.json").read_text("utf-8"))
    held = {
        one["group"]["system"]: one["value"]
        for one in summary["metrics"]
        if one["name"] == "success_by_style" and one["group"]["style"] == "requirements held back"
    }
    assert held["asker"] > held["words"] > held["popular"]
    assert "requirements held back" in (demo[0] / "report.html").read_text("utf-8")


def test_the_part_with_the_local_model_is_a_run_of_its_own():
    experiment = Experiment.from_dict(read_yaml(starter("demo-local"), "demo-local.yaml"))
    assert [model.provider for model in experiment.models.values()] == ["local"]
    assert [system.name for system in experiment.systems] == ["words"]
    main_part = Experiment.from_dict(read_yaml(starter("demo"), "demo.yaml"))
    assert not main_part.models  # its numbers come from no model
