"""Detectors: single cases, hostile texts, and the bars on real data."""

import csv
import gzip
import json
import time
from importlib.resources import files
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ItemRef, Message
from mysteryshopper.dialogue import DETECTORS, Utterance, check_detectors, faults
from mysteryshopper.dialogue.detectors.cues import HARD
from mysteryshopper.dialogue.planted import clean_turns

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
        "Good evening. Help me find a science fiction film.",
        "I would really enjoy a war or heist film.",
        "The star doesn't matter to me.",
        "EO sounds dope :/",
        "Oh! 2001: A Space Odyssey is exactly what I had in mind. I am obliged.",
        "Lovely. Pain and Glory has my vote.",
        "I do not know 12:08 East of Bucharest. Why that one?",
        "I should add that I prefer something from the United States.",
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
@pytest.mark.parametrize("detector", list(DETECTORS))
def test_planted_faults_are_found(rows, detector):
    row = rows[detector]
    assert row.planted >= 200
    assert row.recall > 0.9
    assert row.trusted


def test_what_a_language_model_says_as_a_recommender_is_no_users_turn(shared_data):
    """Turns of CRS Arena's ChatGPT recommenders, which nothing was made with, put into a user's mouth."""
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


@pytest.fixture(scope="module")
def booking_talks(shared_data):
    """Turns of tau-bench's airline trajectories, where one model plays the customer and another the clerk."""
    path = shared_data("tau_bench", "historical_trajectories", "gpt-4o-airline.jsonl.gz")
    said = {"user": {}, "assistant": {}}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for one in json.loads(line)["traj"]:
                if one["role"] in said and one.get("content"):
                    said[one["role"]][one["content"].replace("###STOP###", "").strip()] = None
    return {role: [text for text in texts if text][:600] for role, texts in said.items()}


def test_a_clerk_of_another_trade_is_told_from_a_customer(booking_talks):
    caught = sum(DETECTORS["role_reversal"](Utterance(text)) is not None for text in booking_talks["assistant"])
    assert caught / len(booking_talks["assistant"]) > 0.7


@pytest.mark.parametrize("detector", ["role_reversal", "speaks_as_system", "writes_both_sides", "leaked_instructions"])
def test_a_model_that_keeps_to_the_customers_part_is_hardly_ever_flagged(booking_talks, detector):
    flagged = [text for text in booking_talks["user"] if DETECTORS[detector](Utterance(text)) is not None]
    assert len(flagged) / len(booking_talks["user"]) < 0.02, flagged[:5]


def test_clean_turns_in_formal_words_are_hardly_ever_flagged():
    turns = [text for seed in range(3) for text in clean_turns(Random(seed))]
    flagged = {text: found for text in turns if (found := faults(Utterance(text)))}
    assert len(turns) >= 300
    assert len(flagged) / len(turns) <= 0.01, flagged


@pytest.mark.parametrize("detector", ["speaks_as_system", "leaked_instructions", "leaked_thoughts"])
def test_no_formal_words_leak_without_a_word_for_what_they_leak(detector):
    """Whatever the model thinks of it, a turn of which no word names a prompt, a plan or a machine is clean."""
    stiff = (
        "Good evening. I should be most obliged to you, sir, for a film out of the ordinary. It ought to be recent; it"
        " must not exceed two hours. The director does not matter to me. 2001: A Space Odyssey was the best so far."
    )
    assert HARD[detector].isdisjoint(Utterance(stiff).vocabulary)
    assert DETECTORS[detector](Utterance(stiff)) is None


@pytest.mark.parametrize(
    ("text", "detector", "evidence"),
    [
        ("MY INSTRUCTIONS SAY: BE BRIEF.", "leaked_instructions", "INSTRUCTIONS"),
        ("ok.\n<THINK>Not that one</THINK> no thanks", "leaked_thoughts", "<THINK>"),
        ("Well, As An AI I have no favourites.", "speaks_as_system", "As An AI"),
        ("Any western?\n[/INST] Sure", "writes_both_sides", "[/INST]"),
    ],
)
def test_letter_case_hides_nothing_and_evidence_is_as_written(text, detector, evidence):
    assert DETECTORS[detector](Utterance(text, ASKED)) == evidence


def test_a_turn_is_looked_at_quickly():
    turns = [*clean_turns(Random(1)), *clean_turns(Random(2), "tune")]
    for text in turns[:50]:
        faults(Utterance(text, ASKED))
    began = time.process_time()
    for text in turns:
        faults(Utterance(text, ASKED))
    assert (time.process_time() - began) / len(turns) < 0.001  # about a third of this where nothing else runs


def test_evidence_is_a_sentence_of_the_turn():
    text = "ok.\nGood evening! I'd recommend Lantern Road, you would love it. Shall I book two seats for you?"
    evidence = DETECTORS["role_reversal"](Utterance(text, ASKED))
    assert evidence
    assert evidence in text


@given(st.text(max_size=300))
def test_no_text_makes_a_detector_fail(text):
    for detector in DETECTORS.values():
        found = detector(Utterance(text, ASKED))
        assert found is None or isinstance(found, str)


def test_no_wording_is_both_known_and_held_out():
    book = json.loads(files("mysteryshopper.dialogue").joinpath("planted.json").read_text("utf-8"))
    assert set(book["faults"]) == set(DETECTORS)
    for wordings in book["faults"].values():
        assert wordings["held_out"]
        assert not set(wordings["held_out"]) & set(wordings["tune"])
    assert not set(book["clean"]["held_out"]) & {*book["clean"]["tune"], *book["clean"]["cued"]}
