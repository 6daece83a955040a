"""Scores and stars: the number given, never one that only occurs; nothing clamped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.reading import read_score, read_stars


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4.5/5", 4.5),
        ("9/10", 4.5),
        ("★★★★☆", 4.0),
        ("⭐⭐⭐", 3.0),
        ("★★★½", 3.5),
        ("4,5", 4.5),
        ("4 out of 5", 4.0),
        ("4 (out of 5)", 4.0),
        ("Stars: 4", 4.0),
        ("４", 4.0),
        ("٤", 4.0),
        ("four stars", 4.0),
        ("Four", 4.0),
        ("four and a half stars", 4.5),
        ("Rating (1-5): 4", 4.0),
        ("Rating: **4**/5", 4.0),
        ('{"stars": 4}', 4.0),
        ("80%", 4.0),
        ("4½", 4.5),
        ("I'd give it a 4.", 4.0),
        ("I would give it 4 stars", 4.0),
        ("4 - good, with 3 good songs", 4.0),
        ("4. It has 3 good points", 4.0),
        ("On a scale from 1 to 5 I'd say 3", 3.0),
    ],
)
def test_stars_are_read_as_written(text: str, value: float) -> None:
    reading = read_stars(text)
    assert reading.value == value
    assert reading.readable


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("7", "invalid"),
        ("0", "invalid"),
        ("-1", "invalid"),
        ("7/5", "invalid"),
        ("5/0", "invalid"),
        ("11/10", "invalid"),
        ("NaN", "invalid"),
        ("inf", "invalid"),
        ("1e3", "invalid"),
        ("n/a", "ambiguous"),
        ("5 no wait 2", "ambiguous"),
        ("Score: 5. No wait, 2.", "ambiguous"),
        ("3-4", "ambiguous"),
        ("3 or 4", "ambiguous"),
        ("between 3 and 4", "ambiguous"),
        ("Score: 2\nScore: 4", "ambiguous"),
        ("²", "invalid"),
        ("Ⅳ", "invalid"),
        ("☆☆☆☆☆", "invalid"),
        ("There are 3 reasons to like it.", "invalid"),
        ("4 films come to mind", "invalid"),
        ("I saw 3 of 5 films", "invalid"),
        ("4,500", "invalid"),
        ("1. fun\n2. long", "ambiguous"),
        ("excellent? not really", "invalid"),
    ],
)
def test_what_is_no_rating_has_no_value(text: str, status: str) -> None:
    reading = read_stars(text)
    assert (reading.value, reading.status) == (None, status)


def test_scores_are_labelled_in_range_and_never_words() -> None:
    assert read_score("There are 3 reasons. On the 1-5 scale: **Score: 2**", 1, 5).value == 2
    assert read_score("8", 1, 5).status == "invalid"
    assert read_score("8", 1, 10).value == 8
    assert read_score("excellent? not really", 1, 5).status == "invalid"
    assert read_score("four", 1, 5).status == "invalid"
    assert read_score("★★★★", 1, 5).status == "invalid"
    assert read_score("-0.5", -1, 1).value == -0.5
    assert read_score("85%", 0, 100).value == 85


def test_what_was_converted_is_marked_repaired() -> None:
    assert [read_stars(text).status for text in ("4", "4/5", "4 out of 5")] == ["ok"] * 3
    assert [read_stars(text).status for text in ("9/10", "4,5", "four stars", "80%")] == ["repaired"] * 4


@given(
    st.integers(10, 50),
    st.sampled_from(
        ["{}", "**{}**", "Score: {}", "{}/5", "{} out of 5", "I'd rate it {}.", " {} stars", "My score is {}"]
    ),
)
def test_a_written_score_reads_back(tenths: int, form: str) -> None:
    text = form.format(f"{tenths / 10:g}")
    assert read_score(text, 1, 5).value == pytest.approx(tenths / 10)
    assert read_stars(text).value == pytest.approx(tenths / 10)


@given(st.integers(-(10**6), 10**6), st.integers(-50, 50), st.integers(1, 50))
def test_a_value_lies_in_the_range(number: int, low: int, width: int) -> None:
    reading = read_score(str(number), low, low + width)
    assert reading.value == (number if low <= number <= low + width else None)


@given(st.text(alphabet="0123456789.,-/★☆½ starsofe:five\n%²٤", max_size=30))
def test_no_reading_leaves_its_range(text: str) -> None:
    value = read_stars(text).value
    assert value is None or 1 <= value <= 5
