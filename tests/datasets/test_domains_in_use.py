"""Domains in experiments: made people with fitting wishes, agenda users, reference systems and the rules judge."""

import re

import pytest

from mysteryshopper import Experiment, arun
from mysteryshopper.core import ConfigError
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.experiment.view import PlanView
from mysteryshopper.items import fold_value
from mysteryshopper.profiles import MadeProfiles, generate_profiles, talk_profiles, wanted_noun

WITH_ITEMS = ("beauty", "food", "shop")


def experiment(name, people, **more):
    return Experiment(
        protocol="conversation",
        seed=3,
        users=[{"kind": "agenda", "profiles": {"generate": people}}],
        systems=[{"kind": "lexical"}, {"kind": "attribute-asker"}, {"kind": "random"}],
        data={"name": name},
        **more,
    )


@pytest.mark.parametrize("name", WITH_ITEMS)
async def test_users_are_served_in_every_domain(name, tmp_path):
    ran = await arun(experiment(name, 12, judges=[{"kind": "rules"}]), tmp_path / "run")
    rows = ran.table("dialogues").to_pylist()
    assert {row["fault"] for row in rows} == {"none"}
    won = {
        system: sum(bool(row["success"]) for row in rows if row["system"] == system)
        for system in ("lexical", "attribute-asker", "random")
    }
    assert min(won["lexical"], won["attribute-asker"]) >= 10
    assert won["random"] < min(won["lexical"], won["attribute-asker"])
    verdicts = [row for row in ran.table("verdicts").to_pylist() if row["criterion"] == "constraints_met"]
    assert len({row["dialogue"] for row in verdicts if row["value"] is not None} - {""}) == len(rows)


@pytest.mark.parametrize("name", WITH_ITEMS)
def test_wishes_are_in_the_words_of_the_domain_and_can_be_met(name):
    data = load(DataBlock(name=name))
    domain = data.described
    made = generate_profiles(data.catalog(), 120, 5, noun=wanted_noun(data), domain=domain).profiles
    for profile in made:
        assert "{" not in profile.wish
        assert "whose kind is" not in profile.wish
        assert not re.search(r"\b[Aa] [aeiou]", profile.wish), profile.wish
        assert re.search(rf"\b{domain.noun}\b", profile.wish)
        told = fold_value(profile.wish)
        for values in (*profile.attributes.values(), *profile.prefers.values()):
            assert all(fold_value(value) in told for value in values), profile.wish
        fitting = [
            item
            for item in data.items()
            if all(set(values) & set(item.attributes.get(key, ())) for key, values in profile.attributes.items())
            and item.title not in profile.seen
        ]
        assert len(fitting) >= 2
        for key, values in profile.attributes.items():
            assert len(values) == 1 or domain.attributes[key].either
    assert all(any(key in profile.attributes for profile in made) for key in domain.attributes)


def test_people_have_basic_domain_and_context_information():
    data = load(DataBlock(name="food"))
    made = generate_profiles(data.catalog(), 40, 5, noun="place", domain=data.described).profiles
    for profile in made:
        assert profile.notes["domain"] in data.described.habits
        assert profile.notes["context"] in data.described.contexts
        basic = profile.notes["basic"].rstrip(".")
        assert profile.persona == f"{basic}, and {profile.notes['domain']}. {profile.notes['context']}"
    counts = [sum(profile.notes["context"] == context for profile in made) for context in data.described.contexts]
    assert counts == [4] * 10
    again = generate_profiles(data.catalog(), 60, 5, noun="place", domain=data.described).profiles
    assert again[:40] == made
    assert generate_profiles(data.catalog(), 40, 6, noun="place", domain=data.described).profiles != made


def test_people_who_only_want_to_talk():
    domain = load(DataBlock(name="chitchat")).described
    made = talk_profiles(domain, 30, 2)
    assert {profile.attributes["topic"][0] for profile in made} == set(domain.attributes["topic"].values)
    assert all(profile.attributes["topic"][0] in profile.wish for profile in made)
    assert talk_profiles(domain, 10, 2) == made[:10]
    assert talk_profiles(domain, 10, 2, settings=MadeProfiles(generate=10, hard=3)) == made[:10]
    with pytest.raises(ConfigError, match="remove `hidden`"):  # it would do nothing
        talk_profiles(domain, 10, 2, settings=MadeProfiles(generate=10, hidden=0))
    view = PlanView(experiment("chitchat", 30))
    assert tuple(view.profiles("agenda")) == talk_profiles(domain, 30, 3)


async def test_a_dialogue_speaks_the_language_of_the_domain(tmp_path):
    ran = await arun(experiment("food", 25), tmp_path / "run")
    said = " ".join(row["text"] for row in ran.table("turns").to_pylist())
    assert "What kind of cooking do you feel like?" in said
    assert not re.search(r"\b(?:film|movie|popcorn|genre)s?\b", said)
    assert any(context.rstrip(".").casefold() in said.casefold() for context in load_contexts())


def load_contexts():
    return load(DataBlock(name="food")).described.contexts
