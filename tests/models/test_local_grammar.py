"""Grammars for choices, and strict schemas."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ConfigError
from mysteryshopper.models.grammar import choice_grammar, strict_schema


def test_a_choice_is_exactly_one_of_its_texts() -> None:
    assert choice_grammar(["accept", "reject", "accept"]) == 'root ::= ("accept" | "reject")'
    assert choice_grammar(["yes"], space=True) == 'root ::= " "? ("yes")'


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_text_is_escaped_so_that_it_can_be_read_back(choices: list[str]) -> None:
    grammar = choice_grammar(choices)
    assert grammar.isascii()
    assert "\n" not in grammar
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', grammar)
    assert [text.encode().decode("unicode_escape") for text in quoted] == list(dict.fromkeys(choices))


@pytest.mark.parametrize("choices", [[], ["a", ""]])
def test_nothing_to_choose_is_refused(choices: list[str]) -> None:
    with pytest.raises(ConfigError, match="at least one choice"):
        choice_grammar(choices)


def test_objects_take_no_other_keys_unless_they_say_so() -> None:
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": inner}, "b": {**inner, "additionalProperties": True}},
    }
    strict = strict_schema(schema)
    assert strict["additionalProperties"] is False
    assert strict["properties"]["a"]["items"]["additionalProperties"] is False
    assert strict["properties"]["b"]["additionalProperties"] is True
    assert "additionalProperties" not in schema
    assert strict_schema({"enum": [{"type": "object", "properties": {}}]}) == {
        "enum": [{"type": "object", "properties": {}}]
    }
