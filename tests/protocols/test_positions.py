"""Positions of targets carry all that is needed to score a ranking at any depth, under any rule for ties."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Scored
from mysteryshopper.metrics import expected_within
from mysteryshopper.protocols.positions import Position, positions


def test_a_tie_is_counted_whole():
    ranking = [Scored("5", 9.0), Scored("30", 2.0), Scored("4", 2.0), Scored("100", 2.0)]
    (place,) = positions(ranking, ["30"])
    assert place == Position(rank=3, better=1, tied=2)
    assert [place.within(k) for k in (1, 2, 3)] == [0, 0, 1]
    assert [place.expected(expected_within, k) for k in (1, 2, 3, 4)] == [0, 1 / 3, 2 / 3, 1]


def test_a_target_that_is_not_ranked_is_nowhere():
    (place,) = positions([Scored("1", 1.0)], ["2"])
    assert place.rank is None
    assert place.within(50) == 0
    assert place.expected(expected_within, 50) == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), unique_by=lambda pair: pair[0], min_size=1))
def test_expectation_over_ties_is_the_mean_over_renamings(pairs):
    """Hits at k summed over a tied group are the same under any order of it."""
    ranking = [Scored(str(name), float(score)) for name, score in pairs]
    names = [scored.id for scored in ranking]
    for k in (1, 2, 5):
        found = positions(ranking, names)
        by_rank = sum(place.within(k) for place in found)
        expected = sum(place.expected(expected_within, k) for place in found)
        assert abs(by_rank - min(k, len(names))) < 1e-9
        assert abs(expected - by_rank) < 1e-9


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), unique_by=lambda pair: pair[0], min_size=1))
def test_positions_survive_json(pairs):
    ranking = [Scored(str(name), float(score)) for name, score in pairs]
    for place in positions(ranking, [scored.id for scored in ranking] + ["no"]):
        assert Position.from_json(place.to_json()) == place
