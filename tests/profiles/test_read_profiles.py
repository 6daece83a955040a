"""Profiles from a file: what is read, and which sentence says what is wrong."""

import json

import pytest

from mysteryshopper.core import DataError, Profile
from mysteryshopper.profiles import read_profiles


@pytest.fixture
def write(tmp_path):
    def make(content):
        path = tmp_path / "people.jsonl"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


FULL = {
    "id": "007",
    "persona": "likes {genre} and {{x}} and %s $HOME",
    "wish": "a comedy\u2028for two",
    "likes": ["Lantern Road (1998)"],
    "dislikes": [],
    "seen": ["7"],
    "attributes": {"genre": ["comedy", "drama"]},
    "style": {"formality": "informal", "carelessness": "careless"},
    "patience": 3,
    "language": "zh-TW",
    "notes": {"source": {"row": 1}},
}


def test_a_full_profile_is_read_as_it_is(write):
    (profile,) = read_profiles(write(json.dumps(FULL, ensure_ascii=False)))
    assert profile == Profile(
        id="007",
        persona=FULL["persona"],
        wish="a comedy\u2028for two",
        likes=("Lantern Road (1998)",),
        seen=("7",),
        attributes={"genre": ("comedy", "drama")},
        style={"formality": "informal", "carelessness": "careless"},
        patience=3,
        language="zh-TW",
        notes={"source": {"row": 1}},
    )


def test_byte_order_marks_windows_lines_empty_lines_and_nulls_are_taken(write):
    path = write(b'\xef\xbb\xbf{"id": "a", "wish": null}\r\n\r\n{"id": "b"}\r\n')
    assert read_profiles(path) == [Profile("a"), Profile("b")]


def test_ids_stay_texts(write):
    assert [one.id for one in read_profiles(write('{"id": "007"}\n{"id": "7"}\n{"id": "7.0"}'))] == ["007", "7", "7.0"]


def test_names_that_look_like_paths_are_just_names(write):
    names = ["../../evil", "CON", "Anna", "anna", "x" * 300]
    lines = "\n".join(json.dumps({"id": name}) for name in names)
    assert [one.id for one in read_profiles(write(lines))] == names


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "b", "wisch": "x"}', ["'wisch'", "did you mean 'wish'"]),
        ('{"wish": "x"}', ["id:", "has none"]),
        ('{"id": ""}', ["id:", "empty"]),
        ('{"id": 7}', ["id:", "in quotes", "7"]),
        ('{"id": "a"}', ["id: 'a'", "line 1"]),
        ('{"id": "b", "likes": "Lantern Road"}', ["likes:", "list of texts", "Lantern Road"]),
        ('{"id": "b", "seen": ["x", 7]}', ["seen[1]:", "7"]),
        ('{"id": "b", "attributes": {"genre": "comedy"}}', ["attributes.genre:", "list"]),
        ('{"id": "b", "attributes": []}', ["attributes:", "object", "a list"]),
        ('{"id": "b", "style": {"formalty": "x"}}', ["style:", "did you mean 'formality'"]),
        ('{"id": "b", "patience": 0}', ["patience:", "whole number", "0"]),
        ('{"id": "b", "patience": true}', ["patience:", "true"]),
        ('{"id": "b", "id": "c"}', ["id:", "twice"]),
        ('{"id": "b", "patience": NaN}', ["NaN", "null"]),
        ('{"id": "b"', ["no valid JSON", "character"]),
        ('["b"]', ["object", "a list"]),
    ],
)
def test_a_wrong_line_is_named_with_its_key_and_what_was_expected(write, line, words):
    path = write('{"id": "a"}\n' + line)
    with pytest.raises(DataError) as caught:
        read_profiles(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert (caught.value.line, caught.value.path) == (2, path)
    for word in words:
        assert word in str(caught.value)


def test_a_byte_of_another_encoding_is_named(write):
    with pytest.raises(DataError, match="0xE9") as caught:
        read_profiles(write(b'{"id": "a"}\n{"id": "Am\xe9lie"}'))
    assert caught.value.line == 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match="nobody"):
        read_profiles(tmp_path / "nobody.jsonl")


def test_half_a_character_is_replaced_so_that_it_can_be_written(write):
    (profile,) = read_profiles(write('{"id": "a\\ud83d", "wish": "b\\ud83d", "likes": ["\\ud83d\\ude00"]}'))
    assert (profile.id, profile.wish, profile.likes) == ("a\ufffd", "b\ufffd", ("\U0001f600",))


def test_preferences_and_what_is_hidden_are_read(write):
    wish = {"attributes": {"genre": ["comedy"]}, "prefers": {"country": ["France"]}, "hidden": ["country"]}
    (profile,) = read_profiles(write(json.dumps({"id": "a", **wish})))
    assert profile == Profile(
        "a", attributes={"genre": ("comedy",)}, prefers={"country": ("France",)}, hidden=("country",)
    )


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ({"prefers": {"country": "France"}}, "prefers.country: expected a list"),
        ({"attributes": {"genre": ["comedy"]}, "hidden": ["gendre"]}, "hidden\\[0\\].*did you mean 'genre'"),
        ({"hidden": ["genre"]}, "hidden\\[0\\].*no part of the wish"),
    ],
)
def test_wrong_preferences_are_told_by_key(write, wish, told):
    with pytest.raises(DataError, match=told):
        read_profiles(write(json.dumps({"id": "a", **wish})))
