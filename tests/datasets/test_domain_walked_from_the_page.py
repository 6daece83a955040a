"""The how-to about domains, followed with house plants: page, items, people, a run, and a tree."""

import json
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from mysteryshopper import Experiment, run
from mysteryshopper.cli.commands import app
from mysteryshopper.profiles import read_profiles

PAGE = (Path(__file__).parents[2] / "docs/howto/own-domain.md").read_text("utf-8")
LIGHT, CARE = ("dark", "half-shady", "bright", "sunny"), ("hardy", "easy")
NAMES = [
    f"{first} {second}"
    for first in ("Mottled", "Green", "Sleepy", "Stubborn", "Quiet", "Silver")
    for second in ("Ivo", "Palm", "Baron", "Ladder")
]


@pytest.fixture
def plants(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "plants"
    folder.mkdir()
    page, experiment = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
    (folder / "domain.yaml").write_text(page, "utf-8")
    items = [
        {
            "id": str(place),
            "title": title,
            "light": [LIGHT[place % 4]],
            "care": [CARE[place // 2 % 2]],
            "pets": ["safe for cats"] if place % 3 else [],  # nobody wishes for poison
            "height": f"{20 + place} cm",
        }
        for place, title in enumerate(NAMES)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")
    content = yaml.safe_load(experiment)
    content["users"][0]["profiles"]["generate"] = 9
    return {**content, "data": {"path": "plants"}, "folder": str(tmp_path)}


def test_the_page_is_checked_and_gets_people(plants, tmp_path):
    checked = CliRunner().invoke(app, ["data", "check", "plants"])
    assert (checked.exit_code, "nothing is wrong" in checked.output) == (0, True), checked.output
    made = CliRunner().invoke(app, ["profiles", "--data", "plants", "--count", "30", "--out", "people.jsonl"])
    assert made.exit_code == 0, made.output
    assert re.search(r"difficulty +\w+ \d+, \w+ \d+", made.output), "not all of one sort"
    people = read_profiles(tmp_path / "people.jsonl")
    told = " ".join(person.wish for person in people)
    assert "poison" not in told
    assert "plant for dark rooms" in told
    assert "For tonight" not in told
    assert {name for person in people for name in person.attributes} == {"light", "care", "pets"}


def test_people_talk_like_customers_and_reference_systems_serve_them(plants, tmp_path):
    done = run(Experiment.from_dict(plants), tmp_path / "run")
    asker, chance = (done.metric("success", system=name).estimate.value for name in ("asker", "chance"))
    assert asker > 0.8
    assert asker >= chance
    said = " ".join(row["text"] for row in done.table("turns").to_pylist())
    assert "How bright is it where it will stand?" in said
    assert re.search(r"\bplants?\b", said)
    assert not re.search(r"\b(?:film|movie)s?\b", said)


def test_two_systems_meet_on_the_same_ground_there(plants, tmp_path):
    plants |= {"protocol": "tree", "judges": [{"name": "rules", "kind": "rules-pair"}], "limits": {"turns": 2}}
    plants["options"] = {"guard": "flag"}
    done = run(Experiment.from_dict(plants), tmp_path / "run")
    assert done.summary["units"]["complete"] == 9
    assert done.metric("root_win_rate", system="asker", criterion="constraints_met").estimate.value > 0.5
