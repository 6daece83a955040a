"""Won, lost, tied, inconsistent; and the difference of two systems over the units they share."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import align, pair_outcome, paired_difference, tally_pairs, wilson

outcomes = st.lists(st.sampled_from(["win", "loss", "tie", "inconsistent", None]), max_size=40)


@pytest.mark.parametrize(("one", "other"), [*product(["first", "second", "tie"], repeat=2)])
def test_two_orders_agree_or_are_inconsistent(one, other):
    expected = {"first": "win", "second": "loss", "tie": "tie"}[one] if one == other else "inconsistent"
    assert pair_outcome(one, other) == expected


def test_all_four_outcomes_are_counted_and_make_the_rate():
    found = tally_pairs(["win"] * 6 + ["loss"] * 3 + ["tie"] * 2 + ["inconsistent"])
    assert (found.wins, found.losses, found.ties, found.inconsistent, found.n) == (6, 3, 2, 1, 12)
    assert found.win_rate.value == (6 + 0.5 * (2 + 1)) / 12
    assert found.net == 3
    assert found.consistency.value == 11 / 12
    assert (found.win_rate.low, found.win_rate.high) == pytest.approx(wilson(7.5, 12))


@pytest.mark.parametrize(("wins", "losses", "better"), [(6, 4, True), (3, 5, False), (4, 4, False), (2, 7, False)])
def test_better_needs_more_wins_than_losses(wins, losses, better):
    assert (tally_pairs(["win"] * wins + ["loss"] * losses).net > 0) is better


def test_a_judge_that_always_ties_finds_nobody_better():
    found = tally_pairs(["tie"] * 8)
    assert (found.net, found.win_rate.value) == (0, 0.5)


def test_equal_replies_are_ties_but_say_nothing_of_consistency():
    found = tally_pairs(["tie", "tie", "win", "inconsistent"], asked=[False, False, True, True])
    assert found.win_rate.n == 4
    assert (found.consistency.value, found.consistency.n) == (0.5, 2)
    silent = tally_pairs(["tie"] * 3, asked=[False] * 3)
    assert silent.consistency.value is None
    assert silent.consistency.reason


def test_unread_pairs_are_left_out():
    found = tally_pairs(["win", None, "loss"])
    assert (found.n, found.win_rate.n, found.win_rate.value) == (2, 2, 0.5)


def test_pairs_of_one_root_are_a_cluster():
    found = tally_pairs(["win", "loss"] * 6, clusters=[i // 4 for i in range(12)])
    assert found.win_rate.clusters == 3
    assert found.win_rate.low is None
    assert "3" in found.win_rate.reason


@given(outcomes)
def test_swapping_sides_mirrors_the_tally(results):
    mirror = {"win": "loss", "loss": "win"}
    there, back = tally_pairs(results), tally_pairs([mirror.get(one, one) for one in results])
    assert there.net == -back.net
    assert there.n == back.n == sum(one is not None for one in results)
    if there.n:
        assert there.win_rate.value == pytest.approx(1 - back.win_rate.value)
        assert 0 <= there.win_rate.low <= there.win_rate.value <= there.win_rate.high <= 1


def units(values):
    return {f"u{place}": value for place, value in enumerate(values)}


def test_a_system_against_itself_shows_nothing():
    values = units([0.0, 1.0, 1.0, 0.0] * 5)
    found = paired_difference(values, values)
    assert (found.estimate.value, found.p, found.detectable) == (0, 1, None)
    assert found.estimate.reason


def test_sign_flips_are_counted_exactly_for_few_clusters():
    """Of the eight signs of 3, 1 and 2 four give a sum of 4 or more, up or down."""
    found = paired_difference(units([3.0, 0.0, 2.0]), units([0.0, 1.0, 0.0]))
    assert found.estimate.value == pytest.approx(4 / 3)
    assert found.p == 0.5


def test_repeats_of_one_person_flip_together():
    first, second = units([1.0] * 12), units([0.0] * 12)
    assert paired_difference(first, second).p == 2 / 2**12
    persons = {unit: int(unit[1:]) // 4 for unit in first}
    found = paired_difference(first, second, persons)
    assert found.p == 2 / 2**3
    assert found.estimate.clusters == 3
    assert found.estimate.low is None


def test_many_units_take_random_flips_near_the_normal_value():
    """Differences of mean .25 and standard deviation 1 over 64 units are two standard errors off: p is about .05."""
    values = [0.25 + math.sqrt(63 / 64) * (1 if i % 2 else -1) for i in range(64)]
    found = paired_difference(units(values), units([0.0] * 64))
    assert found.p == pytest.approx(0.0455, abs=0.015)
    assert found.p == paired_difference(units(values), units([0.0] * 64)).p


def test_the_detectable_difference_is_2_8_standard_errors():
    values = [float(i % 2) for i in range(50)]
    error = math.sqrt(0.25 * 50 / 49 / 50)
    found = paired_difference(units(values), units([0.0] * 50))
    assert found.detectable == pytest.approx((1.959964 + 0.841621) * error, rel=1e-6)


def test_pairing_removes_what_both_share():
    """Units differ widely, the systems by a little: paired, it shows."""
    hard = [float(i) for i in range(30)]
    found = paired_difference(units([v + 0.1 * (1 + i % 3) for i, v in enumerate(hard)]), units(hard))
    assert found.estimate.value == pytest.approx(0.2)
    assert 0.15 < found.estimate.low < 0.2 < found.estimate.high < 0.25
    assert found.p < 0.001


def test_units_of_one_side_only_are_named_and_no_part_of_it():
    found = paired_difference({"a": 1.0, "b": 0.0, "c": None}, {"a": 0.0, "b": 0.0, "c": 1.0, "d": 1.0})
    assert found.unpaired == ("c", "d")
    assert (found.estimate.value, found.estimate.n) == (0.5, 2)


def test_no_shared_unit_is_undefined():
    found = paired_difference({"a": 1.0}, {"b": 1.0})
    assert (found.estimate.value, found.p, found.detectable) == (None, None, None)
    assert found.estimate.reason


def test_different_ids_are_an_error_that_names_them():
    """3 predictions, 4 truths."""
    with pytest.raises(DataError, match="the first lacks d"):
        align({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 1, "d": 1})
    with pytest.raises(DataError, match=r"first lacks x.*second lacks a"):
        align({"a": 1, "b": 2}, {"b": 2, "x": 1})
    assert align({"b": 1, "a": 2}, {"a": 3, "b": 4}) == (["a", "b"], [2, 1], [3, 4])


@settings(deadline=None, max_examples=50)
@given(values=st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 0.5, None])] * 2), max_size=20), data=st.data())
def test_differences_turn_around_and_do_not_know_names(values, data):
    first, second = units([one for one, _ in values]), units([other for _, other in values])
    persons = {unit: data.draw(st.integers(0, 12)) for unit in first}
    there, back = paired_difference(first, second, persons), paired_difference(second, first, persons)
    assert there.p == back.p
    assert there.detectable == pytest.approx(back.detectable)
    assert there.p is None or 0 < there.p <= 1
    if there.estimate.value is not None:
        assert there.estimate.value == pytest.approx(-back.estimate.value)
        assert -1 <= there.estimate.value <= 1
    if there.estimate.low is not None:
        assert there.estimate.low <= there.estimate.value <= there.estimate.high
    names = {unit: f"n{90 - int(unit[1:])}" for unit in first}
    renamed = paired_difference(
        *({names[unit]: value for unit, value in side.items()} for side in (first, second)),
        {names[unit]: f"p{20 - person}" for unit, person in persons.items()},
    )
    assert renamed.estimate == there.estimate
    assert renamed.p == there.p
