"""People made without a model: their wishes can be met, they spread evenly, and more of them only adds."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError, Item
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.items import meets
from mysteryshopper.profiles import (
    PATIENCE,
    STYLES,
    MadeProfiles,
    generate_profiles,
    profile_line,
    read_profiles,
)


@pytest.fixture(scope="module")
def films():
    return load(DataBlock(name="films")).catalog()


@pytest.fixture(scope="module")
def sixty(films):
    return generate_profiles(films, 60, seed=5)


def known(item, profile):
    return f"{item.title} ({item.year})" in profile.seen


def test_every_wish_is_met_by_items_that_the_person_does_not_know(films, sixty):
    for profile in sixty.profiles:
        fitting = [item for item in films if meets(item, profile.attributes)]
        unknown = [item for item in fitting if not known(item, profile)]
        assert len(unknown) >= 2
        assert len(fitting) <= len(films) * 0.12
        assert profile.notes["items"] == len(unknown)


def test_constraints_and_preferences_can_be_met_together(films, sixty):
    with_preferences = [profile for profile in sixty.profiles if profile.prefers]
    assert len(with_preferences) > 15
    for profile in with_preferences:
        assert not set(profile.prefers) & set(profile.attributes)
        assert any(meets(item, {**profile.attributes, **profile.prefers}) for item in films)


def test_one_constraint_at_least_is_told_openly(sixty):
    held_back = [profile for profile in sixty.profiles if profile.hidden]
    assert held_back
    for profile in held_back:
        assert set(profile.hidden) <= {*profile.attributes, *profile.prefers}
        assert set(profile.attributes) - set(profile.hidden)


def test_the_wish_in_words_names_all_of_it(sixty):
    for profile in sixty.profiles:
        for values in (*profile.attributes.values(), *profile.prefers.values()):
            assert all(value.casefold() in profile.wish.casefold() for value in values)


def test_manners_and_patience_are_dealt_evenly(films):
    people = generate_profiles(films, 81, seed=2).profiles
    assert len({tuple(profile.style.values()) for profile in people}) == 81
    for trait, words in STYLES.items():
        assert Counter(profile.style[trait] for profile in people) == dict.fromkeys(words, 27)
    counts = Counter(profile.patience for profile in people[:80])
    assert counts == dict.fromkeys(PATIENCE, 16)


def test_traits_are_even_on_the_way_to_all_combinations(sixty):
    for trait, words in STYLES.items():
        counts = Counter(profile.style[trait] for profile in sixty.profiles)
        assert max(counts.values()) - min(counts[word] for word in words) <= 2


def test_attributes_are_wished_for_about_equally_often(sixty):
    wishes = sixty.coverage.wishes
    assert set(wishes) == {"genre", "director", "star", "country", "decade"}
    assert max(wishes.values()) - min(wishes.values()) <= 4


def test_wishes_are_of_every_difficulty(sixty):
    assert set(sixty.coverage.difficulty) == {"hard", "medium", "easy"}
    assert min(sixty.coverage.difficulty.values()) >= 10
    low, middle, high = sixty.coverage.items
    assert 2 <= low < middle < high


def test_more_people_only_add_and_seeds_tell_them_apart(films, sixty):
    assert generate_profiles(films, 75, seed=5).profiles[:60] == sixty.profiles
    assert generate_profiles(films, 60, seed=6).profiles != sixty.profiles
    assert len({profile.id for profile in sixty.profiles}) == 60


def test_bounds_are_kept(films):
    bounds = MadeProfiles(generate=1, hard=1, soft=0, hidden=0, seen=0, least=10)
    for profile in generate_profiles(films, 30, seed=1, settings=bounds).profiles:
        assert len(profile.attributes) == 1
        assert (profile.prefers, profile.hidden, profile.seen) == ({}, (), ())
        assert sum(meets(item, profile.attributes) for item in films) >= 10


def test_what_is_written_reads_back_the_same(films, sixty, tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text("".join(profile_line(profile) + "\n" for profile in sixty.profiles), "utf-8")
    assert tuple(read_profiles(path)) == sixty.profiles
    assert "likes" not in json.loads(path.read_text("utf-8").splitlines()[0])


def test_coverage_counts_what_is_there(films, sixty):
    rows = dict(sixty.coverage.rows())
    assert rows["profiles"] == "60"
    assert rows["combinations of style"] == "60 of 81"
    directors = Counter(director for film in films for director in film.attributes["director"])
    twice = sum(count >= 2 for count in directors.values())
    assert sixty.coverage.values["director"][1] == twice


def test_items_without_attributes_are_refused():
    with pytest.raises(DataError, match="nothing to wish for"):
        generate_profiles([Item("1", "Lantern Road")], 1)
    lonely = [Item(str(place), f"Tale {place}", attributes={"maker": (f"m{place}",)}) for place in range(9)]
    with pytest.raises(DataError, match="lower `least`"):
        generate_profiles(lonely, 1)
    with pytest.raises(ValueError, match="one profile at least"):
        generate_profiles(lonely, 0)


@st.composite
def shelves(draw):
    size = draw(st.integers(12, 40))
    colours, makers = st.sampled_from(["red", "Blue", "green"]), st.sampled_from(["Ann", "Bo", "Cy", "Di"])
    return [
        Item(f"i{place}", f"Thing {place}", attributes={"colour": (draw(colours),), "maker": (draw(makers),)})
        for place in range(size)
    ]


@settings(max_examples=40, deadline=None)
@given(shelves(), st.integers(0, 1000))
def test_whatever_the_items_a_wish_can_be_met_or_none_is_made(items, seed):
    try:
        made = generate_profiles(items, 4, seed)
    except DataError:
        return
    for profile in made.profiles:
        assert sum(meets(item, profile.attributes) for item in items) >= 2


def test_all_sorts_of_difficulty_occur_in_a_small_catalogue():
    items = [
        Item(str(number), f"Thing {number}", None, {"colour": (("red", "blue", "grey")[number % 3],), "size": (size,)})
        for number, size in enumerate(["big", "small", "tiny", "tiny"] * 6)
    ]
    made = generate_profiles(items, 30, 4)
    by_sort = {}
    for profile in made.profiles:
        by_sort.setdefault(profile.notes["difficulty"], []).append(
            sum(
                all(set(values) & set(item.attributes[name]) for name, values in profile.attributes.items())
                for item in items
            )
        )
    assert set(by_sort) == {"hard", "medium", "easy"}
    assert max(by_sort["hard"]) <= min(by_sort["medium"]) <= max(by_sort["medium"]) <= min(by_sort["easy"])
    assert max(by_sort["easy"]) <= len(items) / 3
