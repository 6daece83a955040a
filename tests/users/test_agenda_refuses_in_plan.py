"""Whom the agenda user can't play is told before anything runs, not once a unit does."""

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.plan import make_plan

PAGE = """
name: porch
field: talk on the porch
nouns: [talk]
description: People sit down and talk.
attributes: {topic: {values: [rain, bread]}}
"""


def experiment(folder, **more):
    return Experiment.from_dict(
        {
            "protocol": "conversation",
            "users": [{"name": "u", "kind": "agenda", "profiles": "people.jsonl"}],
            "systems": [{"kind": "lexical"}],
            "data": {"name": "food"},
            **more,
        },
        folder,
    )


def test_people_of_another_language(tmp_path):
    (tmp_path / "people.jsonl").write_text('{"id": "ann"}\n{"id": "eva", "language": "de-AT"}\n', "utf-8")
    for do in (make_plan, lambda made: run(made, tmp_path / "run")):
        with pytest.raises(ConfigError, match=r"^users\[0\]: the agenda user speaks English only.*'eva'.*'de-AT'"):
            do(experiment(tmp_path))
    (tmp_path / "people.jsonl").write_text('{"id": "ann", "language": "en-GB"}\n', "utf-8")
    assert make_plan(experiment(tmp_path)).units == 1


def test_domains_of_talk_alone(tmp_path):
    (tmp_path / "porch").mkdir()
    (tmp_path / "porch" / "domain.yaml").write_text(PAGE, "utf-8")
    talk = {"systems": [{"name": "s", "kind": "python", "function": "bot:reply"}], "data": {"path": "porch"}}
    user = {"name": "u", "kind": "agenda", "profiles": {"generate": 2}}
    with pytest.raises(ConfigError, match=r"^users\[0\]: .*porch is a domain without items.*single-prompt"):
        make_plan(experiment(tmp_path, users=[user], **talk))
    lines = {**user, "kind": "scripted", "options": {"turns": ["hello"]}}
    assert make_plan(experiment(tmp_path, users=[lines], **talk)).units == 2
