"""Patterns that RE2 screens find exactly what `re` alone finds."""

import re
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mysteryshopper.core import Message
from mysteryshopper.dialogue.detectors import leaks, roles
from mysteryshopper.dialogue.detectors.patterns import SCREEN, Screen, without_lookaround
from mysteryshopper.dialogue.planted import clean_turns, plant

OURS = {
    **roles._PHRASES,
    "speaks": roles._SPEAKS,
    "tokens": roles._TOKENS,
    "instructed": leaks._INSTRUCTED,
    "thought": leaks._THOUGHT,
}
WORDS = sorted({word for pattern in OURS.values() for word in re.findall(r"[a-z]+", pattern._exact.pattern)})
PIECES = st.sampled_from(
    [*WORDS, " ", "\n", "\t", "\x0b", "\x1f", ": ", ":", "<", ">", "[", "]", "|", "(", "é", "’", "-", "#"]
)


def spans(pattern, text):
    return [found.span() for found in pattern.finditer(text)]


@pytest.mark.parametrize("name", OURS)
@given(pieces=st.lists(PIECES, max_size=14))
@example(pieces=["rules", "\x0b", ":", " ", "x"])
@example(pieces=["<|", "user", "|>"])
def test_nothing_is_screened_out_that_matches(name, pieces):
    pattern = OURS[name]
    for text in (" ".join(pieces), "".join(pieces)):
        assert spans(pattern, text) == spans(pattern._exact, text)
        assert (pattern.search(text) is None) == (pattern._exact.search(text) is None)


def test_planted_faults_are_found_as_by_re_alone():
    said = [
        ("user", "Is there anything with boats?"),
        ("assistant", "What did you like last?"),
        ("user", "The Slow Tide."),
    ]
    talk = [Message(role, text) for role, text in said * 2]
    texts = [fault.utterance.lowered for fault in plant([talk], Random(1), 60)]
    texts += [text.lower() for text in clean_turns(Random(1))]
    hits = 0
    for pattern in OURS.values():
        for text in texts:
            found = pattern.search(text)
            hits += found is not None
            assert (found and found.span()) == ((exact := pattern._exact.search(text)) and exact.span())
    assert hits > 100


def test_most_texts_are_screened_out():
    text = "something quiet by the sea would do for tonight"
    assert not any(SCREEN.lets_pass(text, pattern._place) for pattern in OURS.values())


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        (r"a (?!b|(?:c))\ d", "a d"),
        (r"(?<=[)\]])x (?<!\()y", "xy"),
        (r"[ ](?: z )", "[ ](?:z)"),
        (r"\#\Z", r"#\z"),
        (r"\s", r"[\s\v\x1c-\x1f]"),
        (r"[^\s\d]", r"[^\s\v\x1c-\x1f\d]"),
    ],
)
def test_lookaround_is_left_out(source, bare):
    assert without_lookaround(source) == bare


def test_lines_are_told_apart():
    screen = Screen()
    assert screen.pattern("^b", lines=True).search("a\nb")
    assert screen.pattern("^b").search("a\nb") is None


@given(texts=st.lists(st.sampled_from(["a sea", "a bee", "sea", "", "a", "é sea"]), max_size=6))
def test_patterns_behind_one_screen_keep_apart(texts):
    screen = Screen()
    sources = ["sea", r"a\ (?!b)", "^$"]
    patterns = [screen.pattern(source) for source in sources]
    for text in texts:
        for source, pattern in zip(sources, patterns, strict=True):
            found, exact = pattern.search(text), re.compile(source).search(text)
            assert (found and found.span()) == (exact and exact.span())


def test_a_pattern_may_come_after_a_text():
    screen = Screen()
    sea = screen.pattern("sea")
    assert sea.search("a sea of bees")
    bees = screen.pattern("bees")
    assert bees.search("a sea of bees").group() == "bees"
