"""The raw release of ReDial: mentions, questionnaires, dialogues kept as they were."""

import json

import pytest

from mysteryshopper.core import DataError, ItemRef
from mysteryshopper.datasets.redial import fill_mentions, read_dialogue
from mysteryshopper.datasets.rows import read_rows


def test_only_whole_ids_are_replaced_and_unresolved_ones_reported():
    titles = {"123": "A (1990)", "1234": "B (1991)"}
    text, mentioned, unresolved = fill_mentions("@123 beats @1234 and @999", titles)
    assert text == "A (1990) beats B (1991) and @999"
    assert (mentioned, unresolved) == (["123", "1234", "999"], ["999"])


def test_text_with_backslashes_and_at_signs_is_left_alone():
    assert fill_mentions(r"a\1 @ @me 7@12", {"12": r"C\1"})[0] == r"a\1 @ @me 7C\1"


def read(write, **changes):
    dialogue = {
        "conversationId": "391",
        "initiatorWorkerId": 7,
        "respondentWorkerId": 9,
        "movieMentions": {"11": "Low Tide  (1990)", "12": "Brine ", "13": None},
        "initiatorQuestions": {"11": {"suggested": 1, "seen": 2, "liked": 0}},
        "respondentQuestions": [],
        "messages": [
            {"text": "Hello", "senderWorkerId": 9, "timeOffset": 0, "messageId": 1},
            {"text": "Try @11", "senderWorkerId": 9, "timeOffset": 3, "messageId": 2},
            {"text": "or @12? @13 @14", "senderWorkerId": 7, "timeOffset": 5, "messageId": 3},
        ],
        **changes,
    }
    path = write("raw.jsonl", json.dumps(dialogue) + "\n")
    return read_dialogue(path, next(iter(read_rows(path))), {"Low Tide (1990)": ItemRef("0", "Low Tide", 1990)})


def test_a_dialogue_is_kept_as_it_was(write):
    dialogue = read(write)
    assert [(message.role, message.text) for message in dialogue.messages] == [
        ("assistant", "Hello"),
        ("assistant", "Try Low Tide (1990)"),
        ("user", "or Brine? @13 @14"),
    ]
    assert [message.items for message in dialogue.messages] == [
        (),
        (ItemRef("0", "Low Tide", 1990),),
        (ItemRef(None, "Brine"),),
    ]
    assert dialogue.unresolved == ("13", "14")


def test_an_empty_questionnaire_is_a_list_and_two_means_not_said(write):
    opinions = read(write).opinions
    assert opinions["assistant"] == ()
    (opinion,) = opinions["user"]
    assert (opinion.item.id, opinion.suggested, opinion.seen, opinion.liked) == ("0", True, None, False)
    assert read(write, initiatorQuestions={}).opinions["user"] == ()
    assert read(write, movieMentions=[]).unresolved == ("11", "12", "13", "14")


def test_another_form_names_file_and_line(write):
    with pytest.raises(DataError, match=r"raw\.jsonl:1: expected messages with 'text' and 'senderWorkerId'"):
        read(write, messages=[{"text": "Hello"}])


def test_the_whole_official_test_set(real_data, opened):
    dialogues = opened("redial").dialogues("test")
    assert len(dialogues) == len({dialogue.id for dialogue in dialogues}) == 1342
    messages = [message for dialogue in dialogues for message in dialogue.messages]
    assert len(messages) == 23952
    assert not any(dialogue.unresolved for dialogue in dialogues)
    assert sum(not dialogue.opinions["user"] for dialogue in dialogues) == 11
    assert sum(not dialogue.opinions["assistant"] for dialogue in dialogues) == 20
    assert sum(dialogue.messages[0].role == "user" for dialogue in dialogues) == 451
    linked = [item.id is not None for message in messages for item in message.items]
    assert (sum(linked), len(linked)) == (8493, 8521)
    assert not any("  (" in item.title for message in messages for item in message.items)


def test_the_sample_of_the_training_set(real_data, opened):
    dialogues = opened("redial").dialogues("train")
    assert (len(dialogues), sum(len(dialogue.messages) for dialogue in dialogues)) == (901, 16397)
