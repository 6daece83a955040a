"""A dialogue as lines: no message can pass for another speaker's, and a long one keeps its opening and its end."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Message
from mysteryshopper.dialogue import as_lines


def user(text):
    return Message("user", text)


def system(text):
    return Message("assistant", text)


def test_neighbours_of_one_side_are_one_line_and_empty_ones_are_left_out():
    said = [system("Hello."), user(" "), system("What do\nyou like?"), user("a\tcomedy"), user("with a clock")]
    assert as_lines(said) == [
        {"own": False, "text": "Hello."},
        {"own": False, "text": "What do you like?"},
        {"own": True, "text": "a comedy with a clock"},
    ]


def test_of_a_long_dialogue_the_opening_and_the_end_are_kept():
    said = [message for number in range(10) for message in (user(f"u{number}"), system(f"s{number}"))]
    assert [line["text"] for line in as_lines(said, last=3)] == ["u0", "s8", "u9", "s9"]
    assert len(as_lines(said, last=None)) == 20
    assert [line["text"] for line in as_lines(said[:2], last=3)] == ["u0", "s0"]


def test_a_long_line_is_shortened_with_a_note_unless_all_is_wanted():
    said = [user("x" * 2_000)]
    assert len(as_lines(said, limit=100)[0]["text"]) < 150
    assert "characters left out" in as_lines(said, limit=100)[0]["text"]
    assert len(as_lines(said, limit=None)[0]["text"]) == 2_000


@given(st.lists(st.tuples(st.booleans(), st.text(max_size=40)), max_size=20))
def test_no_line_holds_a_line_end(said):
    lines = as_lines([user(text) if own else system(text) for own, text in said])
    assert all(len(line["text"].splitlines()) == 1 for line in lines)
