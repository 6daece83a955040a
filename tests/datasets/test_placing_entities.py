"""Sharing out the entities of a history over its messages."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.datasets.placing import place

words = st.sampled_from(["Low Tide (1990)", "The Oak", "drama", "Ida Roe"])
texts = st.lists(words, max_size=4).map(", ".join)


@given(st.lists(words, max_size=8), st.lists(texts, min_size=1, max_size=5))
def test_order_is_kept_and_nothing_is_lost(entities, said):
    placed = place(entities, said)
    assert len(placed) == len(said)
    assert [entity for group in placed for entity in group] == entities


@given(st.lists(st.lists(words, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
def test_as_many_names_as_can_be_stand_where_they_are_said(groups):
    said = [" and ".join(group) for group in groups]
    placed = place([entity for group in groups for entity in group], said)
    assert all(entity in text for group, text in zip(placed, said, strict=True) for entity in group)


def test_a_name_that_no_message_holds_does_not_push_the_others_away():
    placed = place(["Lo Tied", "The Oak", "drama"], ["", "Lo Tied... no, low tide?", "The Oak", "a drama like the oak"])
    assert placed == [[], ["Lo Tied"], ["The Oak"], ["drama"]]


def test_a_later_mention_of_the_same_name_does_not_pull_it_ahead():
    assert place(["The Oak", "drama"], ["the oak", "a drama", "The Oak is a drama"]) == [["The Oak"], ["drama"], []]


def test_the_title_is_found_without_its_year():
    assert place(["Low Tide (1990)"], ["hello", "I saw LOW TIDE"]) == [[], ["Low Tide (1990)"]]


def test_no_messages_no_entities():
    assert place([], []) == []
    assert place([], ["hello"]) == [[]]
