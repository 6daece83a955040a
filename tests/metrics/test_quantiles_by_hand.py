"""Quantiles with intervals of order statistics: worked by hand, and covering the truth in simulated worlds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import quantile


def test_the_median_of_a_hundred_lies_between_the_order_statistics_of_wilsons_ends():
    found = quantile(list(range(1, 101)), 0.5)
    # Wilson of 50 of 100 is 0.4038 to 0.5962: the 41st and the 60th value
    assert (found.value, found.low, found.high) == (50, 41, 60)
    assert (found.n, found.clusters) == (100, 100)


def test_half_of_few_values_is_a_value_and_without_enough_there_is_no_interval():
    found = quantile([3.0, 1.0, 2.0], 0.5)
    assert (found.value, found.low, found.high) == (2, None, None)
    assert "3, at least 6" in found.reason
    assert quantile([1, 2, 3, 4], 0.5).value == 2  # the smallest that half do not pass
    assert quantile([None, None], 0.5).reason == "nothing to count"


def test_the_95th_percentile_needs_72_values_for_an_upper_end():
    assert quantile(list(range(71)), 0.95).high is None
    found = quantile(list(range(72)), 0.95)
    assert found.value == 68
    assert found.low < 68 < found.high


def test_turns_of_one_dialogue_are_one_cluster():
    values = [float(n) for n in range(20) for _ in range(10)]
    alone = quantile(values, 0.5)
    together = quantile(values, 0.5, [n for n in range(20) for _ in range(10)])
    assert together.clusters == 20
    assert together.high - together.low > alone.high - alone.low
    few = quantile(values, 0.5, [n % 4 for n in range(200)])
    assert few.low is None
    assert "too few clusters" in few.reason


@pytest.mark.parametrize("q", [0.5, 0.95])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(q):
    random = np.random.default_rng(5)
    truth = float(-np.log(1 - q))
    held = 0
    for _ in range(300):
        found = quantile(random.exponential(size=120).tolist(), q)
        held += found.low <= truth <= found.high
    assert 0.9 <= held / 300 <= 0.995


def test_a_quantile_beyond_0_and_1_is_refused():
    with pytest.raises(DataError, match="between 0 and 1"):
        quantile([1.0], 1.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80), st.floats(0.01, 0.99), st.randoms())
def test_it_is_one_of_the_values_and_blind_to_their_order(values, q, random):
    found = quantile(values, q)
    assert found.value in values
    assert sum(value <= found.value for value in values) >= q * len(values) - 1e-6
    shuffled = list(values)
    random.shuffle(shuffled)
    assert quantile(shuffled, q) == found
    if found.low is not None:
        assert found.low <= found.value <= found.high
