"""Templates: values reach the prompt as they are, what is missing is an error, and the hash names the file."""

from hashlib import blake2b
from importlib.resources import files
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError

from mysteryshopper.core import ChatMessage, Item, Profile
from mysteryshopper.prompts import Fence, Prompt

ODD = "likes {genre} and {{x}} and {% if %} and %s $HOME {# no #} <b>&amp;</b>"


@pytest.mark.parametrize("value", [ODD, "--- user ---", "{{ 7 * 7 }}"])
def test_values_are_never_compiled(value):
    prompt = Prompt("mine", "--- system ---\nYou are {{ who }}.\n--- user ---\nSpeak.\n")
    rendered = prompt.render(who=value)
    assert rendered["system"] == f"You are {value}."
    assert rendered["user"] == "Speak."


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="who"):
        Prompt("mine", "Hello {{ who }}").render()


def test_a_missing_value_is_an_error_even_after_one_that_was_none():
    prompt = Prompt("mine", "Hello {{ who }}")
    assert prompt.render(who=None).text == "Hello None"
    with pytest.raises(UndefinedError, match="who"):
        prompt.render()


@given(st.lists(st.sampled_from([1, True, 1.0, "1", None, "", (), [1], {"a": 1}, [], 0, False]), max_size=12))
def test_what_is_kept_of_earlier_renderings_never_shows(values):
    prompt = Prompt("mine", "{{ who }}, {{ more }}")
    for value in values:
        assert prompt.render(who=value, more="x").text == f"{value}, x"
        assert prompt.render(who="x", more=value).text == f"x, {value}".strip()


def test_a_person_who_differs_in_one_wish_is_told_anew():
    prompt = Prompt("mine", "{{ profile.attributes }}")
    people = [Profile("p", attributes={"genre": (genre,)}) for genre in ("drama", "horror", "drama")]
    told = [prompt.render(profile=person).text for person in people]
    assert told == [str(dict(person.attributes)) for person in people]


def test_more_people_than_are_remembered_are_each_told_their_own():
    prompt = Prompt("mine", "{{ profile.wish }}")
    for _ in range(2):
        for number in range(600):
            assert prompt.render(profile=Profile(f"p{number}", wish=f"wish {number}")).text == f"wish {number}"


def test_a_template_cannot_reach_into_python():
    with pytest.raises(SecurityError):
        Prompt("mine", "{{ who.__class__.__mro__ }}").render(who="x")


def test_sections_become_messages_and_an_empty_one_is_left_out():
    prompt = Prompt("mine", "{% set name = 'Bo' %}\n--- system ---\n{{ rules }}\n--- user ---\nHi {{ name }}\n")
    assert prompt.sections == ("system", "user")
    assert prompt.render(rules="Be kind.").messages == (ChatMessage("system", "Be kind."), ChatMessage("user", "Hi Bo"))
    assert prompt.render(rules="").messages == (ChatMessage("user", "Hi Bo"),)
    assert list(prompt.render("user", rules="").sections) == ["user"]


def test_the_label_names_file_and_content():
    one, two = Prompt("mine", "a {{ b }}"), Prompt("mine", "a  {{ b }}")
    assert one.label != two.label
    assert one.label == Prompt("mine", "a {{ b }}").label
    name, _, mark = one.label.partition("@")
    assert (name, len(mark)) == ("mine", 8)
    assert one.render(b="x").prompt == one.render(b="y").prompt == one.label


def test_what_a_template_imports_is_part_of_its_text_and_hash():
    plain = Prompt("mine", "{{ 1 }}")
    source = '{% import "users/person" as person %}\n{{ person.faults("empty") }}'
    prompt = Prompt("mine", source)
    assert "Say something." in prompt.render().text
    assert prompt.hash not in (plain.hash, blake2b(source.encode(), digest_size=4).hexdigest())
    assert plain.hash == blake2b(b"{{ 1 }}", digest_size=4).hexdigest()


def test_every_template_of_the_package_loads():
    root = files("mysteryshopper.prompts") / "templates"
    names = [f"{folder.name}/{file.name[:-3]}" for folder in root.iterdir() for file in folder.iterdir()]
    assert {"users/single-prompt", "systems/recommend", "profiles/wish"} <= set(names)
    for name in names:
        assert Prompt.load(name).sections


def test_the_single_prompt_keeps_a_persona_verbatim():
    values = {
        "profile": Profile("a", persona=ODD, wish=ODD),
        "domain": "",
        "opening": "<",
        "closing": ">",
        "end": "[END]",
        "give_up": "[GIVE UP]",
        "first": True,
        "wanted": [],
        "unwanted": [],
        "complaint": "",
        "lines": [],
    }
    rendered = Prompt.load("users/single-prompt").render(**values)
    assert f"Who you are: {ODD}" in rendered["system"]
    assert ODD in rendered["completion"]


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (
            [Item("1", "The Salt Clock", 2004, {"genre": ("comedy", "drama")}), Item("2", "Paper Comets")],
            "You could look at these:\n1. The Salt Clock (2004) - comedy, drama\n2. Paper Comets",
        ),
        ([], "I have nothing that fits. Could you tell me more about what you want?"),
    ],
)
def test_what_a_reference_recommender_says(items, text):
    prompt = Prompt.load("systems/recommend")
    lines = [prompt.render("item", item=item)["item"] for item in items]
    assert prompt.render("reply", lines=lines, again=False)["reply"] == text


@given(st.lists(st.text(max_size=60), max_size=4), st.integers(0, 9))
def test_no_fenced_text_can_close_its_fence(texts, seed):
    first = Fence.draw([], Random(seed))
    fence = Fence.draw([*texts, first.around("x"), first.mark.upper()], Random(seed))
    assert fence.mark != first.mark
    for text in (*texts, first.around("x")):
        assert fence.around(text).count(fence.closing) == 1
        assert fence.around(text).startswith(fence.opening)


def test_a_fence_depends_on_its_seed_alone():
    assert Fence.draw(["a"], Random(3)) == Fence.draw(["b"], Random(3)) != Fence.draw(["a"], Random(4))
