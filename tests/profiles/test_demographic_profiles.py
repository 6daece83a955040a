"""People by title, surname and how picky they are."""

from collections import Counter

import pytest

from mysteryshopper.profiles import PICKINESS, TITLES, demographic_profiles, surnames


def test_the_groups_of_surnames_are_of_one_size():
    assert {group: len(names) for group, names in surnames().items()} == {
        "white": 60, "black": 60, "api": 60, "native": 60, "hispanic": 60,
    }  # fmt: skip
    assert len({name for names in surnames().values() for name in names}) == 300


def test_titles_degrees_and_groups_are_dealt_evenly():
    people = demographic_profiles(90, seed=3)
    assert Counter(one.notes["title"] for one in people) == dict.fromkeys(TITLES, 30)
    assert Counter(one.notes["pickiness"] for one in people) == dict.fromkeys(PICKINESS, 30)
    assert Counter(one.notes["group"] for one in people) == dict.fromkeys(surnames(), 18)


def test_no_surname_comes_twice_before_all_have_come():
    people = demographic_profiles(300, seed=1)
    assert len({one.notes["surname"] for one in people}) == 300


def test_the_persona_names_the_person_and_the_degree():
    people = demographic_profiles(60, seed=2)
    sentences = {degree: set() for degree in PICKINESS}
    for one in people:
        name = f"{one.notes['title']} {one.notes['surname']}"
        assert one.persona.startswith(f"{name}, who ")
        sentences[one.notes["pickiness"]].add(one.persona.removeprefix(name))
    assert [len(found) for found in sentences.values()] == [1, 1, 1]
    assert len(set.union(*sentences.values())) == 3


def test_more_people_only_add():
    assert demographic_profiles(20, seed=4) == demographic_profiles(50, seed=4)[:20]
    assert demographic_profiles(20, seed=4) != demographic_profiles(20, seed=5)
    with pytest.raises(ValueError, match="one profile at least"):
        demographic_profiles(0)


def test_the_rule_of_the_surnames_gives_the_file(shared_data):
    import surnames as tool

    source = shared_data("surnames", "census2010_race_given_surname_500.csv")
    import csv

    with open(source, encoding="utf-8", newline="") as file:
        found = tool.chosen(list(csv.DictReader(file)))
    by_group = {}
    for name, group, share in found:
        assert share > 0.9
        by_group.setdefault(group, []).append(name)
    assert {group: tuple(names) for group, names in by_group.items()} == dict(surnames())
