"""How far what was seen lies from a known distribution."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import total_variation

PEOPLE = {0: 4, 1: 7, 2: 89}
SCORES = st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=40)


def test_the_published_table():
    scores = [0] * 1 + [1] * 5 + [2] * 94
    found = total_variation(scores, PEOPLE, range(100))
    assert found.value == pytest.approx(0.05)
    assert found.n == 100
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_equal_and_disjoint():
    assert total_variation([0, 1], {0: 0.5, 1: 0.5}, "ab").value == 0
    assert total_variation([0, 0], {1: 3}, "ab").value == 1


def test_a_score_that_people_never_gave_counts():
    assert total_variation([0, 1, 2, 2], {2: 1}, "abcd").value == pytest.approx(0.5)


@given(scores=SCORES, weights=st.lists(st.floats(0, 9), min_size=3, max_size=3).filter(lambda some: sum(some) > 0.1))
def test_it_is_bounded_and_blind_to_the_size_of_counts(scores, weights):
    known = dict(enumerate(weights))
    found = total_variation(scores, known, range(len(scores)))
    if found.value is None:
        assert (found.n, found.reason) == (0, "nothing to count")
        return
    assert 0 <= found.value <= 1
    doubled = total_variation(scores, {score: 2 * weight for score, weight in known.items()}, range(len(scores)))
    assert doubled.value == pytest.approx(found.value)


def test_one_cluster_has_no_interval():
    found = total_variation([0, 1], PEOPLE, ["a", "a"])
    assert found.low is None
    assert found.reason


@pytest.mark.parametrize("known", [{}, {0: 0}, {0: -1, 1: 2}])
def test_nothing_to_hold_it_against(known):
    with pytest.raises(DataError, match="counts or shares"):
        total_variation([0], known, [0])
