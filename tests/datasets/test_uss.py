"""USS: ratings go to the system's message they answer for, the last turn rates the whole, mistakes are named."""

import json
from collections import Counter

import pytest

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import DataBlock, load


def turn(role, text, *ratings):
    return {"role": role, "text": text, "action": "", "sat": list(ratings)}


TALK = {
    "dialog_id": "ReDial_0",
    "turns": [
        turn("USER", "Hello!", 3, 3, 4),
        turn("SYSTEM", "Hi."),
        turn("SYSTEM", "Have you seen Oak?"),
        turn("USER", "No,", 2, 3, 4),
        turn("USER", "not yet.", 5, 5, 5),
        turn("SYSTEM", "Brine, then?"),
        turn("USER", "OVERALL", 4, 4, 5),
    ],
}


@pytest.fixture
def folder(write):
    write("uss/sgd.jsonl", json.dumps({**TALK, "dialog_id": "SGD_0"}) + "\n")
    return write("uss/redial.jsonl", json.dumps(TALK) + "\n").parent


def opened(folder, **block):
    return load(DataBlock(name="uss", path=str(folder), **block))


def test_ratings_lie_with_what_the_user_had_just_got_and_the_last_turn_rates_the_whole(folder):
    (talk,) = opened(folder).dialogues()
    assert [message.text for message in talk.messages][-1] == "Brine, then?"
    assert talk.votes == {"satisfaction": (4.0, 4.0, 5.0)}
    assert talk.labels == {"satisfaction": pytest.approx(13 / 3)}
    # the first user turn answers for nothing, and of a run of user turns the first one counts
    assert talk.message_votes == ({}, {}, {"satisfaction": (2.0, 3.0, 4.0)}, {}, {}, {})
    assert talk.message_labels[2] == {"satisfaction": 3.0}
    assert (talk.part, talk.system) == ("redial", "")


def test_parts_are_splits_and_only_those_about_films_have_items(folder):
    assert [talk.id for talk in opened(folder, split="sgd").dialogues()] == ["SGD_0"]
    assert opened(folder).domain == "movies"
    assert opened(folder, split="sgd").domain == ""
    with pytest.raises(ConfigError, match="uss has no items"):
        opened(folder, split="sgd").items()
    with pytest.raises(DataError, match="sunnweiwei/user-satisfaction-simulation"):
        opened(folder, split="mwoz").dialogues()


@pytest.mark.parametrize(
    ("turns", "problem"),
    [
        ([turn("USER", "Hi.", 6)], r"sgd\.jsonl:1: expected ratings from 1 to 5 in 'sat', got \[6\]"),
        ([turn("USER", "Hi.", "4")], "expected ratings from 1 to 5"),
        ([turn("BOT", "Hi.")], "expected turns of USER or SYSTEM"),
        ([turn("USER", "OVERALL", 4)], "expected a list of turns in 'turns' of 'x', got none"),
    ],
)
def test_a_broken_line_is_named(folder, write, turns, problem):
    write("uss/sgd.jsonl", json.dumps({"dialog_id": "x", "turns": turns}) + "\n")
    with pytest.raises(DataError, match=problem):
        opened(folder, split="sgd").dialogues()


def test_the_real_dialogues(shared_data, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("uss", "redial.jsonl.gz").parent.parent))
    found = load(DataBlock(name="uss", split="all")).dialogues()
    assert Counter(talk.part for talk in found) == {"redial": 1000, "mwoz": 1000, "sgd": 1000, "ccpe": 500}
    assert all(len(talk.votes["satisfaction"]) >= 3 for talk in found)
    assert not any(message.text == "OVERALL" for talk in found for message in talk.messages)
    for talk in found:
        assert all(
            message.role == "assistant"
            for message, votes in zip(talk.messages, talk.message_votes, strict=True)
            if votes
        )
