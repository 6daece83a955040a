"""JSON in a reply: the last complete object that fits; what is wrong is invalid, not bent to fit."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from mysteryshopper.reading import read_json


class Graded(BaseModel):
    score: int


class Done(BaseModel):
    done: bool
    why: str


class Mixed(BaseModel):
    name: str
    share: float | None
    tags: list[str]
    kind: Literal["one", "two"]


@pytest.mark.parametrize(
    ("text", "score", "status"),
    [
        ('{"score": 4}', 4, "ok"),
        ('Sure!\n```json\n{"score": 3}\n```\nHope it helps.', 3, "ok"),
        ('{"score": 1} I mean {"score": 2}', 2, "ok"),
        ('{"score": 1} and {"points": 2}', 1, "ok"),
        ('<think>{"score": 1}</think>{"score": 5}', 5, "ok"),
        ('I use { freely. {"score": 2}', 2, "ok"),
        ('don\'t {"score": 2} }', 2, "ok"),
        ('{"score": 4, "reasoning": "a } and a { and a \\" in a text"}', 4, "ok"),
        ('{"score": 4, "inner": {"score": 9}}', 4, "ok"),
        ('{"score":"4"}', 4, "repaired"),
        ("{'score': 4}", 4, "repaired"),
        ('{"score": 4,}', 4, "repaired"),
        ('[{"score":4}]', 4, "repaired"),
        ('{"score": 4.0}', 4, "repaired"),
        ('{"score":NaN}', None, "invalid"),
        ('{"score":Infinity}', None, "invalid"),
        ('{"score":1e999}', None, "invalid"),
        ('{"score":1,"score":5}', None, "invalid"),
        ("{'score':1,'score':5,}", None, "invalid"),
        ('"4"', None, "invalid"),
        ("4", None, "invalid"),
        ('{"score": true}', None, "invalid"),
        ('{"score": "four"}', None, "invalid"),
        ('{"score": 4.5}', None, "invalid"),
        ('{"score": null}', None, "invalid"),
        ('[{"score":4},{"score":5}]', None, "invalid"),
        ('{"result": {"score": 4}}', None, "invalid"),
        ('{"score": 4', None, "truncated"),
        ("I'm sorry, but I can't help with that.", None, "refused"),
    ],
)
def test_scores_in_json(text: str, score: int | None, status: str) -> None:
    reading = read_json(text, Graded)
    assert (reading.value.score if reading.value else None, reading.status) == (score, status)


def test_python_literals_and_trailing_commas_are_repaired() -> None:
    reading = read_json("{'done': False, 'why': 'not yet',}", Done)
    assert (reading.value, reading.status) == (Done(done=False, why="not yet"), "repaired")
    quoted = read_json("""{'done': true, 'why': 'it\\'s "so", None said'}""", Done)
    assert quoted.value == Done(done=True, why='it\'s "so", None said')


def test_wrong_types_other_than_a_number_in_quotes_are_invalid() -> None:
    assert read_json('{"done": "true", "why": ""}', Done).status == "invalid"
    assert read_json('{"done": 1, "why": ""}', Done).status == "invalid"
    assert read_json('{"done": true, "why": 3}', Done).status == "invalid"


def test_a_lone_surrogate_is_replaced_and_flagged() -> None:
    reading = read_json('{"done": true, "why": "a \\ud83d b"}', Done)
    assert (reading.value, reading.status) == (Done(done=True, why="a \ufffd b"), "repaired")


def test_a_list_can_be_the_schema() -> None:
    assert read_json('Here: ["a", "b"]', RootModel[list[str]]).value == RootModel[list[str]](["a", "b"])


def test_what_follows_a_complete_object_does_not_cut_it() -> None:
    assert read_json('{"score": 2} and then {"score":', Graded).value == Graded(score=2)


_mixed = st.builds(
    Mixed,
    name=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    share=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    tags=st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8), max_size=4),
    kind=st.sampled_from(["one", "two"]),
)


@given(
    _mixed,
    st.sampled_from(["{}", "```json\n{}\n```", "Here it is: {} Bye [1] {{}}", "<think>hm</think>{}"]),
    st.booleans(),
)
def test_a_rendered_value_reads_back(value: Mixed, form: str, ascii_only: bool) -> None:
    text = json.dumps(value.model_dump(), ensure_ascii=ascii_only, indent=None if ascii_only else 4)
    text = form.replace("{}", text, 1).replace("{{}}", "{}")
    if "<think>" in text and not form.startswith("<think>"):
        return
    reading = read_json(text, Mixed)
    assert (reading.value, reading.status) == (value, "ok")


@given(_mixed)
def test_a_python_literal_of_a_value_reads_back(value: Mixed) -> None:
    plain = all(char.isprintable() and ord(char) < 128 for text in (value.name, *value.tags) for char in text)
    if plain and "<" not in repr(value):
        assert read_json(repr(value.model_dump()), Mixed).value == value


@given(st.text(alphabet="{}[]\"'\\:, truefalsNone1score", max_size=60))
def test_nothing_but_an_object_with_the_score_is_read(text: str) -> None:
    reading = read_json(text, Graded)
    assert reading.value is None or ("score" in text and str(reading.value.score) in text)
