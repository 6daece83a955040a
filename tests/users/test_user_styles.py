"""Styles by their recorded names, whatever word a profile uses; and which users note what was asked for."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Profile
from mysteryshopper.profiles import STYLES
from mysteryshopper.prompts import Prompt
from mysteryshopper.users import USERS
from mysteryshopper.users.agenda import AgendaUser
from mysteryshopper.users.styles import TRAITS, requested, style_name, style_names, style_notes


def test_the_styles_are_those_that_can_be_asked_for():
    assert {trait: style_names(trait) for trait in TRAITS} == {
        "formality": ("formal", "neutral", "informal"),
        "sentiment": ("positive", "neutral", "negative"),
        "conciseness": ("concise", "moderate", "verbose"),
        "carelessness": ("careful", "hasty", "careless"),
    }


@pytest.mark.parametrize(
    ("trait", "word", "name"),
    [
        ("formality", "Casual", "informal"),
        ("conciseness", "terse", "concise"),
        ("conciseness", " chatty ", "verbose"),
        ("sentiment", "grumpy", "negative"),
        ("carelessness", "sloppy", "careless"),
        ("sentiment", "sloppy", None),
    ],
)
def test_other_words_mean_the_same(trait, word, name):
    assert style_name(trait, word) == name


def test_generated_people_are_asked_for_known_styles():
    for trait, words in STYLES.items():
        assert [style_name(trait, word) for word in words] == list(style_names(trait))


def test_a_strange_word_stays_and_an_empty_one_asks_nothing():
    assert requested({"formality": "like a sailor", "sentiment": " ", "conciseness": "short"}) == {
        "formality": "like a sailor",
        "conciseness": "concise",
    }
    assert style_notes({}) == {}


@given(st.dictionaries(st.sampled_from(TRAITS), st.text(max_size=20)))
def test_what_is_requested_is_requested_again(style):
    assert requested(requested(style)) == requested(style)


def test_every_style_has_a_definition_of_its_own():
    prompt = Prompt("mine", '{% import "users/styles" as styles %}\n{{ styles.means(trait, name) | trim }}')
    told = [prompt.render(trait=trait, name=name).text for trait in TRAITS for name in style_names(trait)]
    assert len(set(told)) == 12
    assert not any(text.startswith("Your ") for text in told)
    assert prompt.render(trait="formality", name="{{ 7 }}").text == "Your formality: {{ 7 }}."


async def test_users_that_honour_a_style_note_what_was_asked_for(talk):
    style = {"carelessness": "sloppy", "formality": "casual"}
    view = talk.view(profile=Profile("a", wish="a comedy", style=style))
    for name in ("single-prompt", "dual-prompt", "adaptsim", "ievalm", "cshi", "simple-usersim", "recusersim"):
        model = talk.model(*[json.dumps({"reply": "hi"})] * 3)
        user = USERS.load(name)(model)
        turn, _ = await user.speak(view, user.start(view.scenario, Random(1)))
        assert turn.notes["style"] == {"formality": "informal", "carelessness": "careless"}, name
        told = "".join(model.asked(number) for number in range(len(model.requests)))
        words = ("Informal:", "Careless:") if name == "adaptsim" else ("sloppy", "casual")
        assert all(word in told for word in words), name
    agenda = AgendaUser()
    turn, _ = await agenda.speak(view, agenda.start(view.scenario, Random(1)))
    assert turn.notes["style"] == {"formality": "informal", "carelessness": "careless"}


@pytest.mark.parametrize("name", ["ievalm-published", "target-free"])
async def test_users_that_are_told_no_style_note_none(talk, name):
    model = talk.model(*["hi"] * 3)
    user = USERS.load(name)(model)
    view = talk.view(profile=Profile("a", wish="a comedy", style={"carelessness": "sloppy"}))
    turn, _ = await user.speak(view, user.start(view.scenario, Random(1)))
    assert "style" not in turn.notes
    assert "sloppy" not in "".join(model.asked(number) for number in range(len(model.requests)))
