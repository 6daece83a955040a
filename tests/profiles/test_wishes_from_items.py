"""Wishes tell what a target is like, never what it is called."""

import gzip
import json
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Item
from mysteryshopper.profiles import wish_from_items

CLOCK = Item(
    "t1",
    "Salt Clock, The (2004)",
    attributes={
        "genre": ("Comedy", "Drama", "Western"),
        "star": ("Ann Lee", "Bo Reed", "Cy Tan"),
        "director": ("Di Wu", "The Salt Clock Company"),
        "writer": ("Ed Fox",),
    },
    aliases=("Saltuhr",),
)


def test_a_wish_is_about_the_item_and_in_its_attributes():
    profile = wish_from_items([CLOCK], Random(4), name="p1")
    assert profile.id == "p1"
    assert set(profile.attributes) <= set(CLOCK.attributes)
    assert "genre" in profile.attributes
    for name, values in profile.attributes.items():
        assert set(values) <= set(CLOCK.attributes[name])
        for value in values:
            assert value.casefold() in profile.wish.casefold()


def test_a_wish_is_seeded_and_has_several_wordings():
    wishes = [wish_from_items([CLOCK], Random(seed), name="p").wish for seed in range(60)]
    assert wishes == [wish_from_items([CLOCK], Random(seed), name="p").wish for seed in range(60)]
    assert len({wish.split(":")[0] for wish in wishes}) >= 4
    assert len(set(wishes)) > 20


@pytest.mark.parametrize("seed", range(40))
def test_a_value_that_holds_the_title_is_left_out(seed):
    item = Item("t", "Lantern", attributes={"genre": ("lanterns", "drama"), "director": ("Lantern Lou",)})
    profile = wish_from_items([item], Random(seed), name="p")
    assert profile.attributes == {"genre": ("drama",)}
    assert "lantern" not in profile.wish.casefold()


@pytest.mark.parametrize("title", ["Mood", "This", "I", "Tonight"])
def test_a_title_that_is_a_word_of_a_wording_is_avoided(title):
    item = Item("t", title, attributes={"genre": ("drama",)})
    for seed in range(20):
        wish = wish_from_items([item], Random(seed), name="p").wish
        assert title == "This" or not re.search(rf"\b{title}\b", wish, re.IGNORECASE)


def test_short_titles_leave_ordinary_values_alone():
    item = Item("t", "It", attributes={"genre": ("digital art",)})
    assert wish_from_items([item], Random(1), name="p").attributes == {"genre": ("digital art",)}


def test_other_targets_titles_are_kept_back_too():
    other = Item("t2", "Ann Lee", attributes={})
    for seed in range(30):
        assert "Ann Lee" not in wish_from_items([CLOCK, other], Random(seed), name="p").wish


def test_an_item_with_nothing_to_tell_gives_an_empty_wish():
    assert wish_from_items([Item("t", "Lantern")], Random(1), name="p").wish == ""
    with pytest.raises(ValueError, match="item"):
        wish_from_items([], Random(1), name="p")


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(1, 3))
def test_never_more_than_asked_for(seed, traits, values):
    profile = wish_from_items([CLOCK], Random(seed), name="p", traits=traits, values=values)
    assert len(profile.attributes) <= traits + 1
    assert all(1 <= len(said) <= values for said in profile.attributes.values())
    assert "salt" not in profile.wish.casefold()
    assert not re.search(r"[{}]|  |\n", profile.wish)


@pytest.mark.slow
def test_no_wish_for_a_real_film_names_it(shared_data):
    with gzip.open(shared_data("redial", "kg", "id2info.json.gz"), "rt", encoding="utf-8") as file:
        facts = json.load(file)
    found = 0
    for place, (number, one) in enumerate(facts.items()):
        attributes = {name: tuple(one.get(name) or ()) for name in ("genre", "star", "director", "writer")}
        title = one["name"]
        item = Item(number, title, attributes={name: said for name, said in attributes.items() if said})
        wish = wish_from_items([item], Random(place), name=number).wish
        bare = re.sub(r"\s*\(\d{4}\)\s*$", "", title).casefold()
        if len(bare) > 6:
            assert bare not in wish.casefold()
        found += bool(wish)
    assert found > 6_000
