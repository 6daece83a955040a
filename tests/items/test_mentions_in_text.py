"""Titles in running text: what is a mention, of which item, and where."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Item
from mysteryshopper.items import Catalog

FILMS = Catalog(
    [
        Item("toy1", "Toy Story (1995)"),
        Item("toy2", "Toy Story 2 (1999)"),
        Item("salt", "Salt Clock, The (2004)"),
        Item("it17", "It (2017)"),
        Item("it90", "It (1990)"),
        Item("up", "Up (2009)"),
        Item("her", "Her (2013)"),
        Item("m", "M (1931)"),
        Item("old", "Lantern Road (1950)"),
        Item("new", "Lantern Road (2011)"),
        Item("family", "The Family (2013)"),
        Item("else", "Anything Else (2003)"),
        Item("cjk", "千与千寻（2001）"),
        Item("harbor", "Harbour Runner (1982)"),
        Item("amelie", "Amélie Leaves (2001)"),
        Item("yes", "Yes (2004)"),
        Item("rocky", "Harbour Boxer II"),
        Item("null", "null"),
        Item("shout", "Aboard! (1980)"),
        Item("fish", "Hook (1991)"),
        Item("ring", "The Ring (2002)"),
    ]
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("How about toy story?", ["toy1"]),
        ("I liked Toy Story and Toy Story 2.", ["toy1", "toy2"]),
        ("Toy Story II then", ["toy2"]),
        ("Toy Story 3 is better", []),
        ("Toy Story III and Toy Story Part 4", []),
        ("Toy Story: Part Two", []),
        ("Toy Story (2) maybe", []),
        ("I saw Toy Story 3 times", ["toy1"]),
        ("Toy Story 10/10", ["toy1"]),
        ("1. Toy Story\n2. Salt Clock, The\n3. Up", ["toy1", "salt", "up"]),
        ("something like the salt clock", ["salt"]),
        ("**The Salt Clock** (2004) – slow", ["salt"]),
        ("The Salt Clock (2005)", ["salt"]),
        ("The Salt Clock (2010)", []),
        ("The Salt Clock 2004 was good", ["salt"]),
        ("the salt clocks of my uncle", []),
        ("Lantern Road", []),
        ("Lantern Road (2011) beats Lantern Road（1950）", ["new", "old"]),
        ("“Lantern Road” (2011)", ["new"]),
        ("Harbour Runner 2071", []),
        ("harbour boxer 2", ["rocky"]),
        ("Amélie Leaves", ["amelie"]),
        (unicodedata.normalize("NFD", "I saw Amélie Leaves twice"), ["amelie"]),
        ("\u200fToy\u200e Story\u200f", ["toy1"]),
        ("Toy   Story", ["toy1"]),
        ("Toy\nStory", []),
        ("", []),
    ],
)
def test_titles_of_several_words(text, ids):
    assert FILMS.mentions(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Have you seen it?", []),
        ("I looked it up for her, I'm fine", []),
        ("Have you seen It (2017)?", ["it17"]),
        ("it (1990)", ["it90"]),
        ("It (2018)", []),
        ('I liked "Up" a lot', ["up"]),
        ("I liked ‘Up,’ a lot", ["up"]),
        ("I liked 'Her' a lot", ["her"]),
        ("Up", ["up"]),
        ("up!", ["up"]),
        ("M", ["m"]),
        ("Up?", []),
        ("It", []),
        ("Yes", []),
        ('"Yes"', ["yes"]),
        ("Aboard! (1980) is fun", ["shout"]),
        ("the Hook (1991)", ["fish"]),
        ("Off the Hook (1999)", []),
        ("null", ["null"]),
        ("there is null reason", []),
        ("《千与千寻》", ["cjk"]),
        ("我喜欢千与千寻很好看", ["cjk"]),
    ],
)
def test_short_titles_need_more(text, ids):
    assert FILMS.mentions(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("I watch it with the family", []),
        ("I watched The Family", ["family"]),
        ("I watched the Family", ["family"]),
        ('"the family"', ["family"]),
        ("the family (2013)", ["family"]),
        ("Is there anything else?", []),
        ("Anything else you want", []),
        ("I did like Anything Else", ["else"]),
        ("Fellowship of the Ring (2001)", []),
    ],
)
def test_titles_of_common_words_need_capitals(text, ids):
    assert FILMS.mentions(text) == ids


def test_published_false_accepts_are_none():
    target = Catalog([Item("t", "It (2017)")])
    assert target.mentions("Have you seen it?") == []
    story = Catalog([Item("t", "Toy Story(1995)")])
    assert story.mentions("How about toy story?") == ["t"]
    assert [story.match(title).item_id for title in ("Toy Story 2", "Up")] == [None, None]
    assert story.mentions("Toy Story 2") == []


def test_spans_point_into_the_original_text():
    text = "İ said: Toy  Story, ｆｉｎｅ — then “The Salt Clock”…"
    assert [(text[start:end], item) for start, end, item in FILMS.mention_spans(text)] == [
        ("Toy  Story", "toy1"),
        ("The Salt Clock", "salt"),
    ]


def test_aliases_are_mentions():
    films = Catalog([Item("a", "Night Ferry (Now and Then) (1999)", aliases=("The Crossing Boat",))])
    assert films.mentions("the crossing boat") == ["a"]
    assert films.mentions("now and then I watch one") == []
    assert films.mentions("night ferry") == ["a"]


@given(st.text(max_size=200))
def test_never_raises_and_spans_lie_inside_in_order(text):
    last = 0
    for start, end, item in FILMS.mention_spans(text):
        assert last <= start < end <= len(text)
        assert item in FILMS
        last = end


@given(
    st.lists(
        st.sampled_from(
            ["toy story ", "(1995)", '"Up"', "It (2017)", " 2", "\n", "é", "  ", "the salt clock", "x", "’"]
        )
    )
)
def test_pieces_of_titles_keep_spans_sound(pieces):
    text = "".join(pieces)
    spans = FILMS.mention_spans(text)
    assert all(text[start:end].strip() == text[start:end] for start, end, _ in spans)
    assert FILMS.mentions(text) == [item for _, _, item in spans]


@given(st.permutations(["toy1", "toy2", "salt", "it17", "up", "her", "m", "new", "cjk", "amelie"]))
def test_quoted_with_year_all_are_found_in_order(order):
    def named(item_id):
        item = FILMS.get(item_id)
        return f"“{item.title[:-6].rstrip('（( ')}” ({item.title[-5:-1]})"

    assert FILMS.mentions("I know " + ", then ".join(map(named, order)) + ".") == order


@given(st.sampled_from(sorted(item.id for item in FILMS)), st.sampled_from(["NFC", "NFD"]))
def test_unicode_form_makes_no_difference(item_id, form):
    item = FILMS.get(item_id)
    text = f'so "{item.title}" it is'
    assert FILMS.mentions(unicodedata.normalize(form, text)) == FILMS.mentions(text)
