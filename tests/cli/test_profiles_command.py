"""`mysteryshopper profiles`: the people of an experiment are made from its data, with its seed."""

import yaml

from mysteryshopper.cli.main import run
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.view import PlanView
from mysteryshopper.profiles import read_profiles


def written(folder, **content):
    file = folder / "mine.yaml"
    whole = {
        "protocol": "conversation",
        "seed": 7,
        "users": [{"name": "u", "kind": "agenda", "profiles": {"generate": 5, "hidden": 3}}],
        "systems": [{"kind": "lexical"}],
        "data": {"name": "food"},
        **content,
    }
    file.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return file


def test_they_are_the_people_that_the_experiment_meets(tmp_path):
    file = written(tmp_path)
    out = tmp_path / "people.jsonl"
    assert run(["profiles", "--experiment", str(file), "--count", "5", "--hidden", "3", "--out", str(out)]) == 0
    assert list(read_profiles(out)) == list(PlanView(Experiment.load(file)).profiles("u"))


def test_what_is_named_wins_over_the_experiment(tmp_path):
    file = written(tmp_path)
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    beside = ["--data", "beauty", "--seed", "3", "--count", "4"]
    assert run(["profiles", "--experiment", str(file), *beside, "--out", str(one)]) == 0
    assert run(["profiles", *beside, "--out", str(other)]) == 0
    assert one.read_bytes() == other.read_bytes()


def test_without_an_experiment_they_wish_for_films_with_seed_0(tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    assert run(["profiles", "--count", "3", "--out", str(one)]) == 0
    assert run(["profiles", "--count", "3", "--data", "films", "--seed", "0", "--out", str(other)]) == 0
    assert one.read_bytes() == other.read_bytes()
