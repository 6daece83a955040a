"""An end marker counts only as the last thing said, and is never delivered."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.dialogue import read_end_marker


@pytest.mark.parametrize(
    ("text", "said", "ended"),
    [
        ("Yes, go ahead [END]", "Yes, go ahead", True),
        ("[END]", "", True),
        ("Thanks! [END].\n", "Thanks!", True),
        ('She said "yes" [END]', 'She said "yes"', True),
        ("Bye **[END]**", "Bye", True),
        ('Bye "[END]"', "Bye", True),
        ("Bye [end] 👋", "Bye", True),
        ("Bye [END] [END]", "Bye", True),
        ("I would type [END] if I were done, but go on", "I would type if I were done, but go on", False),
        ("[END] or not?", "or not?", False),
        ("the END", "the END", False),
        ("no marker here", "no marker here", False),
        ("", "", False),
    ],
)
def test_where_a_marker_counts(text, said, ended):
    assert read_end_marker(text, "[END]") == (said, ended)


def test_any_marker_is_taken_literally():
    assert read_end_marker("Yes, go ahead ###STOP###", "###STOP###") == ("Yes, go ahead", True)
    assert read_end_marker("abc", ".*") == ("abc", False)


@given(st.text(max_size=40), st.sampled_from(["[END]", "###STOP###", "END."]))
def test_a_marker_never_gets_through(text, marker):
    said, ended = read_end_marker(f"{text} {marker}", marker)
    assert ended
    assert marker.casefold() not in said.casefold()


@given(st.lists(st.sampled_from(["[END]", "end", " ", "\t", "[", "ſtop", "STOP", "x"])).map("".join))
def test_a_text_that_is_left_alone_holds_no_marker_with_spaces_either(text):
    for marker in ("[END]", "stop", " end"):
        holds = re.search(rf"[ \t]?{re.escape(marker)}[ \t]?", text, re.IGNORECASE) is not None
        said, ended = read_end_marker(text, marker)
        assert (said, ended) == (text, False) if not holds else said != text


def test_markers_are_read_quickly_in_hostile_texts():
    for text in (" " * 200_000 + "[END]x", "[END]" * 20_000 + "x", '"' * 200_000, "[" * 200_000):
        assert read_end_marker(text, "[END]")[1] is False
