"""Which turn's list counts in iEvaLM, and what of it: worked by hand."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Scored
from mysteryshopper.metrics import expected_hit_at
from mysteryshopper.protocols.ievalm.readings import Turns
from mysteryshopper.protocols.positions import Position, any_within, expected_any, positions


def at(*ranks):
    return tuple(Position(rank, 0 if rank is None else rank - 1, 0) for rank in ranks)


def test_the_published_trace_stops_at_the_first_top_50_hit():
    turns = Turns((at(None), at(40), at(2)))  # a third turn would have been better, and is never reached
    counted = turns.counted(50, "id")
    assert turns.first_hit(50, "id") == 2
    assert [counted[0].within(k) for k in (1, 10, 50)] == [0.0, 0.0, 1.0]


def test_without_a_hit_the_last_list_counts_and_turns_without_one_are_passed_over():
    turns = Turns((at(90), at(70), None))
    assert turns.first_hit(50, "id") is None
    assert turns.counted(50, "id") == at(70)
    assert Turns((None, None)).counted(50, "id") is None
    assert turns.at(1) == at(90)


def test_a_tie_across_the_cut_is_a_hit_by_expectation_whatever_the_ids():
    tied = Position(51, 49, 3)
    assert Turns(((tied,),)).first_hit(50, "id") is None
    assert Turns(((tied,),)).first_hit(50, "expected") == 1


def test_label_recall_and_any_hit_differ_with_two_targets():
    found = at(1, None)  # targets {A, B}, list [A]
    assert sum(place.within(10) for place in found) / 2 == 0.5
    assert any_within(found, 10) == expected_any(found, 10) == 1.0


def test_label_scores_of_the_published_example():
    ranking = [Scored(name, -float(place)) for place, name in enumerate(["5", "9", "7"])]
    found = positions(ranking, ["7", "5", "8"])
    assert [place.within(10) for place in found] == [1.0, 1.0, 0.0]
    assert sum(place.reciprocal(10) for place in found) / 3 == pytest.approx(0.4444, abs=1e-4)
    assert sum(place.gain(10) for place in found) / 3 == 0.5
    assert sum(place.within(1) for place in found) / 3 == pytest.approx(1 / 3)


def test_two_targets_among_four_equals_for_two_places():
    ranking = [Scored(name, 1.0) for name in "abcd"]
    assert expected_any(positions(ranking, ["a", "c"]), 2) == pytest.approx(1 - comb(2, 2) / comb(4, 2))


@given(
    scores=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    chosen=st.sets(st.integers(0, 13), min_size=1, max_size=4),
    k=st.integers(1, 12),
)
def test_any_hit_from_positions_is_any_hit_from_scores(scores, chosen, k):
    named = {str(place): float(score) for place, score in enumerate(scores)}
    targets = [str(place) for place in sorted(chosen)]
    ranking = [Scored(name, score) for name, score in named.items()]
    assert expected_any(positions(ranking, targets), k) == pytest.approx(expected_hit_at(named, targets, k))
