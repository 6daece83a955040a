"""pass^k, classification scores and absolute errors."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError, ShopperError
from mysteryshopper.metrics import classification_scores, mean_absolute_error, pass_hat


@pytest.mark.parametrize(("successes", "values"), [(3, (0.75, 0.5, 0.25, 0)), (2, (0.5, 1 / 6, 0, 0))])
def test_four_trials(successes, values):
    assert tuple(pass_hat(4, successes, k) for k in (1, 2, 3, 4)) == pytest.approx(values)


def test_more_trials_asked_than_made_is_undefined():
    assert pass_hat(4, 4, 5) is None
    assert pass_hat(0, 0, 1) is None


@pytest.mark.parametrize(("n", "successes", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0)])
def test_impossible_trials_are_refused(n, successes, k):
    with pytest.raises(ShopperError):
        pass_hat(n, successes, k)


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 9))
def test_it_is_the_share_of_all_choices_that_succeed_throughout(trials, k):
    choices = list(combinations(trials, k))
    expected = sum(map(all, choices)) / len(choices) if choices else None
    assert pass_hat(len(trials), sum(trials), k) == pytest.approx(expected)


def test_all_of_twenty_three_way_labels_correct():
    truth = (["concise", "moderate", "verbose"] * 7)[:20]
    found = classification_scores(truth, list(truth))
    assert (found.accuracy.value, found.precision, found.recall, found.f1) == (1, 1, 1, 1)


def test_a_constant_predictor_on_balanced_labels():
    found = classification_scores(["formal", "informal"] * 10, ["formal"] * 20)
    assert found.accuracy.value == 0.5
    assert found.f1 == pytest.approx(1 / 3)
    assert found.precision == 0.25
    assert found.recall == 0.5
    assert found.accuracy.low < 0.5 < found.accuracy.high


def test_three_labels_by_hand():
    """Rows are true: a 3 of 4 (one taken for b), b 1 of 2 (one taken for c), c 1 of 1."""
    found = classification_scores(list("aaaabbc"), list("aaabbcc"))
    by_label = dict(found.by_label)
    assert (by_label["a"].precision, by_label["a"].recall, by_label["a"].support) == (1, 0.75, 4)
    assert (by_label["b"].precision, by_label["b"].recall) == (0.5, 0.5)
    assert (by_label["c"].precision, by_label["c"].recall) == (0.5, 1)
    assert found.f1 == pytest.approx((6 / 7 + 1 / 2 + 2 / 3) / 3)
    assert found.accuracy.value == pytest.approx(5 / 7)


def test_a_label_that_is_only_predicted_counts_in_the_average():
    found = classification_scores(["a", "a"], ["a", "b"])
    assert found.precision == 0.5
    assert found.f1 == pytest.approx((2 / 3 + 0) / 2)


def test_unread_labels_are_left_out_and_counted():
    found = classification_scores(["a", "b", "a"], ["a", None, "b"])
    assert (found.accuracy.n, found.left_out, found.accuracy.value) == (2, 1, 0.5)


def test_no_labels_are_undefined():
    found = classification_scores([], [])
    assert (found.accuracy.value, found.precision, found.recall, found.f1) == (None, None, None, None)
    assert found.accuracy.reason


def test_labels_must_pair_up():
    with pytest.raises(DataError, match="3 and 4"):
        classification_scores("abc", "abcd")


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 2), max_size=20), st.permutations("xyz"))
def test_scores_are_shares_blind_to_order_and_names(pairs, names):
    found = classification_scores([t for t, _ in pairs], [p for _, p in pairs])
    renaming = {None: None, **dict(zip("abc", names, strict=True))}
    other = classification_scores([renaming[t] for t, _ in pairs[::-1]], [renaming[p] for _, p in pairs[::-1]])
    assert found.accuracy == other.accuracy
    for value, again in zip(
        (found.precision, found.recall, found.f1), (other.precision, other.recall, other.f1), strict=True
    ):
        assert value == pytest.approx(again)
        assert value is None or 0 <= value <= 1


def test_stars_that_are_one_off_three_times_in_four():
    """Off by 1, 0, 1 and 1; over a scale of five that leaves .85."""
    found = mean_absolute_error([4, 2, 5, 0], [5, 2, 4, 1])
    assert found.value == 0.75
    assert 1 - found.value / 5 == 0.85


def test_unreadable_stars_leave_their_pair_out():
    found = mean_absolute_error([4, None, 3, None], [5, 2, None, None])
    assert (found.value, found.n) == (1.0, 1)
    assert mean_absolute_error([None], [3.0]).value is None


def test_errors_need_pairs():
    with pytest.raises(DataError, match="3 and 4"):
        mean_absolute_error([1, 2, 3], [1, 2, 3, 4])
