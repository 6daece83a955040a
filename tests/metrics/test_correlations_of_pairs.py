"""Pearson, Spearman and Kendall."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import kendall, pearson, spearman

ALL = (pearson, spearman, kendall)
every_form = pytest.mark.parametrize("correlation", ALL)


def test_positive_rates_against_mean_ratings():
    assert pearson([4.5, 4, 3, 2], [1, 0.9, 0.9, 0.4]).value == pytest.approx(0.8882, abs=5e-5)


@every_form
def test_a_constant_side_is_undefined_never_zero(correlation):
    """A user who always says yes."""
    found = correlation([4.5, 4, 3, 2], [1, 1, 1, 1])
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 4)
    assert "constant" in found.reason
    assert correlation([0.1] * 3, [1, 2, 3]).value is None


def test_ties_share_their_mean_rank():
    """The shortcut 1 - 6 d² / (n³ - n) would say .95."""
    assert spearman([1, 2, 2, 3], [1, 3, 2, 4]).value == pytest.approx(0.94868, abs=5e-6)


def test_tau_b_allows_for_ties():
    """Five pairs agree, none disagrees, one of six is tied on one side."""
    assert kendall([1, 2, 2, 3], [1, 3, 2, 4]).value == pytest.approx(5 / math.sqrt(5 * 6))


def test_four_systems_without_ties_move_in_steps_of_a_fifth():
    values = {round(spearman([1, 2, 3, 4], order).value * 5, 9) for order in permutations(range(4))}
    assert values == {float(step) for step in range(-5, 6)}


def test_fisher_interval_of_one_half():
    """Correlated by exactly .5 over 28 pairs: z = .5493 ± 1.96 / 5."""
    x = [math.cos(2 * math.pi * i / 28) for i in range(28)]
    y = [0.5 * c + math.sqrt(0.75) * math.sin(2 * math.pi * i / 28) for i, c in enumerate(x)]
    found = pearson(x, y)
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((0.1560, 0.7358), abs=5e-5)
    assert found.n == 28


@every_form
def test_perfect_lines_have_no_interval(correlation):
    found = correlation([1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 12])
    assert found.value == 1
    assert found.low is None
    assert found.reason
    assert correlation([1, 2, 3], [3, 2, 1]).value == pytest.approx(-1)


@every_form
def test_missing_values_leave_out_their_pair(correlation):
    found = correlation([1, None, 2, 5, 3], [2, 9, None, 6, 5])
    assert found.n == 3
    assert found.value == correlation([1, 5, 3], [2, 6, 5]).value


@every_form
@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_pairs_are_undefined(correlation, values):
    found = correlation(values, values)
    assert found.value is None
    assert found.reason


@every_form
def test_sides_must_pair_up(correlation):
    with pytest.raises(DataError, match="3 and 4"):
        correlation([1, 2, 3], [1, 2, 3, 4])


@every_form
def test_no_number_gets_in(correlation):
    with pytest.raises(DataError):
        correlation([1, math.nan, 3], [1, 2, 3])


values = st.integers(-50, 50).map(float)


@settings(deadline=None)
@given(correlation=st.sampled_from(ALL), pairs=st.lists(st.tuples(values, values), max_size=20), data=st.data())
def test_correlations_are_bounded_symmetric_and_blind_to_order(correlation, pairs, data):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    kept = list(x), list(y)
    found = correlation(x, y)
    assert (x, y) == kept
    if found.value is None:
        assert len({*x}) < 2 or len({*y}) < 2
        return
    assert -1 <= found.value <= 1
    assert found.low is None or -1 <= found.low <= found.value <= found.high <= 1
    assert correlation(y, x).value == pytest.approx(found.value)
    assert correlation(x, [-b for b in y]).value == pytest.approx(-found.value)
    order = data.draw(st.permutations(range(len(x))))
    assert correlation([x[i] for i in order], [y[i] for i in order]).value == pytest.approx(found.value)
    stretched = [3 * a + 7 for a in x] if correlation is pearson else [a**3 for a in x]
    assert correlation(stretched, y).value == pytest.approx(found.value)


@every_form
def test_huge_and_tiny_values_neither_overflow_nor_vanish(correlation):
    x = [1.0, 3.0, 2.0, 5.0]
    for factor in (1e-200, 1e200):
        assert correlation([a * factor for a in x], [1, 2, 3, 4]).value == pytest.approx(
            correlation(x, [1, 2, 3, 4]).value
        )


@pytest.mark.slow
@every_form
def test_intervals_of_correlations_hold_the_truth(correlation):
    """Normal pairs correlated by .5; Spearman's and Kendall's truths are (6/π) asin(r/2) and (2/π) asin(r)."""
    import numpy as np

    truth = {pearson: 0.5, spearman: 6 / math.pi * math.asin(0.25), kendall: 2 / math.pi * math.asin(0.5)}[correlation]
    random = np.random.default_rng(9)
    covered = 0
    for _ in range(1000):
        x, noise = random.normal(size=(2, 30))
        found = correlation(x.tolist(), (0.5 * x + math.sqrt(0.75) * noise).tolist())
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 1000 <= 0.98
