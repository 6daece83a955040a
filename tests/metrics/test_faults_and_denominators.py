"""Whose fault decides what counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import graded_mean, hit_at, success_rate, wilson

faults = st.sampled_from(["none", "user", "system", "judge", "infra"])


def test_a_system_that_fails_does_not_get_better_by_it():
    """3 of 5 answered units succeed; 3 more failed by the system, 1 by the user, 1 by the judge, 2 by the network."""
    outcomes = [
        *[(1.0, "none")] * 3,
        *[(0.0, "none")] * 2,
        *[(None, "system")] * 3,
        (None, "user"),
        (None, "judge"),
        *[(None, "infra")] * 2,
    ]
    found = success_rate(outcomes)
    assert found.estimate.value == 3 / 8
    assert found.estimate.n == 8
    assert (found.estimate.low, found.estimate.high) == wilson(3, 8)
    assert found.estimate.bounds == pytest.approx((3 / 12, 7 / 12))
    assert found.answered.value == 3 / 5
    assert found.answered.n == 5
    assert found.left_out == {"user": 1, "judge": 1, "infra": 2}
    assert found.failed == 3


def test_a_success_before_the_systems_fault_is_still_a_failure():
    assert success_rate([(1.0, "system"), (1.0, "none")]).estimate.value == 0.5


def test_nothing_left_out_gives_no_bounds():
    assert success_rate([(1.0, "none"), (None, "system")]).estimate.bounds is None


def test_everything_left_out_is_undefined_within_all_bounds():
    found = success_rate([(None, "infra")] * 4)
    assert found.estimate.value is None
    assert found.estimate.reason
    assert found.estimate.bounds == (0.0, 1.0)


def test_nobody_in_a_group_is_undefined_with_n_zero():
    found = success_rate([])
    assert (found.estimate.value, found.estimate.n, found.estimate.bounds) == (None, 0, None)
    assert found.estimate.reason


def test_empty_truth_is_left_out_and_empty_lists_score_zero():
    """User 1 is normal, user 2 has nothing relevant, user 3 was shown nothing."""
    cases = [(["a"], ["a"]), (["a"], []), ([], ["a"])]
    found = success_rate([(hit_at(ranking, relevant, 5), "none") for ranking, relevant in cases])
    assert found.estimate.value == 0.5
    assert found.estimate.n == 2
    assert found.left_out == {"undefined": 1}


def test_grades_leave_out_the_systems_faults_too():
    found = graded_mean([4.0, 2.0, None, 5.0], ["none", "none", "user", "system"], scale=(1.0, 5.0))
    assert found.estimate.value == 3.0
    assert found.estimate.n == 2
    assert found.estimate.bounds == pytest.approx(((6 + 2) / 4, (6 + 10) / 4))
    assert found.left_out == {"user": 1, "system": 1}


def test_grades_without_a_scale_have_no_bounds():
    assert graded_mean([4.0, None], ["none", "user"]).estimate.bounds is None


def test_a_fault_for_every_value():
    with pytest.raises(DataError, match="2 and 1"):
        graded_mean([4.0, 3.0], ["none"])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.5, None]), faults), max_size=30))
def test_every_unit_is_accounted_for_and_the_rate_lies_within_its_bounds(outcomes):
    found = success_rate(outcomes)
    rate = found.estimate
    assert rate.n + sum(found.left_out.values()) == len(outcomes)
    if rate.bounds is not None:
        low, high = rate.bounds
        assert 0 <= low <= high <= 1
        assert rate.value is None or low - 1e-12 <= rate.value <= high + 1e-12
    if found.answered.value is not None and rate.value is not None:
        assert rate.value <= found.answered.value + 1e-12
