"""`ievalm`, `cshi` and `recusersim` in every domain: told its words, and no film where none is looked for."""

import re
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from mysteryshopper.core import Scenario, Shown
from mysteryshopper.datasets import DataBlock, load, packaged_domains
from mysteryshopper.profiles import generate_profiles, wanted_noun
from mysteryshopper.users import USERS
from mysteryshopper.users.cshi import CSHIOptions
from mysteryshopper.users.field import Field

KINDS = ("ievalm", "cshi", "recusersim")
FILMS = re.compile(r"\b(?:films?|movies?|actors?|directed|genres?)\b", re.IGNORECASE)
OWN = """
name: plants
field: plants for dark rooms
nouns: [plant]
description: People whose rooms get little light.
attributes:
  water:
    about: How often it must be watered.
    post: ["that needs water {v}"]
    same: {seldom: [once a month]}
  size: {about: How tall it gets., post: ["of {v} size"]}
"""
ITEMS = (
    '{"id": "a", "title": "Iron Leaf", "water": ["seldom"], "size": ["small"]}\n'
    '{"id": "b", "title": "Moss King", "water": ["often"], "size": ["tall"]}\n'
)


def parts_of(model, dataset):
    return SimpleNamespace(model=lambda: model, dataset=lambda: dataset, has_dataset=dataset is not None)


def everything_asked(model):
    return "\n".join(model.asked(number) for number in range(len(model.requests)))


@cache
def domain_and_person(name):
    dataset = load(DataBlock(name=name))
    made = generate_profiles(dataset.catalog(), 1, 3, noun=wanted_noun(dataset), domain=dataset.described)
    return dataset, made.profiles[0]


@pytest.mark.parametrize("form", ["chat", "completion"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("domain", [name for name in packaged_domains() if name != "chitchat"])
async def test_in_each_domain_the_prompts_speak_of_its_things(talk, domain, kind, form):
    dataset, person = domain_and_person(domain)
    described = dataset.described
    model = talk.model(*["3", "answer", "words"] * 4, form=form)
    user_kind = USERS.load(kind)
    user = user_kind.build(user_kind.options(), parts_of(model, dataset))
    scenario = Scenario("s", person, dataset.domain)
    state = user.start(scenario, Random(1))
    opening = talk.view(profile=person)
    opening = type(opening)(scenario, opening.history)
    _, state = await user.speak(opening, state)
    item = next(iter(dataset.items()))
    shown = [Shown(type(talk.road)(item.id, item.title), False)]
    after = talk.view(talk.said("hi"), talk.heard("what about it?", shown[0].item), shown=shown, turn=2)
    await user.speak(type(after)(scenario, after.history, after.shown, 2), state)
    asked = everything_asked(model)
    if form == "chat":
        assert described.noun in asked
        for name, attribute in described.attributes.items():
            assert f"- {name}: {attribute.about.rstrip('.')}" in asked
    if domain != "films":
        told = asked.replace(person.persona, "").replace(item.title, "")
        assert not FILMS.search(told), FILMS.search(told)


def test_a_folder_of_ones_own_brings_its_words(tmp_path, talk):
    folder = tmp_path / "plants"
    folder.mkdir()
    (folder / "domain.yaml").write_text(OWN)
    (folder / "items.jsonl").write_text(ITEMS)
    dataset = load(DataBlock(path=str(folder)), tmp_path)
    field = Field.of(parts_of(None, dataset))
    assert (field.noun, field.main) == ("plant", "water")
    facts = {"water": ["seldom"], "size": ["small"]}
    assert field.named("Water it once a month.", facts) == {"water": ("seldom",)}
    assert field.named("It is smallish, and unseldom", facts) == {}


async def test_cshi_keeps_all_values_of_the_attribute_that_is_told_first(talk):
    kind = USERS.load("cshi")
    food = kind.build(CSHIOptions(known=9), parts_of(talk.model(), load(DataBlock(name="food"))))
    person = type(talk.view().scenario.profile)(
        "p", attributes={"cuisine": ("Thai", "Korean"), "area": ("Mill Lane", "Canal Side")}
    )
    state = food.start(Scenario("s", person), Random(1))
    assert state["known"] == {"cuisine": ["Thai", "Korean"], "area": ["Mill Lane"]}


def test_without_a_described_domain_nothing_is_claimed(talk):
    assert Field.of(parts_of(None, None)) == Field()


@pytest.mark.parametrize("kind", ["adaptsim", "single-prompt"])
@pytest.mark.parametrize(("domain", "recommends"), [("chitchat", False), ("food", True)])
async def test_who_came_to_talk_is_asked_afterwards_how_the_talk_was(talk, kind, domain, recommends):
    model = talk.model("4")
    parts = parts_of(model, load(DataBlock(name=domain)))
    parts.folder = Path()
    user_kind = USERS.load(kind)
    user = user_kind.build(user_kind.options(), parts)
    seen = talk.view(talk.said("we got a goat"), talk.heard("A goat! Whatever for?"), turn=2)
    answer = await user.rate(seen, user.start(seen.scenario, Random(1)))
    assert answer.value == 4
    assert ("recommender" in model.asked(0).casefold()) is recommends
