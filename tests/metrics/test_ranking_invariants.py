"""What must hold of every ranking metric, whatever the ranking."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.metrics import (
    coverage_by_turn,
    expected_hit_at,
    expected_recall_at,
    hit_at,
    label_mrr_at,
    label_ndcg_at,
    label_recall_at,
    mrr_at,
    ndcg_at,
    recall_at,
)

items = st.integers(0, 12)
rankings = st.lists(items, max_size=15)
relevants = st.lists(items, max_size=6, unique=True)
depths = st.integers(1, 20)
ALL = (recall_at, hit_at, mrr_at, ndcg_at, label_recall_at, label_mrr_at, label_ndcg_at)
GROWING = (recall_at, hit_at, mrr_at, label_recall_at, label_mrr_at, label_ndcg_at)

every_metric = st.sampled_from(ALL)


@given(metric=every_metric, ranking=rankings, relevant=relevants, k=depths)
def test_values_are_shares(metric, ranking, relevant, k):
    value = metric(ranking, relevant, k)
    assert (value is None) == (not relevant)
    assert value is None or 0 <= value <= 1


@given(metric=every_metric, ranking=rankings, relevant=relevants, k=depths, names=st.permutations(range(13)))
def test_names_of_items_do_not_matter(metric, ranking, relevant, k, names):
    renamed = [f"item {names[item]}" for item in ranking], [f"item {names[item]}" for item in relevant]
    before, after = metric(ranking, relevant, k), metric(*renamed, k)
    assert before == after or math.isclose(before, after)


@given(metric=every_metric, ranking=rankings, relevant=relevants, k=depths)
def test_inputs_are_left_as_they_were(metric, ranking, relevant, k):
    kept = list(ranking), list(relevant)
    assert metric(ranking, relevant, k) == metric(ranking, relevant, k)
    assert (ranking, relevant) == kept


@given(metric=every_metric, ranking=rankings, relevant=relevants, k=depths, data=st.data())
def test_order_of_relevant_items_does_not_matter(metric, ranking, relevant, k, data):
    shuffled = data.draw(st.permutations(relevant))
    before, after = metric(ranking, relevant, k), metric(ranking, shuffled, k)
    assert before == after or math.isclose(before, after)


@given(metric=st.sampled_from(GROWING), ranking=rankings, relevant=relevants.filter(bool))
def test_a_deeper_look_never_finds_less(metric, ranking, relevant):
    values = [metric(ranking, relevant, k) for k in range(1, 18)]
    assert values == sorted(values)


@given(ranking=rankings, relevant=relevants.filter(bool), k=depths)
def test_measures_bound_each_other(ranking, relevant, k):
    """Recall is at most hit; a reciprocal rank is at most a gain, which is at most a find."""
    assert recall_at(ranking, relevant, k) <= hit_at(ranking, relevant, k)
    assert label_recall_at(ranking, relevant, k) == pytest.approx(recall_at(ranking, relevant, k))
    by_label = [form(ranking, relevant, k) for form in (label_mrr_at, label_ndcg_at, label_recall_at)]
    assert by_label[0] <= by_label[1] + 1e-12 <= by_label[2] + 2e-12


@given(lists=st.lists(rankings, max_size=6), relevant=relevants.filter(bool), k=depths)
def test_coverage_never_shrinks_and_ends_at_the_recall_of_the_union(lists, relevant, k):
    shares = coverage_by_turn(lists, relevant, k)
    assert shares == sorted(shares)
    union = [item for ranking in lists for item in ranking[:k]]
    if lists:
        assert shares[-1] == pytest.approx(recall_at(union, relevant, len(union) or 1))


@given(
    scores=st.dictionaries(items, st.integers(-2, 2), max_size=12),
    relevant=relevants.filter(bool),
    k=depths,
    names=st.permutations(range(13)),
)
def test_expectations_do_not_know_names(scores, relevant, k, names):
    renamed = {names[item]: score for item, score in scores.items()}
    for expected in (expected_hit_at, expected_recall_at):
        value = expected(scores, relevant, k)
        assert 0 <= value <= 1
        assert value == pytest.approx(expected(renamed, [names[item] for item in relevant], k))
        assert value <= expected(scores, relevant, k + 1) + 1e-12
