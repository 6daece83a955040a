"""The rules of titles: what is the same, what a year decides, and that a sequel is another film."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError, Item
from mysteryshopper.items import Catalog, Match

FOUND = "ok"


def catalog(*titles: str) -> Catalog:
    return Catalog([Item(title, title) for title in titles])


@pytest.mark.parametrize(
    "spelling",
    [
        "Salt Clock, The (2004)",
        "The Salt Clock (2004)",
        "the salt clock (2004)",
        "THE  SALT\tCLOCK",
        "“The Salt Clock”",
        "The Salt Clock（2004）",
        "\u200fThe Salt Clock\u200f (2004)",
        "The Salt Clock (Die Salzuhr) (2004)",
    ],
)
def test_one_title_in_many_spellings(spelling):
    assert catalog("Salt Clock, The (2004)").match(spelling) == Match("Salt Clock, The (2004)", FOUND)


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        (unicodedata.normalize("NFC", "Amélie (2001)"), unicodedata.normalize("NFD", "Amélie (2001)")),
        ("Schindler’s List", "Schindler's List"),
        ("千与千寻（2001）", "千与千寻 (2001)"),
        ("Mirror: Part II (1991)", "mirror: part 2"),
        ("Night Ferry (Nattfärjan) (1999)", "Nattfärjan"),
        ("Night Ferry (a.k.a. The Crossing) (1999)", "Crossing, The (1999)"),
    ],
)
def test_both_ways_round(held, asked):
    assert catalog(held).match(asked).status == FOUND
    assert catalog(asked).match(held).status == FOUND or "Ferry" in held


@pytest.mark.parametrize(
    ("year", "match"),
    [
        (2004, Match("a", "ok")),
        (None, Match("a", "ok")),
        (2005, Match("a", "year_off_by_one")),
        (2003, Match("a", "year_off_by_one")),
        (2006, Match(None, "not_found")),
    ],
)
def test_a_year_decides(year, match):
    assert Catalog([Item("a", "Lantern Road", 2004)]).match("Lantern Road", year) == match


def test_remakes_need_their_year():
    films = Catalog([Item("old", "Lantern Road", 1950), Item("new", "Lantern Road", 2011)])
    assert films.match("Lantern Road") == Match(None, "ambiguous")
    assert films.match("Lantern Road (2011)") == Match("new", "ok")
    assert films.match("Lantern Road (1951)") == Match("old", "year_off_by_one")
    assert films.match("Lantern Road", 1980) == Match(None, "not_found")


def test_the_last_number_in_brackets_and_a_ranges_first_year():
    films = Catalog([Item("a", "1984 Lanterns (1990)", None), Item("b", "Salt Clock", 2004)])
    assert films.match("1984 Lanterns").item_id == "a"
    assert films.match("1984 Lanterns (1990)") == Match("a", "ok")
    assert films.match("Salt Clock (2004–2009)") == Match("b", "ok")


def test_a_year_goes_before_the_one_in_the_title_and_an_unknown_year_fits():
    films = Catalog([Item("a", "Salt Clock", 2004), Item("b", "Lantern Road")])
    assert films.match("Salt Clock (1950)", 2004) == Match("a", "ok")
    assert films.match("Lantern Road (1999)") == Match("b", "ok")


@pytest.mark.parametrize("asked", ["Toy Story 2", "Toy Story II", "Toy Story 3 (2010)", "Toy Story (2)", "Toy"])
def test_a_sequel_is_not_its_original(asked):
    assert catalog("Toy Story (1995)").match(asked) == Match(None, "not_found")


def test_sequels_keep_apart_and_numerals_are_one():
    films = catalog("Toy Story (1995)", "Toy Story 2 (1999)", "Toy Story 3 (2010)")
    assert films.match("Toy Story II").item_id == "Toy Story 2 (1999)"
    assert films.match("toy story").item_id == "Toy Story (1995)"


@pytest.mark.parametrize("title", ["NA", "None", "null", "nan", "It", "M", "(2007)", "9"])
def test_odd_titles_stay_titles(title):
    assert catalog(title, "Lantern Road").match(title) == Match(title, FOUND)


def test_nothing_matches_nothing():
    films = catalog("Lantern Road", "")
    assert films.match("") == Match(None, "not_found")
    assert films.match(" \u200b ") == Match(None, "not_found")
    assert Catalog([]).match("Lantern Road") == Match(None, "not_found")


def test_ids_are_strings_and_unique():
    films = Catalog([Item("007", "Lantern Road"), Item("7", "Salt Clock")], name="films")
    assert films.get("007").title == "Lantern Road"
    assert films.find("7.0") is None
    assert (len(films), [item.id for item in films]) == (2, ["007", "7"])
    assert "7" in films
    assert "70" not in films
    with pytest.raises(DataError, match=r"films.*'70'"):
        films.get("70")
    with pytest.raises(DataError, match="'7' twice"):
        Catalog([Item("7", "Lantern Road"), Item("7", "Salt Clock")])


words = st.text(st.characters(categories=["L", "N", "Zs"], max_codepoint=0x24F), min_size=1, max_size=12)


@given(words, words)
def test_matching_is_symmetric(left, right):
    forward = Catalog([Item("x", left)]).match(right).item_id
    backward = Catalog([Item("x", right)]).match(left).item_id
    assert forward == backward


@given(st.text(max_size=30), st.none() | st.integers(1900, 2030))
def test_any_title_finds_itself_and_never_raises(title, year):
    found = Catalog([Item("x", title, year)]).match(title, year)
    assert found.status in ("ok", "not_found")
    if any(character.isalnum() for character in title.translate(dict.fromkeys(range(0x2070, 0x20A0)))):
        assert found.item_id == "x"
