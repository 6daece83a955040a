"""Which question splits a catalogue best, and what a person's words say of its values: worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Item
from mysteryshopper.items import Catalog
from mysteryshopper.systems.attribute_table import AttributeTable
from mysteryshopper.systems.hearing import Hearing


def catalog(*attributes):
    return Catalog(Item(str(place), f"Title {place} Of Many", attributes=held) for place, held in enumerate(attributes))


def table(*attributes):
    return AttributeTable(catalog(*attributes))


def test_the_gain_is_the_expected_fall_of_entropy():
    four = table({"genre": ("comedy",)}, {"genre": ("comedy",)}, {"genre": ("drama",)}, {})
    assert four.gain("genre", four.everything()) == pytest.approx(1.0)  # (1 + 1 + 2 + 0) / 4 bits
    both = table({"genre": ("comedy", "drama")}, {"genre": ("comedy",)})
    assert both.gain("genre", both.everything()) == pytest.approx(0.25)  # half of the time the first says drama
    halves = table(*[{"genre": ("war",)}] * 8, *[{"genre": ("opera",)}] * 8)
    assert halves.gain("genre", halves.everything()) == pytest.approx(1.0)


def test_the_gain_counts_only_what_is_left_and_is_nothing_for_one_item():
    three = table({"genre": ("comedy",)}, {"genre": ("comedy",)}, {"genre": ("drama",)})
    left = three.having([("genre", "comedy")])
    assert left.tolist() == [True, True, False]
    assert three.gain("genre", left) == 0.0
    assert three.gain("genre", three.having([("genre", "drama")])) == 0.0
    assert three.gain("genre", three.having([])) == 0.0


def test_values_are_compared_folded_and_written_as_the_catalogue_does():
    two = table({"genre": ("Science  Fiction",)}, {"genre": ("science fiction", "War")})
    assert two.having([("genre", "science fiction")]).all()
    assert two.frequent("genre", two.everything(), 5) == ["Science  Fiction", "War"]
    assert two.frequent("genre", two.everything(), 1) == ["Science  Fiction"]


def test_years_give_decades_unless_the_catalogue_has_its_own():
    years = [Item("a", "First Of Many", 1984), Item("b", "Second Of Many", 1999, {"decade": ("nineties",)})]
    assert AttributeTable(Catalog(years[:1])).having([("decade", "1980s")]).all()
    assert AttributeTable(Catalog(years)).wording == {("decade", "nineties"): "nineties"}


VALUES = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True).map(tuple)


@given(st.lists(VALUES, min_size=1, max_size=12))
def test_a_gain_is_at_most_the_entropy_there_is(values):
    some = table(*({"x": held} for held in values), {"x": ("z",)})
    assert 0.0 <= some.gain("x", some.everything()) <= math.log2(len(values) + 1) + 1e-9


FILMS = Catalog(
    [
        Item("1", "The Salt Clock", 1984, {"genre": ("drama", "comedy"), "star": ("Ida Quill",)}),
        Item(
            "2", "Horror of the Dunes", 1998, {"genre": ("horror",), "star": ("Bo Tamm",), "director": ("Ida Quill",)}
        ),
        Item("3", "Glass Harbour", 2011, {"genre": ("science fiction", "war"), "star": ("Prosper",)}),
    ]
)


@pytest.fixture(scope="module")
def hearing():
    return Hearing(FILMS, AttributeTable(FILMS))


def heard(hearing, text):
    said = hearing.hear(text)
    wanted = [value for one in said.values if one.wanted for value in dict.fromkeys(v for _, v in one.pairs)]
    refused = [value for one in said.values if not one.wanted for value in dict.fromkeys(v for _, v in one.pairs)]
    return wanted, refused


@pytest.mark.parametrize(
    ("text", "wanted", "refused"),
    [
        ("a Comedy or a drama please", ["comedy", "drama"], []),
        ("I love comedies, dramas too", ["comedy", "drama"], []),
        ("some sci-fi from the eighties", ["science fiction", "1980s"], []),
        ("no horror", [], ["horror"]),
        ("no horror or war, please", [], ["horror", "war"]),
        ("no horror, war or drama", [], ["horror", "war", "drama"]),
        ("no horror, a comedy please", ["comedy"], ["horror"]),
        ("not horror but comedy", ["comedy"], ["horror"]),
        ("I don't really like horror, I want a drama", ["drama"], ["horror"]),
        ("I do not want to watch horror with Ida Quill", ["ida quill"], ["horror"]),
        ("not from the 80s", [], ["1980s"]),
        ("anything but war", [], ["war"]),
        ("nothing but war", ["war"], []),
        ("no, rather comedy", ["comedy"], []),
        ("no i want comedy", ["comedy"], []),
        ("No. Comedy", ["comedy"], []),
        ("I don't mind horror", ["horror"], []),
        ("i dont like horror", [], ["horror"]),
        ("I can't get enough of horror", ["horror"], []),
        ("horror isn't for me", [], ["horror"]),
        ("You wouldn't happen to know a drama?", ["drama"], []),
        ("Don't you have any comedy?", ["comedy"], []),
        ("horror films are not my thing, drama is", ["drama"], ["horror"]),
        ("without Ida Quill", [], ["ida quill"]),
        ("I have no preference", [], []),
        ("let the good times prosper", [], []),
        ("the one with Prosper", ["prosper"], []),
        ("warm dramatic horrors", ["horror"], []),
        ("award winning", [], []),
    ],
)
def test_what_is_wanted_and_what_is_not(hearing, text, wanted, refused):
    assert heard(hearing, text) == (wanted, refused)


def test_a_value_inside_a_title_is_the_titles(hearing):
    said = hearing.hear("I loved Horror of the Dunes (1998), it has drama")
    assert said.items == ("2",)
    assert [one.pairs for one in said.values] == [(("genre", "drama"),)]


def test_a_name_that_several_attributes_hold_may_be_any_of_them(hearing):
    (one,) = hearing.hear("something by Ida Quill").values
    assert set(one.pairs) == {("star", "ida quill"), ("director", "ida quill")}


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("that's not horror", True),
        ("they are all not horror", True),
        ("no horror", False),
        ("that is anything but horror", True),
    ],
)
def test_a_value_is_denied_to_an_item_or_refused(hearing, text, denied):
    (one,) = hearing.hear(text).values
    assert (one.wanted, one.denied) == (False, denied)


@given(st.text(max_size=200))
def test_any_text_is_borne(text):
    hearing = Hearing(FILMS, AttributeTable(FILMS))
    assert len(hearing.hear(text).values) <= len(text)
