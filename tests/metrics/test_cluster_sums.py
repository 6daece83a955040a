"""Sums by cluster: exact, and blind to the order of values and to the clusters' names."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.metrics.resampling import cluster_sums

VALUES = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 5)), min_size=1, max_size=40)


def test_three_clusters_by_hand():
    sums, sizes = cluster_sums([1.0, 0.5, 0.0, 0.25, 1.0], ["b", "a", "b", "a", "c"])
    assert sums.tolist() == [0.75, 1.0, 1.0]  # a; then c and b, the smaller one first
    assert sizes.tolist() == [2.0, 1.0, 2.0]


@given(VALUES, st.randoms(use_true_random=False))
def test_each_sum_is_exact_and_the_order_of_values_changes_nothing(pairs, random):
    sums, sizes = cluster_sums([value for value, _ in pairs], [cluster for _, cluster in pairs])
    exact: dict[int, Fraction] = {}
    counts: dict[int, int] = {}
    for value, cluster in pairs:
        exact[cluster] = exact.get(cluster, Fraction(0)) + Fraction(value)
        counts[cluster] = counts.get(cluster, 0) + 1
    wanted = sorted((float(exact[cluster]), float(counts[cluster])) for cluster in exact)
    assert list(zip(sums.tolist(), sizes.tolist(), strict=True)) == wanted
    random.shuffle(pairs)
    again = cluster_sums([value for value, _ in pairs], [f"named {cluster}" for _, cluster in pairs])
    assert np.array_equal(again[0], sums)
    assert np.array_equal(again[1], sizes)
