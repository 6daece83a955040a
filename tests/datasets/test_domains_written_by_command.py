"""`mysteryshopper profiles --model`: the command that has a model write people."""

import pytest
import yaml
from typer.testing import CliRunner

from mysteryshopper.cli.commands import app
from mysteryshopper.core import ConfigError
from mysteryshopper.profiles import read_profiles


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    file = tmp_path / "experiment.yaml"
    reply = (
        '{"basic": "A tall potter.", "domain": "Eats late.", "context": "Hungry.", "wish": "I want something cheap."}'
    )
    content = {
        "protocol": "conversation",
        "models": {"writer": {"provider": "scripted", "params": {"replies": [reply]}}},
        "users": [{"kind": "single-prompt", "model": "writer", "profiles": "people.jsonl"}],
        "systems": [{"kind": "lexical"}],
        "data": {"name": "food"},
    }
    file.write_text(yaml.safe_dump(content), "utf-8")
    return file


def call(experiment, out, *more):
    words = ["profiles", "--data", "food", "--count", "4", "--out", str(out)]
    return CliRunner().invoke(app, [*words, "--experiment", str(experiment), "--model", "writer", *more])


def test_it_writes_a_file_and_says_what_was_asked_again(experiment, tmp_path):
    shown = call(experiment, tmp_path / "people.jsonl")
    assert shown.exit_code == 0, shown.output
    people = read_profiles(tmp_path / "people.jsonl")
    assert len(people) == 4
    assert len({person.persona for person in people}) == 4
    again = call(experiment, tmp_path / "more.jsonl")
    assert (tmp_path / "more.jsonl").read_text("utf-8") == (tmp_path / "people.jsonl").read_text("utf-8")
    assert "asked once more" in shown.output
    assert ", 0 of them sent" in again.output
    assert ", 0 of them sent" not in shown.output


def test_it_refuses_what_it_cannot_do(experiment, tmp_path):
    assert isinstance(call(experiment, tmp_path / "a", "--model", "writter").exception, ConfigError)
    assert "did you mean 'writer'" in str(call(experiment, tmp_path / "a", "--model", "writter").exception)
    alone = CliRunner().invoke(app, ["profiles", "--out", str(tmp_path / "a"), "--model", "writer"])
    assert alone.exit_code == 2
    assert "--experiment FILE" in alone.output


def test_it_writes_people_who_only_want_to_talk(experiment, tmp_path):
    shown = call(experiment, tmp_path / "people.jsonl", "--data", "chitchat")
    assert shown.exit_code == 0, shown.output
    people = read_profiles(tmp_path / "people.jsonl")
    assert len(people) == 4
    assert all(set(person.attributes) == {"topic", "tone"} for person in people)
    assert "left as made without a model" in shown.output
    assert "items that meet a wish" not in shown.output
