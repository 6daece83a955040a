"""Slopes inside clusters: worked values, what sets clusters apart left out, and a test that can fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.metrics.trend import within_slope


def test_the_mean_of_each_clusters_own_slope():
    # a: 0 -> 1 over one unit; b: falls by 2 over two units, from far above
    points = [(0, 0.0, "a"), (1, 1.0, "a"), (0, 9.0, "b"), (1, 8.0, "b"), (2, 7.0, "b")]
    found = within_slope(points)
    assert (found.value, found.n, found.clusters) == (0.0, 2, 2)


def test_a_fall_in_every_cluster_is_found_and_chance_is_not():
    fall = [
        (x, level - 0.5 * x + 0.01 * (level * x % 3), name) for name, level in enumerate(range(12)) for x in (0, 1, 2)
    ]
    found = within_slope(fall)
    assert found.low < found.value < found.high < 0
    assert found.p < 0.001
    even = [(x, (0.25 if (x + name) % 2 else -0.25), name) for name in range(12) for x in (0, 1)]
    assert within_slope(even).p == 1.0


def test_equal_values_are_a_slope_of_nothing():
    found = within_slope([(x, 0.5, name) for name in range(12) for x in (0, 0.1, 0.4)])
    assert (found.value, found.p, found.low) == (0.0, 1.0, None)


def test_without_two_points_there_is_no_slope():
    found = within_slope([(1, 0.5, "a"), (1, 0.7, "a"), (2, None, "a"), (2, 1.0, "b")])
    assert found.value is None
    assert found.reason == "no cluster has values at two different points"


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1), st.integers(0, 5)), max_size=30), st.floats(-3, 3))
def test_a_shift_of_a_cluster_changes_nothing(points, shift):
    moved = [(x, y + shift * cluster, cluster) for x, y, cluster in points]
    one, other = within_slope(points), within_slope(moved)
    assert (one.value is None) == (other.value is None)
    if one.value is not None:
        assert one.value == pytest.approx(other.value, abs=1e-9)
