import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Item, ItemRef, Message
from mysteryshopper.items import Catalog, Leak, contains_title, find_leaks, user_leaks, values_with_title

FILMS = Catalog(
    [
        Item("salt", "Salt Clock, The (2004)", aliases=("Die Salzuhr",)),
        Item("academy", "Police Academy (1984)"),
        Item("room", "Panic Room"),
        Item("up", "Up (2009)"),
        Item("troopers", "Super Troopers (2001)"),
        Item("troopers2", "Super Troopers 2 (2018)"),
        Item("it", "It (2017)"),
        Item("lantern", "Lantern (1999)"),
        Item("frieda", "Frieda (2002)", attributes={"star": ("Frieda Lund", "Max Ohl")}),
        Item("super", "Super (2010)", attributes={"genre": ("superhero film",)}),
        Item("blue1", "Blue Harbour (1980)"),
        Item("blue2", "Blue Harbour (2015)"),
    ]
)


def user(text, *linked):
    return Message("user", text, tuple(ItemRef(item) for item in linked), author="simulated")


def system(text, *linked):
    return Message("assistant", text, tuple(ItemRef(item) for item in linked))


def kinds(text, *targets):
    return [
        (leak.item_id, leak.kind) for leak in find_leaks([user(text)], [FILMS.get(name) for name in targets], FILMS)
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("I love Police Academy.", "academy"),
        ("I want Panic Room.", "room"),
        ("I like Up (2009).", "up"),
        ("Super Troopers is what I want.", "troopers"),
    ],
)
def test_sentences_that_the_published_filter_judged_unevenly(text, target):
    assert kinds(text, target) == [(target, "title")]


def test_the_turn_is_told():
    talk = [user("hello there"), system("what do you like?"), user("something like the salt clock")]
    assert find_leaks(talk, [FILMS.get("salt")], FILMS) == [Leak(2, "user", "salt", "title", 2, "the salt clock")]


def test_neighbouring_messages_of_a_side_are_one_turn():
    talk = [user("hello"), user("police academy"), Message("system", "police academy"), system("x"), user("panic room")]
    found = find_leaks(talk, [FILMS.get("academy"), FILMS.get("room")], FILMS)
    assert [(leak.turn, leak.message, leak.item_id) for leak in found] == [(1, 1, "academy"), (2, 4, "room")]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Have you seen it?", "it"),
        ("I grew up near here, look it up", "up"),
        ("hang a lantern there", "lantern"),
        ("Lantern light is nice", "lantern"),
        ("I LIKE A LANTERN", "lantern"),
        ("Super Troopers 2 (2018) was fun", "troopers"),
        ("Super Troopers III was fun", "troopers"),
        ("a superhero film please", "super"),
        ("the salt clocks", "lantern"),
    ],
)
def test_ordinary_words_and_sequels_are_no_leaks(text, target):
    assert kinds(text, target) == []


@pytest.mark.parametrize(
    ("text", "target", "kind"),
    [
        ("I mean die salzuhr", "salt", "alias"),
        ("I loved the salt clcok", "salt", "fuzzy"),
        ("I loved panicroom", "room", "fuzzy"),
        ("super troper please", "troopers", "fuzzy"),
        ("something like Lantern maybe", "lantern", "title"),
        ("with Frieda Lund", "frieda", "attribute"),
        ("I want Blue Harbour", "blue2", "title"),
        ("I want Blue Harbour (2015)", "blue2", "title"),
    ],
)
def test_kinds(text, target, kind):
    assert kinds(text, target) == [(target, kind)]


def test_a_year_tells_remakes_apart():
    assert kinds("I want Blue Harbour (1980)", "blue2") == []


def test_all_targets_of_one_title_leak_by_it():
    assert kinds("Blue Harbour", "blue1", "blue2") == [("blue1", "title"), ("blue2", "title")]


def test_linked_items_are_history():
    found = find_leaks([system("look here", "salt", "up")], [FILMS.get("salt")], FILMS)
    assert found == [Leak(1, "system", "salt", "history", 0)]


def test_targets_need_not_be_in_the_catalogue():
    assert find_leaks([user("Grey Otter")], [Item("new", "Grey Otter")], FILMS)[0].item_id == "new"


def test_a_user_may_repeat_what_the_system_named():
    targets = [FILMS.get("academy"), FILMS.get("room")]
    talk = [user("panic room"), system("Police Academy?", "academy"), user("yes, Police Academy, or panic room")]
    assert [(leak.item_id, leak.turn) for leak in user_leaks(find_leaks(talk, targets, FILMS))] == [
        ("room", 1),
        ("room", 2),
    ]


def test_the_plain_count_is_blunt():
    assert contains_title("Did you look for IT?", "it")
    assert contains_title("a Superhero", "Super")
    assert not contains_title("the clock of salt", "Salt Clock")


def test_values_that_hold_the_title():
    film = Item("x", "Frieda (2002)", attributes={"star": ("Frieda Lund", "Max Ohl"), "writer": ("FRIEDA",)})
    assert values_with_title(film) == ["Frieda Lund", "FRIEDA"]
    assert values_with_title(film, ["star", "director"]) == ["Frieda Lund"]
    assert values_with_title(Item("x", "It", attributes={"star": ("Keith",)})) == []


def test_misspelt_titles_are_found_and_strangers_are_not():
    draw = random.Random(3)
    titles = ["Police Academy", "Super Troopers", "The Salt Clock", "Blue Harbour"]
    targets = {
        "Police Academy": "academy",
        "Super Troopers": "troopers",
        "The Salt Clock": "salt",
        "Blue Harbour": "blue1",
    }
    found = 0
    for _ in range(200):
        title = draw.choice(titles)
        place = draw.randrange(1, len(title) - 2)
        wrong = title[:place] + title[place + 1] + title[place] + title[place + 2 :]
        found += bool(kinds(f"maybe {wrong} then", targets[title]))
        assert not kinds(f"maybe {wrong} then", "room")
    assert found >= 190


@given(st.text(max_size=120), st.sampled_from([item.id for item in FILMS]))
def test_never_raises_and_points_at_words_of_the_text(text, target):
    for leak in find_leaks([user(text)], [FILMS.get(target)], FILMS):
        assert leak.item_id == target
        assert leak.text
        assert leak.text in text
