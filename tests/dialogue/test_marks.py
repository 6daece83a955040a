"""What is told of an item shown: whether it is wanted, and which attributes of the wish it does not meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Goal, Item, ItemRef, Profile, Shown, UserTurn
from mysteryshopper.dialogue import Scene, converse, marker
from mysteryshopper.items import Catalog, meets

CLOCK = Item("t1", "The Salt Clock", 2004, {"genre": ("Comedy", "drama"), "decade": ("2000s",)})
ROAD = Item("x9", "Lantern Road", 1998, {"genre": ("war",), "star": ("Ida Quill",)})
CATALOG = Catalog([CLOCK, ROAD])
WISH = Profile("anna", attributes={"genre": ("COMEDY",), "decade": ("1990s",)}, prefers={"star": ("ida  quill",)})


def shown(item, **more):
    return Shown(ItemRef(item.id, item.title, item.year), **more)


def mark(goal, item, profile=WISH, find=CATALOG.find):
    return marker(goal, find, profile)(ItemRef(item.id, item.title, item.year))


def test_required_and_preferred_attributes_that_an_item_lacks_are_named():
    goal = Goal(constraints=WISH.attributes)
    assert mark(goal, CLOCK) == shown(CLOCK, mine=False, misses=("decade", "star"))
    assert mark(goal, ROAD) == shown(ROAD, mine=False, misses=("genre", "decade"))


def test_a_preference_that_is_missed_leaves_the_item_wanted():
    profile = Profile("anna", attributes={"genre": ("drama",)}, prefers={"star": ("Ida Quill",)})
    assert mark(Goal(constraints=profile.attributes), CLOCK, profile) == shown(CLOCK, mine=True, misses=("star",))


def test_targets_are_told_by_id_and_misses_by_attributes():
    goal = Goal((CLOCK,))
    assert mark(goal, CLOCK) == shown(CLOCK, mine=True, misses=("decade", "star"))
    assert mark(goal, ROAD) == shown(ROAD, mine=False, misses=("genre", "decade"))


def test_a_target_is_known_without_a_catalogue_and_nothing_else_is():
    goal = Goal((CLOCK,))
    assert mark(goal, CLOCK, find=None).misses == ("decade", "star")
    assert mark(goal, ROAD, find=None) == shown(ROAD, mine=False)


def test_a_target_named_by_its_title_alone_gets_its_misses_too():
    found = marker(Goal((CLOCK,)), CATALOG.find, WISH)(ItemRef(None, "Salt Clock, The", 2004))
    assert (found.item.id, found.mine, found.misses) == ("t1", True, ("decade", "star"))


@pytest.mark.parametrize("ref", [ItemRef("gone", "Lantern Road"), ItemRef(None, "Lantern Road", 1998)])
def test_of_an_unknown_item_nothing_is_known_to_be_missed(ref):
    assert marker(Goal(constraints=WISH.attributes), CATALOG.find, WISH)(ref) == Shown(ref, None)
    assert marker(Goal(), CATALOG.find, WISH)(ref) == Shown(ref)


def test_without_a_wish_nothing_is_missed_and_without_a_goal_it_still_is():
    assert mark(Goal((CLOCK,)), ROAD, Profile("anna")) == shown(ROAD, mine=False)
    assert mark(Goal(), ROAD) == shown(ROAD, misses=("genre", "decade"))


def test_an_attribute_both_required_and_preferred_is_named_once():
    profile = Profile("anna", attributes={"genre": ("opera",)}, prefers={"genre": ("noir",)})
    assert mark(Goal(), CLOCK, profile).misses == ("genre",)


VALUES = st.lists(st.sampled_from(["war", "War ", "comedy", "noir"]), max_size=3).map(tuple)
WISHES = st.dictionaries(st.sampled_from(["genre", "star", "mood"]), VALUES, max_size=3)


@given(WISHES, WISHES)
def test_an_item_misses_nothing_exactly_where_it_meets_the_wish(held, wished):
    item = Item("i", "Glass Harbour", attributes=held)
    found = marker(Goal(constraints=wished), {"i": item}.get, Profile("p", attributes=wished))(ItemRef("i"))
    assert found.misses == tuple(name for name in wished if not meets(item, {name: wished[name]}))
    assert (found.mine is not False) == (found.misses == ())


async def test_the_user_sees_what_the_loop_marked(stage):
    user = stage.lines("Hi", UserTurn("", end="done"))
    system = stage.replies(stage.show(ItemRef("t1", "The Salt Clock", 2004)))
    scene = stage.scene(Goal(constraints=WISH.attributes), profile=WISH)
    dialogue = await converse(
        Scene(scene.scenario, scene.opening, scene.goal, scene.policy, find=CATALOG.find), user, system, None, name="d"
    )
    assert [entry.misses for entry in user.views[1].shown] == [("decade", "star")]
    assert dialogue.nodes[1].items[0].misses == ("decade", "star")
    assert "decade" not in repr(system.histories)
