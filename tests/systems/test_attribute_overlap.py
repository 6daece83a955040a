"""`attribute-overlap`: the fast index ranks as the plain formula, and hears what was answered or said."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import History, Item, Message
from mysteryshopper.items import Catalog, attribute_overlap_ranking
from mysteryshopper.systems.attribute_overlap import AttributeOverlap
from mysteryshopper.systems.overlap_index import OverlapIndex

FILMS = Catalog(
    [
        Item(
            "1", "Lantern Road", attributes={"genre": ("comedy",), "star": ("Ada Quill",), "director": ("Bo Harrow",)}
        ),
        Item("2", "Nine Winters", attributes={"genre": ("drama",), "star": ("Bo Harrow",), "director": ("Ada Quill",)}),
        Item("3", "Paper River", attributes={"genre": ("drama", "comedy"), "star": ("Cleo Marsh",)}),
    ]
)
VALUES = st.dictionaries(st.sampled_from("gsd"), st.lists(st.sampled_from("vwxyz"), max_size=3), max_size=3)


def asked(attribute, *values):
    return [
        Message("assistant", "Which?", entities=(attribute,)),
        Message("user", ", ".join(values), entities=values, author="simulated"),
    ]


async def ranked(*messages, measure="count"):
    return [(one.id, one.score) for one in await AttributeOverlap(FILMS, measure=measure).rank(History(messages), 10)]


@given(st.lists(VALUES, min_size=1, max_size=12), VALUES, st.sampled_from(["count", "jaccard"]), st.integers(1, 8))
def test_the_index_ranks_as_the_formula(held, told, measure, k):
    catalog = Catalog(Item(str(place * 7 % 13), "t", attributes=one) for place, one in enumerate(held))
    assert OverlapIndex(catalog, measure).ranking(told, k) == attribute_overlap_ranking(catalog, told, measure, k)


async def test_an_answer_counts_for_the_attribute_that_was_asked_for():
    assert await ranked(*asked("director", "Ada Quill")) == [("2", 1.0)]
    assert await ranked(*asked("star", "Ada Quill")) == [("1", 1.0)]


async def test_jaccard_also_counts_attributes_that_were_answered_with_nothing():
    # shared 1; item 3 holds two genres and a star: 1 / (1 + 3 - 1)
    assert ("3", 1 / 3) in await ranked(*asked("genre", "comedy"), *asked("star"), measure="jaccard")


async def test_without_questions_it_takes_what_was_linked_and_what_was_said():
    linked = Message("user", "somebody good", entities=("Cleo Marsh",), author="human")
    said = Message("user", "A comedy by bo harrow, please.", author="simulated")
    assert await ranked(linked) == [("3", 1.0)]
    assert await ranked(said) == [("1", 2.0), ("2", 1.0), ("3", 1.0)]


async def test_what_people_linked_does_not_count_beside_answers():
    linked = Message("user", "hello", entities=("Cleo Marsh",), author="human")
    assert await ranked(linked, *asked("genre", "drama")) == [("2", 1.0), ("3", 1.0)]
