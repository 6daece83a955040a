"""How a person writes, told by counting: length, formality, mood, slips; and the labels made of them."""

import gzip
import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.dialogue.styles import SCALES, TITLE, Dictionary, labels_of, letters, writing_of
from mysteryshopper.dialogue.styles.signs import signs
from mysteryshopper.users.noise import perturb

PLAIN = Dictionary()


def writing(*turns, said=(), dictionary=PLAIN):
    return writing_of(turns, dictionary, said)


def test_length_is_the_mean_of_words_a_turn_empty_turns_left_out():
    assert writing("a quiet place", "cheap", "…", "").words == 2
    assert writing("a quiet place", "cheap").turns == 2
    assert writing("", "!?") == writing()
    assert writing().words is None


def test_formality_weighs_signs_against_each_other():
    formal = "Good day. I would be grateful for a suggestion, if possible."
    assert writing(formal).formality == 1
    assert writing("hey, dont u have sth cheaper lol").formality == -1
    # one formal sign (thank you) and one informal (a contraction)
    assert writing("Thank you, that's the one.").formality == 0
    assert writing("The red one.").formality == 0  # no sign at all
    assert writing("I don't know.").formality == writing("I don’t know.").formality == -1


def test_a_title_that_was_taken_out_begins_and_ends_a_turn_as_it_did():
    begins, ends = writing(f"{TITLE} was in the window."), writing(f"I saw {TITLE}")
    assert (begins.formality, begins.words, begins.misspelt) == (0, 4, 0)  # it does not begin small
    assert (ends.formality, ends.words) == (-1, 2)  # and it does end without a stop
    assert writing(TITLE) == writing()


def test_sentiment_goes_by_feeling_not_by_what_a_request_is_made_of():
    assert writing("Please, I would like a fragrance-free cream.").sentiment == 0
    assert writing("Yes please. No, any.").sentiment == 0
    assert writing("What a wonderful idea! I love it.").sentiment > 0.5
    assert writing("That is awful. I hate it.").sentiment < -0.5
    assert writing("That is awful. I hate it.", "What a wonderful idea! I love it.").sentiment == pytest.approx(
        (writing("That is awful. I hate it.").sentiment + writing("What a wonderful idea! I love it.").sentiment) / 2
    )


def test_sentiment_does_not_grow_with_length():
    once = writing("This is good.").sentiment
    assert writing("This is good. This is good. This is good.").sentiment == pytest.approx(once)


def test_slips_are_words_that_nobody_knows():
    assert writing("I am lookign for somethign cheap").misspelt == 2 / 4  # of three letters or more
    assert writing("My favourite colour is grey, I realise, and it is organised").misspelt == 0
    assert writing("gonna grab it, thx, thats sooooo cool haha").misspelt == 0  # chat is no slip
    assert writing("don't, won’t, children's").misspelt == 0
    assert writing("ab 12 3d").misspelt is None
    assert PLAIN.unknown(["zorblat"]) == ["zorblat"]
    assert writing("Is Zorblat cheap?", said={"zorblat"}).misspelt == 0
    assert writing("Zorblat's jars", dictionary=Dictionary(["Zorblat Cream"])).misspelt == 0


def test_an_accent_is_no_slip_and_parts_no_word():
    """Else a word would end where its accent is, and everybody who eats out be found careless."""
    assert letters("Café, naïve; cafe\u0301 s’il") == ["cafe", "naive", "cafe", "s'il"]
    assert writing("A naïve fiancée at the café").misspelt == 0
    assert writing("Is Crème Zorblé good?", dictionary=Dictionary(["Crème Zorblé"])).misspelt == 0


def test_words_are_letters_with_apostrophes_inside():
    assert letters("It’s sci-fi, isn't it? 2nd 'one'") == ["it's", "sci", "fi", "isn't", "it", "nd", "one"]


def test_each_list_of_signs_holds_texts_and_no_sign_is_both():
    lists = signs()
    assert set(lists) == {"informal", "formal", "bare", "moodless", "spelt"}
    assert all(sign == sign.lower() for held in lists.values() for sign in held)
    assert not lists["formal"] & (lists["informal"] | lists["bare"])
    assert {"no", "yes"} <= lists["moodless"]  # and not the truth values that YAML makes of them


def test_labels_follow_the_cuts_and_a_value_at_a_cut_is_the_upper_one():
    labels = labels_of(writing("Good day. I would like soap."))
    assert labels == {
        "formality": "formal",
        "sentiment": "neutral",
        "conciseness": "concise",
        "carelessness": "careful",
    }
    assert labels_of(writing("one two three"), {"conciseness": (3, 9)})["conciseness"] == "moderate"
    assert labels_of(writing("one two three"), {"conciseness": (4, 9)})["conciseness"] == "concise"
    assert set(labels_of(writing()).values()) == {None}
    assert all(len(scale.cuts) == len(scale.labels) - 1 for scale in SCALES.values())


@given(st.lists(st.text(max_size=60), max_size=4))
@settings(max_examples=80, deadline=None)
def test_any_text_is_counted_within_bounds(turns):
    found = writing_of(turns, PLAIN)
    assert found.turns <= len(turns)
    if found.words is not None:
        assert found.words >= 1
        assert -1 <= found.formality <= 1
        assert found.sentiment is None or -1 <= found.sentiment <= 1
        assert found.misspelt is None or 0 <= found.misspelt <= 1


@pytest.mark.slow
def test_people_write_informally_and_planted_slips_are_found(shared_data):
    """The figures of the docs page: ReDial's test seekers, and the same with noise by code."""
    seekers = []
    with gzip.open(shared_data("redial", "raw_test.jsonl.gz"), "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            names = {word for title in (row["movieMentions"] or {}).values() for word in letters(title or "")}
            turns = {True: [], False: []}
            for message in row["messages"]:
                own = message["senderWorkerId"] == row["initiatorWorkerId"]
                turns[own].append(re.sub(r"@\d+", TITLE, message["text"]))
            said = {word for text in turns[False] for word in letters(text)} | names
            seekers.append((turns[True], said))
    assert len(seekers) == 1342
    seekers = seekers[::4]
    clean = [labels_of(writing(*turns, said=said)) for turns, said in seekers]
    share = {
        (style, value): sum(one[style] == value for one in clean) / len(clean)
        for style, value in (("formality", "informal"), ("conciseness", "verbose"), ("carelessness", "careful"))
    }
    assert share["formality", "informal"] > 0.9
    assert share["conciseness", "verbose"] < 0.06  # the cut is where one in twenty of the train seekers lies
    assert 0.83 < share["carelessness", "careful"] < 0.93
    noisy = [
        labels_of(writing(*(perturb(text, "mixed", 0.2, Random(f"{at} {text}")) for text in turns), said=said))
        for at, (turns, said) in enumerate(seekers)
    ]
    assert sum(one["carelessness"] == "careless" for one in noisy) / len(noisy) > 0.92
