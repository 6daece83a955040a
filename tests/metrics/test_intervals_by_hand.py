"""Proportions and means: values worked out by hand, undefined cases, and what must hold of every interval."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import clustered_error, graded_mean, mean, mean_of_means, proportion, wilson

shares = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.25]), min_size=1, max_size=40)
numbers = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=30)


def finite_or_none(estimate):
    return all(value is None or math.isfinite(value) for value in (estimate.value, estimate.low, estimate.high))


def test_wilson_of_none_and_of_all_of_ten():
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=5e-5)
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=5e-5)
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1


def test_wilson_of_half_solves_the_score_equation():
    """The ends p are where |x/n - p| is z standard errors under p."""
    for end in wilson(30, 80, level=0.9):
        assert abs(30 / 80 - end) == pytest.approx(1.6448536 * math.sqrt(end * (1 - end) / 80), rel=1e-6)


def test_wilson_of_nothing_says_nothing():
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10), (1, 0)])
def test_wilson_refuses_what_is_no_proportion(successes, n):
    with pytest.raises(DataError, match="successes"):
        wilson(successes, n)


@given(n=st.integers(1, 10_000), data=st.data(), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_holds_the_share_and_mirrors(n, data, level):
    successes = data.draw(st.integers(0, n))
    low, high = wilson(successes, n, level)
    assert 0 <= low <= successes / n <= high <= 1
    assert (low, high) == pytest.approx(tuple(1 - end for end in reversed(wilson(n - successes, n, level))), abs=1e-12)


def test_independent_units_take_plain_wilson():
    found = proportion([1, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    assert (found.value, found.n, found.clusters, found.method) == (0.7, 10, 10, "wilson")
    assert (found.low, found.high) == wilson(7, 10)
    assert proportion([1, 0, 1], ["a", "b", "c"]) == proportion([1, 0, 1])


def test_repeats_of_one_persona_are_not_independent():
    """A is 1, 1, 1 and B is 0, 0, 0: naive sqrt(.25 / 6) = .204, with divisor n - 1 .224; by cluster .354."""
    values, personas = [1, 1, 1, 0, 0, 0], list("AAABBB")
    naive = clustered_error(values)
    assert naive == pytest.approx(0.5 / math.sqrt(6))
    assert naive * math.sqrt(6 / 5) == pytest.approx(0.2236, abs=5e-5)
    assert clustered_error(values, personas) == pytest.approx(0.3536, abs=5e-5)
    found = proportion(values, personas)
    assert (found.value, found.n, found.clusters) == (0.5, 6, 2)
    assert (found.low, found.high) == (None, None)
    assert "2" in found.reason


def test_a_clustered_error_needs_two_clusters():
    assert clustered_error([1, 0, 1], ["a", "a", "a"]) is None
    assert clustered_error([]) is None


@pytest.mark.parametrize("estimate", [proportion, mean])
def test_nine_clusters_are_too_few_and_ten_are_enough(estimate):
    values = [float(i * i % 7 > 1) for i in range(30)]
    nine, ten = [i % 9 for i in range(30)], [i // 3 for i in range(30)]
    found = estimate(values, nine)
    assert found.value == pytest.approx(sum(values) / 30)
    assert (found.low, found.high, found.clusters) == (None, None, 9)
    assert "9" in found.reason
    assert "10" in found.reason
    enough = estimate(values, ten)
    assert enough.low < enough.value < enough.high
    assert enough.reason is None


def test_one_cluster_in_ten_that_differs_says_too_little():
    """A third of all draws would hold ten equal clusters, so nothing bounds the mean on that side."""
    found = mean([1.0] * 9 + [0.0])
    assert (found.value, found.low) == (0.9, None)
    assert "vary" in found.reason


def test_full_clusters_count_as_one_unit_each():
    """Twenty clusters of five equal answers hold as much as twenty answers."""
    answers = [i % 2 for i in range(20)]
    found = proportion([a for a in answers for _ in range(5)], [i for i in range(20) for _ in range(5)])
    plain = wilson(10, 20)
    assert found.n == 100
    assert found.clusters == 20
    assert found.low <= plain[0]
    assert found.high >= plain[1]
    assert found.high - found.low < 1.2 * (plain[1] - plain[0])


def test_one_huge_cluster_among_many_small_ones_leaves_hardly_an_answer():
    """Of 1,030 answers 1,000 are one person's: the other thirty do not make them independent."""
    found = proportion([1.0] * 600 + [0.0] * 400 + [1.0, 0.0] * 15, [0] * 1000 + list(range(1, 31)))
    assert found.clusters == 31
    assert found.high - found.low > 0.8


