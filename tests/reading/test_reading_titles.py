"""Years taken off titles, and keys that are equal for one title and different for different ones."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.reading import split_year, title_key


@pytest.mark.parametrize(
    ("text", "title", "year"),
    [
        ("Lantern Road (1998)", "Lantern Road", 1998),
        ("千与千寻（2001）", "千与千寻", 2001),
        ("Mirror: Part II (1991)", "Mirror: Part II", 1991),
        ("The  Glass   Harbour  (1980)", "The Glass Harbour", 1980),
        ("\u200fThe Salt Clock\u200e (2004)", "The Salt Clock", 2004),
        ("Tin Parade (1990–1995)", "Tin Parade", 1990),
        ("Tin Parade (TV Series 1990- )", "Tin Parade", 1990),
        ("Tin Parade (1990) (Blech auf Parade)", "Tin Parade (Blech auf Parade)", 1990),
        ("Tin Parade (1990) (Parade 2000)", "Tin Parade (Parade 2000)", 1990),
        ("Tin Parade (Parade 2000)", "Tin Parade (Parade)", 2000),
        ("(500) Lanterns (2009)", "(500) Lanterns", 2009),
        ("9 (2009)", "9", 2009),
        ("Ｆｏｏ（２００１）", "Ｆｏｏ", 2001),
        ("Untitled Pilot", "Untitled Pilot", None),
        ("2012", "2012", None),
        ("(2004)", "(2004)", None),
        ("Serial 12345 (12345)", "Serial 12345 (12345)", None),
        ("", "", None),
    ],
)
def test_the_year_is_the_last_four_digit_number_in_brackets(text: str, title: str, year: int | None) -> None:
    assert split_year(text) == (title, year)


@pytest.mark.parametrize(
    "spellings",
    [
        (
            "The Salt Clock",
            "Salt Clock, The",
            "the salt clock",
            "  The  Salt Clock ",
            '"Salt Clock, The"',
            "THE SALT CLOCK",
        ),
        ("Amélie", unicodedata.normalize("NFD", "Amélie"), "AMÉLIE"),
        ("Schindler’s List", "Schindler's List", "Schindlerʼs List"),
        ("\u200fThe Salt Clock\u200e", "\ufeffThe Salt\u00a0Clock", "The Salt Clock"),
        ("Mirror: Part II", "Mirror: Part 2", "mirror: part ii"),
        ("L'Oiseau", "Oiseau, L'", "Oiseau, L’"),
        ("Glass Harbour – Dawn", "Glass Harbour - Dawn"),
        ("“Ahoy!”", "Ahoy!", "ahoy"),
        ("Harbour ９", "Harbour 9", "Harbour IX"),
    ],
)
def test_spellings_of_one_title_share_a_key(spellings: tuple[str, ...]) -> None:
    assert len({title_key(text) for text in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Harbour", "Harbour II"),
        ("Harbour II", "Harbour III"),
        ("Harbour", "The Harbour"),
        ("V", "5"),
        ("The X", "The 10"),
        ("007", "7"),
        ("It", "It Follows Me"),
        ("Seven (Se7en)", "Seven"),
    ],
)
def test_different_titles_have_different_keys(one: str, other: str) -> None:
    assert title_key(one) != title_key(other)


def test_only_a_title_without_visible_characters_has_no_key() -> None:
    assert title_key("") == title_key(" \u200b ") == ""
    assert title_key("!!!") == "!!!"


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert title_key(title_key(text)) == title_key(text)


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd", "Zs"]), min_size=1), st.integers(1870, 2099))
def test_a_year_put_on_comes_off_again(title: str, year: int) -> None:
    folded = " ".join(title.split())
    if folded:
        assert split_year(f"{title} ({year})") == (folded, year)
        assert split_year(f"{title}（{year}）") == (folded, year)


@given(st.text())
def test_splitting_never_invents_a_title(text: str) -> None:
    title, year = split_year(text)
    assert set(title) - {" "} <= set(text)
    assert year is None or 0 <= year <= 9999
