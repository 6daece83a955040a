"""People written by a model: wishes as made, texts kept apart, and what is no better the second time left as made."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ConfigError
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.profiles import generate_profiles, wanted_noun, write_profiles
from mysteryshopper.profiles.alike import Alike
from mysteryshopper.testing import ScriptedModel


@pytest.fixture(scope="module")
def food():
    return load(DataBlock(name="food"))


def needs(request):
    """Return the values that the prompt asks for."""
    line = re.search(r"What they need: (.*)\.", request.messages[-1].content)[1]
    return re.sub(r"[\w ]+: ", "", line).replace("; ", ", ")


def person(number, wish):
    words = f"baker{number} from street{number} with cat{number} and lamp{number} likes soup{number} of town{number}"
    return json.dumps({"basic": words, "domain": f"eats{number}.", "context": f"hungry{number}.", "wish": wish})


def good(request, address):
    return person(address.path, f"I want somewhere with {needs(request)}.")


def made(food, count=6):
    return generate_profiles(food.catalog(), count, 4, noun=wanted_noun(food), domain=food.described).profiles


async def test_the_model_words_wishes_that_are_made_without_it(food):
    model = ScriptedModel(good)
    found = await write_profiles(model, food, 6, 4)
    assert (found.calls, found.asked_again, found.fallen_back) == (6, 0, ())
    for profile, skeleton in zip(found.profiles, made(food), strict=True):
        assert profile.attributes == skeleton.attributes
        assert (profile.style, profile.patience, profile.hidden) == (skeleton.style, skeleton.patience, skeleton.hidden)
        assert profile.wish.startswith("I want somewhere with ")
        assert profile.persona == " ".join(profile.notes[part] for part in ("basic", "domain", "context"))
        assert profile.notes["written_by"].startswith("profiles/written@")
    assert "harbour town" in model.requests[0][0].messages[-1].content
    assert len({str(address) for _, address in model.requests}) == 6


async def test_equal_seeds_give_equal_people_and_more_only_adds(food):
    few = await write_profiles(ScriptedModel(good), food, 4, 4, at_once=1)
    many = await write_profiles(ScriptedModel(good), food, 7, 4, at_once=16)
    assert many.profiles[:4] == few.profiles


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (lambda request: "Sure, here is somebody.", "unread"),
        (lambda request: person(77, "I want something nice."), "incomplete"),
        (lambda request: person(77, f"I want {needs(request)}, as at The Salted Plum."), "title"),
        (lambda request: person(1, f"I want {needs(request)}."), "alike"),
    ],
)
async def test_a_text_that_will_not_do_is_asked_for_once_more(food, first, reason):
    def reply(request, address):
        return first(request) if address.path == "2" and not address.attempt else good(request, address)

    model = ScriptedModel(reply)
    found = await write_profiles(model, food, 3, 4)
    assert (found.reasons, found.calls, found.fallen_back) == ((reason,), 4, ())
    assert [address.attempt for _, address in model.requests] == [0, 0, 0, 1]
    again = model.requests[-1][0].messages[-1].content
    assert "could not be used" in again
    assert "baker1" in again
    assert "could not be used" not in model.requests[0][0].messages[-1].content


async def test_who_is_no_better_the_second_time_stays_as_made(food):
    found = await write_profiles(ScriptedModel(lambda request, address: "no"), food, 3, 4)
    assert found.fallen_back == ("person-0001", "person-0002", "person-0003")
    assert found.profiles == made(food, 3)


async def test_it_needs_a_page_and_a_model_that_follows_instructions(food, tmp_path):
    with pytest.raises(ConfigError, match="raw text"):
        await write_profiles(ScriptedModel(good, form="completion"), food, 2)
    (tmp_path / "items.jsonl").write_text('{"id": "1", "title": "One", "hue": "red"}\n', "utf-8")
    with pytest.raises(ConfigError, match="says nothing of its domain"):
        await write_profiles(ScriptedModel(good), load(DataBlock(path=str(tmp_path))), 2)


RED, BLUE = [("hue", "red")], [("hue", "blue")]


def test_people_are_alike_by_words_and_wishes():
    seen = Alike()
    seen.add("Anna bakes bread before dawn, every single morning.", RED)
    assert seen.holds("ANNA bakes  bread before dawn every single morning", BLUE)
    half = "Anna bakes bread before dinner, every other Friday."  # 5 words of 11 in common
    assert not seen.holds(half, RED)
    most = "Anna bakes bread before dawn, every other morning."  # 7 of 9 in common
    assert seen.holds(most, RED)
    assert not seen.holds(most, BLUE)


@given(st.text(max_size=80), st.text(max_size=80))
def test_everybody_is_like_themselves(one, other):
    seen = Alike()
    seen.add(one, RED)
    seen.add(other, BLUE)
    assert seen.holds(one, BLUE)
    assert seen.holds(other, RED)
