"""`profiles: {generate: N}` in an experiment file, and the command that writes the same people to a file."""

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.view import PlanView
from mysteryshopper.profiles import demographic_profiles, generate_profiles, read_profiles


def experiment(profiles, **more):
    block = {"kind": "agenda", "profiles": profiles}
    return Experiment(protocol="conversation", seed=7, users=[block], systems=[{"kind": "lexical"}], **more)


def test_people_are_made_with_the_seed_of_the_experiment_or_their_own():
    view = PlanView(experiment({"generate": 5}, data={"name": "films"}))
    films = view.dataset().catalog()
    assert tuple(view.profiles("agenda")) == generate_profiles(films, 5, seed=7).profiles
    own = PlanView(experiment({"generate": 5, "seed": 1, "hard": 1}, data={"name": "films"}))
    assert all(len(profile.attributes) == 1 for profile in own.profiles("agenda"))


def test_demographic_people_need_no_data():
    assert tuple(PlanView(experiment({"demographic": 6})).profiles("agenda")) == demographic_profiles(6, 7)


def test_wishes_need_a_data_set():
    with pytest.raises(ConfigError, match=r"users\[0\].profiles.*data set"):
        PlanView(experiment({"generate": 5})).profiles("agenda")


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({}, "either `generate` or `demographic`"),
        ({"generate": 1, "demographic": 1}, "either `generate` or `demographic`"),
        ({"demographic": 3, "hard": 1}, "remove `hard`"),
        ({"generate": "3"}, "generate"),
        ({"generate": 3, "hart": 1}, "hard"),
        (7, "profiles"),
    ],
)
def test_a_wrong_block_is_refused_by_name(block, told):
    with pytest.raises(ConfigError, match=told):
        experiment(block)


def test_the_command_writes_people_and_tells_what_they_cover(tmp_path, capsys):
    from mysteryshopper.cli.main import run

    out = tmp_path / "people.jsonl"
    assert run(["profiles", "--data", "films", "--count", "6", "--seed", "3", "--out", str(out)]) == 0
    assert "combinations of style" in capsys.readouterr().out
    assert [profile.id for profile in read_profiles(out)] == [f"person-000{number}" for number in range(1, 7)]
    assert run(["profiles", "--count", "2", "--out", str(out)]) == 1
    assert "already" in capsys.readouterr().err
    assert len(read_profiles(out)) == 6


def test_the_command_writes_demographic_people(tmp_path, capsys):
    from mysteryshopper.cli.main import run

    out = tmp_path / "people.jsonl"
    assert run(["profiles", "--demographic", "--count", "9", "--out", str(out)]) == 0
    assert "Mr. 3, Ms. 3, Mx. 3" in capsys.readouterr().out
    assert tuple(read_profiles(out)) == demographic_profiles(9)
