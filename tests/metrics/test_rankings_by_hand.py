"""Ranking metrics against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from mysteryshopper.core import DataError, ShopperError
from mysteryshopper.metrics import (
    coverage_by_turn,
    hit_at,
    label_mrr_at,
    label_ndcg_at,
    label_recall_at,
    mrr_at,
    ndcg_at,
    recall_at,
)

ALL = (recall_at, hit_at, mrr_at, ndcg_at, label_recall_at, label_mrr_at, label_ndcg_at)


def test_label_forms_of_three_labels_of_which_two_are_ranked():
    ranking, labels = [5, 9, 7], [7, 5, 8]
    assert label_recall_at(ranking, labels, 10) == pytest.approx(2 / 3)
    assert label_mrr_at(ranking, labels, 10) == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert label_ndcg_at(ranking, labels, 10) == pytest.approx((0.5 + 1 + 0) / 3)
    assert label_recall_at(ranking, labels, 1) == pytest.approx(1 / 3)
    assert label_mrr_at(ranking, labels, 1) == pytest.approx(1 / 3)


def test_one_of_two_targets_found_is_half_a_recall_and_a_whole_hit():
    assert label_recall_at(["A"], ["A", "B"], 10) == 0.5
    assert recall_at(["A"], ["A", "B"], 10) == 0.5
    assert hit_at(["A"], ["A", "B"], 10) == 1.0


def test_three_relevant_items_and_one_slot():
    assert recall_at(["x", "y"], {"x", "p", "q"}, 1) == pytest.approx(1 / 3)
    assert hit_at(["x", "y"], {"x", "p", "q"}, 1) == 1.0


def test_a_dialogue_that_stops_with_the_target_at_rank_forty_counts_at_fifty_only():
    ranking = [*range(39), "target", *range(39, 49)]
    assert [label_recall_at(ranking, ["target"], k) for k in (1, 10, 25, 50)] == [0, 0, 0, 1]


def test_every_k_keeps_its_own_value():
    """Four lists with their truth at ranks 1, 3, 5 and nowhere."""
    lists = [["a", "x"], ["x", "y", "b"], ["x", "y", "z", "w", "c"], [""]]
    rates = {k: sum(hit_at(one, [t], k) or 0 for one, t in zip(lists, "abcd", strict=True)) / 4 for k in (1, 3, 5)}
    assert rates == {1: 0.25, 3: 0.5, 5: 0.75}
    assert sum(rates.values()) / 3 == 0.5


def test_one_ranking_at_several_depths():
    ranking, relevant = ["b", "r1", "c", "r2"], {"r1", "r2", "r3"}
    assert [recall_at(ranking, relevant, k) for k in (1, 2, 4)] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [mrr_at(ranking, relevant, k) for k in (1, 2, 4)] == [0, 0.5, 0.5]
    gain = 1 / math.log2(3)
    assert ndcg_at(ranking, relevant, 2) == pytest.approx(gain / (1 + gain))
    assert ndcg_at(ranking, relevant, 4) == pytest.approx((gain + 1 / math.log2(5)) / (1 + gain + 0.5))


def test_best_possible_gain_is_bounded_by_the_depth():
    assert ndcg_at(["r1"], ["r1", "r2", "r3"], 1) == 1.0


def test_a_repeated_item_uses_its_slot_and_earns_nothing():
    assert recall_at(["a", "a", "b"], ["a", "b"], 2) == 0.5
    assert recall_at(["a", "a", "b"], ["a", "b"], 3) == 1.0
    assert label_mrr_at(["a", "a", "b"], ["b"], 3) == pytest.approx(1 / 3)
    assert ndcg_at(["x", "a", "a"], ["a"], 3) == pytest.approx(1 / math.log2(3))


@pytest.mark.parametrize("metric", ALL)
def test_an_empty_list_is_a_miss(metric):
    assert metric([], ["a"], 10) == 0.0


@pytest.mark.parametrize("metric", ALL)
def test_nothing_relevant_is_undefined_not_zero(metric):
    assert metric(["a", "b"], [], 10) is None


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("k", [0, -1])
def test_a_cut_off_below_one_is_refused(metric, k):
    with pytest.raises(ShopperError, match="k"):
        metric(["a"], ["a"], k)


@pytest.mark.parametrize("metric", ALL)
def test_a_text_is_no_ranking(metric):
    """An unread reply `[]` must not hit the truth `[` by being searched as letters."""
    with pytest.raises(DataError, match="text"):
        metric("[]", ["["], 1)
    with pytest.raises(DataError, match="text"):
        metric(["["], "[", 1)


def test_coverage_grows_over_turns():
    lists = [["a", "x"], ["y", "b"], ["a", "b"]]
    assert coverage_by_turn(lists, ["a", "b", "c", "d"], 50) == [0.25, 0.5, 0.5]


def test_coverage_counts_only_what_was_shown():
    assert coverage_by_turn([["x", "a"], ["a", "x"]], ["a"], 1) == [0.0, 1.0]
    assert coverage_by_turn([["a"], []], [], 5) == [None, None]
