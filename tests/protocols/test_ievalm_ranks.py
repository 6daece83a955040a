"""Places in a table of many systems: by hand, with ties, and sure only where the clusters agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.protocols.ievalm.ranks import Valued, ranks


def valued(values, weight=1.0):
    return [Valued(str(place), str(place), value, weight) for place, value in enumerate(values)]


def test_places_by_hand():
    found = ranks({"a": valued([0, 1, 1]), "b": valued([1, 1, 1]), "c": valued([0, 0, 0])}, seed=1)
    assert {name: one.value for name, one in found.items()} == {"b": 1.0, "a": 2.0, "c": 3.0}
    assert found["a"].low is None
    assert "3 clusters" in found["a"].reason


def test_equals_share_the_mean_of_their_places():
    found = ranks({"a": valued([1, 0]), "b": valued([0, 1]), "c": valued([0, 0])}, seed=1)
    assert [found[name].value for name in "abc"] == [1.5, 1.5, 3.0]


def test_only_units_that_all_have_are_counted():
    found = ranks({"a": valued([1, 0, 0]), "b": valued([0, 1])}, seed=1)
    assert (found["a"].n, found["a"].value) == (2, 1.5)


def test_a_system_ahead_on_every_cluster_is_surely_first_and_one_ahead_on_half_is_not():
    sure = ranks({"a": valued([1] * 40), "b": valued([0] * 40)}, seed=1)
    assert (sure["a"].low, sure["a"].high) == (1, 1)
    open_ = ranks({"a": valued([1, 0] * 20), "b": valued([0, 1] * 20)}, seed=1)
    assert (open_["a"].low, open_["a"].high) == (1, 2)


def test_what_is_hard_for_all_changes_no_place():
    hard = [0.0, 1.0] * 20
    found = ranks({"a": valued([0.5 + value / 2 for value in hard]), "b": valued([value / 2 for value in hard])}, 1)
    assert (found["b"].low, found["b"].high) == (2, 2)


def test_labels_weigh_as_many_as_they_are():
    one = [Valued("1", "1", 2.0, 2.0), Valued("2", "2", 0.0, 1.0)]
    other = [Valued("1", "1", 0.0, 2.0), Valued("2", "2", 1.0, 1.0)]
    found = ranks({"a": one, "b": other}, seed=1)
    assert found["a"].value == 1.0


def test_systems_without_a_shared_unit_have_no_place():
    found = ranks({"a": valued([1]), "b": []}, seed=1)
    assert found["a"].value is None
    assert found["a"].reason


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_places_add_up_and_blind_to_the_order_of_units(rows, random):
    systems = {str(number): valued(row) for number, row in enumerate(rows)}
    found = ranks(systems, seed=3)
    assert sum(one.value for one in found.values()) == pytest.approx(len(rows) * (len(rows) + 1) / 2)
    for one in found.values():
        assert 1 <= one.low <= one.high <= len(rows)
    order = list(range(12))
    random.shuffle(order)
    mixed = {name: [values[place] for place in order] for name, values in systems.items()}
    assert ranks(mixed, seed=3) == found
