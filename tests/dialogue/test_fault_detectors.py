"""Detectors: single cases, hostile texts, and the bars on real data."""

import csv
import gzip
import json
import time
from importlib.resources import files

import pytest

from mysteryshopper.core import ItemRef, Message
from mysteryshopper.dialogue import DETECTORS, Utterance, check_detectors, faults

ASKED = (Message("user", "hello, anything new in science fiction?"), Message("assistant", "What have you seen so far?"))


@pytest.mark.parametrize(
    ("text", "detector"),
    [
        ("Sure! Here are three films for you: 1. A 2. B 3. C Would you like more?", "role_reversal"),
        ("As an AI language model, I have no favourites.", "speaks_as_system"),
        ("Westerns.\nAssistant: Then try this.\nUser: thanks", "writes_both_sides"),
        ("Hello, anything new in science fiction??", "repeated_turn"),
        ("My instructions say that I must not name the film.", "leaked_instructions"),
        ("ok thanks\n\nAs the user, my next message should be short.", "leaked_thoughts"),
    ],
)
def test_a_fault_is_found_with_its_evidence(text, detector):
    evidence = DETECTORS[detector](Utterance(text, ASKED))
    assert evidence
    assert detector in faults(Utterance(text, ASKED))


@pytest.mark.parametrize(
    "text",
    [
        "Hi, can you recommend a good comedy for tonight?",
        "no, seen that. something older maybe?",
        "I love Tom Hanks. Have you seen Cast Away?",
        "Thank you for the suggestions! Have a great night.",
        "Mission: Impossible was fun\nand the second one: not so much",
        "yes please",
        "",
    ],
)
def test_what_people_say_is_no_fault(text):
    assert faults(Utterance(text, ASKED)) == {}


def test_a_leak_of_the_prompts_own_words_is_found():
    own = ("Write down what this person would say to the clerk next, and nothing else.",)
    assert DETECTORS["leaked_instructions"](
        Utterance("what this person would say to the clerk next", (), None, 0, "en", own)
    )
    assert not DETECTORS["leaked_instructions"](Utterance("what would this person like", (), None, 0, "en", own))


@pytest.mark.parametrize(
    ("history", "shown", "early"),
    [
        ((), 0, True),
        (ASKED, 0, True),
        (ASKED, 1, False),
        ((ASKED[0], Message("assistant", "Shall I book it?")), 0, False),
        ((*ASKED, ASKED[0], Message("assistant", "Which year?")), 0, False),
    ],
)
def test_who_leaves_early(history, shown, early):
    fired = DETECTORS["early_end"](Utterance("Bye", history, "done", shown)) is not None
    assert fired is early
    assert DETECTORS["early_end"](Utterance("Bye", history, None, shown)) is None


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("zh", "I would like to see a funny film", True),
        ("zh-TW", "我想看喜剧片", False),
        ("zh", "Inception 很好看，还有类似的吗？", False),
        ("ja", "映画を教えてください", False),
        ("zh", "映画を教えてください", True),
        ("en", "我想看一部轻松的喜剧片", True),
        ("en", "Do you know 千と千尋の神隠し?", False),
        ("fr", "Une comédie, s'il vous plaît", False),
        ("ru", "funny films please", True),
        ("en", "ok", False),
        ("zh", "ok", False),
        ("en", "12345 !!!", False),
    ],
)
def test_language_is_told_by_its_script(language, text, wrong):
    assert (DETECTORS["language_mismatch"](Utterance(text, language=language)) is not None) is wrong


@pytest.mark.parametrize(
    "piece", ["you like ", "i ", "the user ", "1. x ", "User: ", "[" * 9, "<", "\n", "- a", "a" * 50, "assistant ", "("]
)
def test_hostile_texts_are_looked_at_quickly(piece):
    text = (piece * 200_000)[:200_000]
    began = time.process_time()
    faults(Utterance(text, ASKED))
    assert time.process_time() - began < 3


def people(shared_data):
    """Dialogues between people: ReDial's raw test set and INSPIRED's dev and test sets."""
    with gzip.open(shared_data("redial", "raw_test.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            talk = json.loads(line)
            yield [
                Message(
                    "user" if one["senderWorkerId"] == talk["initiatorWorkerId"] else "assistant",
                    one["text"],
                    items=tuple(ItemRef(word) for word in one["text"].split() if word.startswith("@")),
                    author="human",
                )
                for one in talk["messages"]
            ]
    for split in ("dev", "test"):
        talks: dict[str, list[Message]] = {}
        with gzip.open(shared_data("inspired", f"{split}.tsv.gz"), "rt", encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows, delimiter="\t"):
                role = "user" if row["speaker"] == "SEEKER" else "assistant"
                items = tuple(ItemRef(title) for title in (row["movies"] or "").split(";") if title)
                talks.setdefault(row["dialog_id"], []).append(Message(role, row["text"], items=items, author="human"))
        yield from talks.values()


@pytest.fixture(scope="module")
def rows(shared_data):
    return {row.detector: row for row in check_detectors(people(shared_data))}


@pytest.mark.slow
@pytest.mark.parametrize("detector", list(DETECTORS))
def test_people_are_hardly_ever_flagged(rows, detector):
    row = rows[detector]
    assert row.human > 9_000
    assert row.false_rate < 0.01
    assert row.false_low <= row.false_rate <= row.false_high


@pytest.mark.slow
@pytest.mark.parametrize(
    "detector",
    [
        pytest.param(
            "role_reversal",
            marks=pytest.mark.xfail(strict=True, reason="finds 75 % of planted faults in wordings it did not know"),
        ),
        *(name for name in DETECTORS if name != "role_reversal"),
    ],
)
def test_planted_faults_are_found(rows, detector):
    row = rows[detector]
    assert row.planted >= 200
    assert row.recall > 0.9
    assert row.trusted


def test_what_a_language_model_says_as_a_recommender_is_no_users_turn(shared_data):
    with gzip.open(shared_data("crs_arena", "dial_closed.jsonl.gz"), "rt", encoding="utf-8") as lines:
        talks = [json.loads(line) for line in lines]
    said = {
        one["utterance"]
        for talk in talks
        if talk["agent"]["id"].startswith("chatgpt")
        for one in talk["conversation"]
        if one["participant"] == "AGENT"
    }
    caught = sum(DETECTORS["role_reversal"](Utterance(text)) is not None for text in said)
    assert len(said) > 200
    assert caught / len(said) > 0.8  # the rest are bare facts about films


def test_no_wording_is_both_known_and_held_out():
    book = json.loads(files("mysteryshopper.dialogue").joinpath("planted.json").read_text("utf-8"))
    assert set(book["faults"]) == set(DETECTORS)
    for wordings in book["faults"].values():
        assert wordings["held_out"]
        assert not set(wordings["held_out"]) & set(wordings["tune"])