def test_clusters_that_cancel_out_never_count_for_more_than_n():
    """Every cluster holds one success and one failure: the clusters' means do not vary, the answers do."""
    found = proportion([1, 0] * 20, [i // 2 for i in range(40)])
    low, high = wilson(20, 40)
    assert found.low <= low
    assert found.high >= high
    nearly = proportion([1, 0] * 19 + [1, 1], [i // 2 for i in range(40)])
    assert nearly.high - nearly.low >= wilson(21, 40)[1] - wilson(21, 40)[0]


def test_a_clustered_share_of_none_has_width():
    found = proportion([0] * 60, [i // 3 for i in range(60)])
    assert found.low == 0
    assert found.high >= wilson(0, 20)[1]


@pytest.mark.parametrize("estimate", [proportion, mean])
def test_nothing_is_undefined_with_a_reason(estimate):
    found = estimate([])
    assert (found.value, found.low, found.high, found.n, found.clusters) == (None, None, None, 0, 0)
    assert found.reason
    assert estimate([None, None], ["a", "b"]) == found


@pytest.mark.parametrize("estimate", [proportion, mean])
def test_missing_values_are_left_out(estimate):
    values = [1.0, None, 0.0] * 6
    kept = [1.0, 0.0] * 6
    assert estimate(values) == estimate(kept)
    assert estimate(values).n == 12


@pytest.mark.parametrize("estimate", [proportion, mean])
@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_no_number_gets_in(estimate, odd):
    with pytest.raises(DataError):
        estimate([0.5, odd])


def test_a_proportion_takes_shares_only():
    with pytest.raises(DataError, match="0 to 1"):
        proportion([0, 2])


def test_every_value_needs_a_cluster():
    with pytest.raises(DataError, match="3 and 2"):
        proportion([1, 0, 1], ["a", "b"])


def test_the_mean_of_five_domains():
    found = mean([39.0, 26.2, 93.2, 36.0, 32.0])
    assert found.value == pytest.approx(45.28)
    assert found.low is None
    assert found.clusters == 5


def test_no_variance_gives_no_interval():
    found = mean([4.0] * 30)
    assert (found.value, found.low, found.high) == (4.0, None, None)
    assert found.reason


def test_a_mean_of_normal_values_agrees_with_student():
    """Without skew the bootstrap-t lands where Student's t does."""
    from scipy.stats import norm, t

    values = [float(norm.ppf((i + 0.5) / 60)) for i in range(60)]
    error = math.sqrt(sum(v * v for v in values) / 59 / 60)
    half = float(t.ppf(0.975, 59)) * error
    found = mean(values)
    assert found.low == pytest.approx(-half, rel=0.1)
    assert found.high == pytest.approx(half, rel=0.1)


def test_a_mean_leans_with_the_skew():
    values = [float(2**i) for i in range(12)]
    found = mean(values)
    assert found.high - found.value > 1.5 * (found.value - found.low)


def test_the_mean_over_roots_is_not_the_mean_over_nodes():
    values, roots = [1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"]
    assert mean_of_means(values, roots).value == 0.5
    assert mean(values, roots).value == 0.75
    found = mean_of_means(values, roots)
    assert (found.n, found.clusters) == (4, 2)


@settings(deadline=None)
@given(values=shares, data=st.data())
def test_a_share_lies_in_its_interval_whatever_the_clusters(values, data):
    clusters = data.draw(st.lists(st.integers(0, 14), min_size=len(values), max_size=len(values)))
    kept = list(values), list(clusters)
    found = proportion(values, clusters)
    assert (values, clusters) == kept
    assert finite_or_none(found)
    assert 0 <= found.value <= 1
    if found.low is None:
        assert found.high is None
        assert found.reason
    else:
        assert 0 <= found.low <= found.value <= found.high <= 1
    renamed = proportion(values, [f"c{20 - cluster}" for cluster in clusters])
    assert renamed == found
    order = data.draw(st.permutations(range(len(values))))
    assert proportion([values[i] for i in order], [clusters[i] for i in order]) == found


@settings(deadline=None, max_examples=40)
@given(values=numbers, data=st.data())
def test_a_mean_lies_in_its_interval_whatever_the_clusters(values, data):
    clusters = data.draw(st.lists(st.integers(0, 14), min_size=len(values), max_size=len(values)))
    found = mean(values, clusters)
    assert finite_or_none(found)
    assert found.low is None or found.low <= found.value <= found.high
    assert (found.low is None) == (found.high is None) == (found.reason is not None)
    order = data.draw(st.permutations(range(len(values))))
    assert mean([values[i] for i in order], [f"c{20 - clusters[i]}" for i in order]) == found


def test_draws_are_the_same_every_time_and_differ_by_seed():
    values = [math.sin(i) for i in range(25)]
    assert mean(values) == mean(values)
    assert mean(values, seed=1) != mean(values, seed=2)


def test_order_of_clusters_with_equal_sums_does_not_matter():
    values, clusters = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1] * 5, [i // 2 for i in range(30)]
    found = {mean([values[i] for i in order], [clusters[i] for i in order]) for order in _some_orders(30)}
    assert len(found) == 1


def _some_orders(n):
    yield from (list(reversed(range(n))), sorted(range(n), key=lambda i: i * 7 % n))
    for head in permutations(range(3)):
        yield [*head, *range(3, n)]


@pytest.mark.parametrize("few", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [12, 30, 90])
def test_nearly_constant_values_give_a_sober_interval_or_none(few, n):
    """A draw in which all values are equal has no spread of its own; rounding must not pass for some."""
    for seed in range(5):
        values = [5.0] * (n - few) + [4.1] * few
        found = mean(values, seed=seed)
        if found.low is not None:
            assert 3 < found.low <= found.value <= found.high < 7


def test_the_interval_of_a_grade_ends_where_its_scale_does():
    values = [5.0] * 20 + [4.0, 3.0, 1.0, 4.0]
    found = graded_mean(values, ["none"] * 24, scale=(1.0, 5.0)).estimate
    assert found.low is not None
    assert found.high <= 5.0
