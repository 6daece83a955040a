"""Flesch's reading ease and the rule for syllables, by hand."""

import pytest

from mysteryshopper.judges.rules.form import reading_ease, syllables


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("film", 1),
        ("movie", 2),
        ("comedy", 3),
        ("table", 2),
        ("make", 1),
        ("makes", 1),
        ("liked", 1),
        ("wanted", 2),
        ("horses", 2),
        ("wishes", 2),
        ("see", 1),
        ("the", 1),
        ("director", 3),
        ("recommendation", 5),
        ("rhythm", 1),
        ("mmm", 1),
    ],
)
def test_syllables(word, number):
    assert syllables(word) == number


def test_reading_ease_by_the_formula():
    # 10 words in 2 sentences, 13 syllables: 1 1 1 2 1 and 1 1 1 3 1
    assert reading_ease("The tram is very slow. I liked the comedy more!") == pytest.approx(
        206.835 - 1.015 * 10 / 2 - 84.6 * 13 / 10
    )
    assert reading_ease("The tram is slow\nThe ferry is not") == reading_ease("The tram is slow. The ferry is not.")


def test_no_words_no_ease():
    assert reading_ease("… 12 !") is None
