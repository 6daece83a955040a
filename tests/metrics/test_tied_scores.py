"""Equal scores: expectations against every possible order, and the order by id."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError, Scored
from mysteryshopper.metrics import (
    better_and_tied,
    equals_before,
    expected_gain,
    expected_hit_at,
    expected_recall_at,
    expected_reciprocal_rank,
    expected_within,
    hit_at,
    label_mrr_at,
    label_ndcg_at,
    label_recall_at,
    order_by_id,
    recall_at,
)

small_scores = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=6)


def over_all_orders(scores, relevant, k, metric):
    orders = [order for order in permutations(scores) if sorted(order, key=lambda x: -scores[x]) == list(order)]
    return sum(Fraction(metric(order, relevant, k)) for order in orders) / len(orders)


@settings(max_examples=60, deadline=None)
@given(scores=small_scores, relevant=st.lists(st.sampled_from("abcdefz"), min_size=1, unique=True), k=st.integers(1, 7))
def test_expectations_are_the_mean_over_all_orders(scores, relevant, k):
    for expected, metric in ((expected_hit_at, hit_at), (expected_recall_at, recall_at)):
        assert expected(scores, relevant, k) == pytest.approx(float(over_all_orders(scores, relevant, k, metric)))


@settings(max_examples=60, deadline=None)
@given(scores=small_scores, k=st.integers(1, 7), data=st.data())
def test_expectations_of_one_label_are_the_mean_over_all_orders(scores, k, data):
    label = data.draw(st.sampled_from(sorted(scores)))
    [(better, tied)] = better_and_tied(scores, [label])
    for expected, metric in (
        (expected_within, label_recall_at),
        (expected_reciprocal_rank, label_mrr_at),
        (expected_gain, label_ndcg_at),
    ):
        assert expected(better, tied, k) == pytest.approx(float(over_all_orders(scores, [label], k, metric)))


def test_two_of_four_equals_fill_the_two_slots():
    scores = dict.fromkeys("abcd", 1.0)
    assert expected_hit_at(scores, ["a"], 2) == 0.5
    assert expected_hit_at(scores, ["a", "b"], 2) == pytest.approx(1 - 1 / 6)
    assert expected_recall_at(scores, ["a", "b"], 2) == 0.5
    assert expected_hit_at(scores, ["a", "b", "c"], 2) == 1.0


def test_the_third_of_three_equals_behind_one_better():
    assert expected_within(1, 2, 1) == 0
    assert expected_within(1, 2, 2) == pytest.approx(1 / 3)
    assert expected_within(1, 2, 4) == 1
    assert expected_reciprocal_rank(1, 2, 3) == pytest.approx((1 / 2 + 1 / 3) / 3)
    assert expected_gain(0, 1, 2) == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_renaming_items_changes_nothing():
    """Equal scores; only the ids differ."""
    before = {"a": 1.0, "b": 1.0, "c": 0.5}
    after = {"z": 1.0, "b": 1.0, "c": 0.5}
    assert expected_hit_at(before, ["a"], 1) == expected_hit_at(after, ["z"], 1) == 0.5


def test_an_item_without_a_score_is_never_found():
    assert expected_hit_at({"a": 1.0}, ["b"], 5) == 0
    assert expected_recall_at({"a": 1.0}, ["a", "b"], 5) == 0.5
    assert expected_hit_at({}, ["b"], 5) == 0


def test_nothing_relevant_is_undefined():
    assert expected_hit_at({"a": 1.0}, [], 5) is None
    assert expected_recall_at({"a": 1.0}, [], 5) is None


@pytest.mark.parametrize("expected", [expected_hit_at, expected_recall_at])
def test_a_text_is_no_list_of_relevant_items(expected):
    with pytest.raises(DataError, match="text"):
        expected({"a": 1.0}, "a", 1)


def test_a_score_that_is_no_number_is_named():
    with pytest.raises(DataError, match="NaN"):
        expected_hit_at({"a": math.nan}, ["a"], 1)


def test_order_by_id_takes_whole_numbers_as_numbers():
    scored = [Scored(name, 1.0) for name in ("10", "9", "x", "2")] + [Scored("z", 2.0)]
    assert order_by_id(scored) == ["z", "2", "9", "10", "x"]


@given(st.dictionaries(st.sampled_from(["7", "007", "10", "9", "x", "a", "-3"]), st.integers(0, 2), min_size=1))
def test_a_place_by_id_is_better_ones_and_equals_before(scores):
    order = order_by_id(Scored(name, float(score)) for name, score in scores.items())
    for item, (better, _) in zip(scores, better_and_tied(scores, scores), strict=True):
        assert order.index(item) == better + equals_before(scores, item)
    assert order_by_id([Scored(name, float(score)) for name, score in scores.items()], 2) == order[:2]


def test_order_by_id_keeps_ids_apart_that_are_equal_as_numbers():
    assert order_by_id([Scored("007", 1.0), Scored("7", 1.0)]) == order_by_id([Scored("7", 1.0), Scored("007", 1.0)])


@given(st.lists(st.tuples(st.text("-0179aé٤", max_size=4), st.integers(0, 2))))
def test_order_by_id_does_not_depend_on_the_order_given(pairs):
    scored = [Scored(name, score) for name, score in dict(pairs).items()]
    ordered = order_by_id(scored)
    assert ordered == order_by_id(reversed(scored))
    assert sorted(ordered) == sorted(one.id for one in scored)
    by_name = dict(pairs)
    assert [by_name[name] for name in ordered] == sorted(by_name.values(), reverse=True)
