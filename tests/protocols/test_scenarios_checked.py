"""Wishes that nothing could meet are found when the experiment is planned; replayed people keep their targets."""

import json

import pytest

from mysteryshopper.core import ConfigError, rng
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.view import PlanView
from mysteryshopper.protocols.scenarios import Scenarios

ITEMS = "id,title,year,genre,director\n1,Lantern Road,1998,comedy,Ada Bell\n2,Nine Winters,1987,war,Tom Ash\n"


def experiment(folder, *profiles, data="items.csv"):
    (folder / "items.csv").write_text(ITEMS)
    (folder / "people.jsonl").write_text("".join(json.dumps(profile) + "\n" for profile in profiles))
    content = {
        "protocol": "conversation",
        "users": [{"name": "guest", "kind": "scripted", "profiles": "people.jsonl"}],
        "systems": [{"name": "shop", "kind": "http", "url": "http://127.0.0.1:9/reply"}],
        **({"data": {"path": data}} if data else {}),
    }
    return Experiment.from_dict(content, folder)


@pytest.mark.parametrize("key", ["attributes", "prefers"])
def test_an_attribute_that_no_item_has_is_named_with_its_neighbour(tmp_path, key):
    made = experiment(tmp_path, {"id": "a", "attributes": {"genre": ["war"]}}, {"id": "b", key: {"directors": ["Ada"]}})
    with pytest.raises(ConfigError) as error:
        make_plan(made)
    said = str(error.value)
    assert said.startswith("users.guest.profiles: the profile 'b' wishes for")
    assert "did you mean 'director'?" in said


def test_attributes_are_not_looked_up_without_a_catalogue(tmp_path):
    assert make_plan(experiment(tmp_path, {"id": "b", "attributes": {"mood": ["slow"]}}, data=None)).units == 1


def test_targets_in_the_notes_are_wanted_and_not_seen(tmp_path):
    notes = {"targets": ["2"], "from": "an older run"}
    made = experiment(tmp_path, {"id": "a", "attributes": {"genre": ["war"]}, "notes": notes})
    scenario, goal = Scenarios(PlanView(made)).make("guest", "a", rng(1))
    assert [target.title for target in goal.targets] == ["Nine Winters"]
    assert goal.constraints == {}
    assert scenario.profile.notes == {"from": "an older run"}
    assert scenario.profile.attributes == {"genre": ("war",)}


def test_targets_that_the_data_does_not_hold_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"wants the item '7', which the data set '.*' does not hold"):
        make_plan(experiment(tmp_path, {"id": "a", "notes": {"targets": ["7"]}}))
    with pytest.raises(ConfigError, match="needs the data set that holds them"):
        make_plan(experiment(tmp_path, {"id": "a", "notes": {"targets": ["1"]}}, data=None))
