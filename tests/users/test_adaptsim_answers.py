"""The structured reply of adaptsim: JSON or labelled lines are read, and nothing is guessed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ChatReply
from mysteryshopper.prompts import Prompt
from mysteryshopper.users.adaptsim.answering import ACTIONS, read_answer, reply_schema


def read(text, choices=(), **more):
    return read_answer(ChatReply(text, **more), choices)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"thought": "too dear", "action": "ask for less", "reply": "anything cheaper?"}', "ok"),
        ('```json\n{"thought": "too dear", "action": "ask for less", "reply": "anything cheaper?"}\n```', "ok"),
        ("{'thought': 'too dear', 'action': 'ask for less', 'reply': 'anything cheaper?',}", "repaired"),
        (
            '<think>{"reply": "no"}</think>{"thought":"too dear","action":"ask for less","reply":"anything cheaper?"}',
            "ok",
        ),
        ("Thought: too dear\nAction: ask for less\nReply: anything cheaper?", "repaired"),
        ("Here it is.\n\n**Thought:** too dear\n**Action:** ask for less\n**Reply:** anything cheaper?", "repaired"),
        ('- thought: too dear\n- ACTION: ask for less\n- Reply: "anything cheaper?"', "repaired"),
    ],
)
def test_json_and_labelled_lines_say_the_same(text, status):
    reading = read(text)
    assert (reading.status, reading.raw) == (status, text)
    assert reading.value.model_dump() == {
        "thought": "too dear",
        "action": "ask for less",
        "reply": "anything cheaper?",
    }


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("I should be brief. anything cheaper?", "invalid"),  # what is thought can't be told from what is said
        ("Thought: too dear\nAction: ask for less", "invalid"),
        ("Reply: anything cheaper?\nReply: or smaller?", "ambiguous"),
        ('{"thought": "too dear", "action": "ask", "reply": 5}', "invalid"),
        ('{"thought": "too dear", "action": "ask", "reply": "any', "truncated"),
        ("I'm sorry, but I can't pretend to be a person.", "refused"),
        ("", "empty"),
        (None, "empty"),
        ("<think>hm, Reply: yes", "truncated"),
    ],
)
def test_what_cannot_be_read_has_no_value(text, status):
    reading = read(text)
    assert (reading.status, reading.value) == (status, None)


def test_a_cut_or_filtered_reply_has_no_value_even_if_it_looks_whole():
    whole = '{"reply": "hello"}'
    assert read(whole, finish="length").status == "truncated"
    assert read("Reply: hello", finish="length").status == "truncated"
    assert read(whole, finish="content_filter").status == "refused"


def test_a_reply_alone_is_enough_and_brackets_in_it_are_no_json():
    assert read('{"reply": "hi"}').value.model_dump() == {"thought": None, "action": "", "reply": "hi"}
    assert read("Reply: fine [so far :(").value.reply == "fine [so far :("
    assert read("Reply: one\n\ntwo").value.reply == "one\n\ntwo"


@pytest.mark.parametrize(
    ("action", "read_as", "status"),
    [
        ("reject", "reject", "ok"),
        ("**Reject**", "reject", "ok"),
        ("Reject: too loud", "reject", "ok"),
        ("don't accept it", None, "ambiguous"),
        ("accept or reject", None, "ambiguous"),
        ("a", None, "invalid"),
        ("haggle", None, "invalid"),
        (None, None, "invalid"),
    ],
)
def test_a_closed_list_takes_its_own_words_alone(action, read_as, status):
    reading = read(json.dumps({"thought": "", "action": action, "reply": "no"}), ACTIONS)
    assert reading.status == status
    assert (reading.value.action if reading.value else None) == read_as
    assert read(json.dumps({"action": action, "reply": "no"})).readable  # an open list takes any


@given(st.text(max_size=200), st.sampled_from([(), ACTIONS]))
def test_no_reply_is_too_strange_to_be_read(text, choices):
    reading = read(text, choices)
    assert reading.readable == (reading.value is not None)


@given(st.text(min_size=1, max_size=60), st.text(max_size=60))
def test_what_was_written_as_json_comes_back(reply, thought):
    value = read(json.dumps({"thought": thought, "action": "talk", "reply": reply})).value
    assert (value.reply, value.thought) == (reply, thought)


def test_the_schema_is_closed_and_asks_for_what_the_options_ask():
    open_ = reply_schema(think=True, choices=(), short=False)
    assert list(open_["properties"]) == open_["required"] == ["thought", "action", "reply"]
    assert open_["additionalProperties"] is False
    assert all(key == {"type": "string"} for key in open_["properties"].values())
    fixed = reply_schema(think=False, choices=ACTIONS, short=True)
    assert fixed["required"] == ["action", "reply"]
    assert fixed["properties"]["action"]["enum"] == list(ACTIONS)
    assert fixed["properties"]["reply"]["maxLength"] > 0


def test_every_action_of_the_list_is_explained():
    macros = '{% import "users/actions" as actions %}\n{{ actions.explained(name) | trim }}'
    told = [Prompt("mine", macros).render(name=name).text for name in ACTIONS]
    assert all(told)
    assert len(set(told)) == len(ACTIONS)
    assert Prompt("mine", macros).render(name="haggle").text == ""
