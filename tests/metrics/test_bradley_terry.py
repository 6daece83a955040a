"""Bradley-Terry: worked strengths, ties, what can't be told, intervals, and blindness to names and order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics.bradley_terry import Game, bradley_terry


def games(*results, copies=1):
    """Games `first second points`, each in a cluster of its own."""
    return [
        Game(one, two, points, f"{place}.{again}")
        for place, (one, two, points) in enumerate(results)
        for again in range(copies)
    ]


def strengths(found):
    return {name: estimate.value for name, estimate in found.strengths.items()}


def test_three_wins_of_four_are_odds_of_three():
    found = bradley_terry(games(("a", "b", 1), ("a", "b", 1), ("a", "b", 1), ("a", "b", 0)), prior=0)
    assert strengths(found) == pytest.approx({"a": math.log(3) / 2, "b": -math.log(3) / 2})


def test_a_tie_is_half_a_win():
    ties = bradley_terry(games(("a", "b", 0.5), ("a", "b", 0.5)))
    split = bradley_terry(games(("a", "b", 1), ("a", "b", 0)))
    assert strengths(ties) == pytest.approx({"a": 0, "b": 0})
    assert strengths(split) == pytest.approx({"a": 0, "b": 0})
    assert {name: rank.value for name, rank in ties.ranks.items()} == {"a": 1.5, "b": 1.5}


def test_a_cycle_is_even_and_a_chain_of_odds_adds_up():
    cycle = bradley_terry(games(("a", "b", 1), ("b", "c", 1), ("c", "a", 1)))
    assert strengths(cycle) == pytest.approx({"a": 0, "b": 0, "c": 0}, abs=1e-9)
    # a : b = 2 : 1 and b : c = 3 : 1, so a : c = 6 : 1, which never met
    chain = bradley_terry(games(("a", "b", 2 / 3), ("b", "c", 3 / 4)), prior=0)
    assert chain.strengths["a"].value - chain.strengths["c"].value == pytest.approx(math.log(6))


def test_regularisation_pulls_a_little_to_the_middle():
    plain, pulled = (
        bradley_terry(games(("a", "b", 1), ("a", "b", 1), ("a", "b", 1), ("a", "b", 0)), prior=prior)
        .strengths["a"]
        .value
        for prior in (0, 0.1)
    )
    assert 0.9 * plain < pulled < plain


def test_a_player_who_only_wins_gets_a_rank_and_no_strength():
    found = bradley_terry(games(("a", "b", 1), ("a", "c", 1), ("b", "c", 1), ("b", "c", 0), copies=5))
    assert {estimate.value for estimate in found.strengths.values()} == {None}
    assert found.strengths["b"].reason == "the games separate the systems, so only their order can be told: a | b, c"
    assert [found.ranks[name].value for name in "abc"] == [1.0, 2.5, 2.5]


def test_players_who_never_met_get_neither():
    found = bradley_terry(games(("a", "b", 0.5), ("c", "d", 0.5)))
    assert {estimate.value for estimate in (*found.strengths.values(), *found.ranks.values())} == {None}
    assert found.ranks["a"].reason.endswith("a, b | c, d")


def test_intervals_come_from_ten_clusters_up_and_hold_the_value():
    mixed = [("a", "b", 1), ("a", "b", 1), ("a", "b", 0)]
    few = bradley_terry(games(*mixed, copies=3))
    assert (few.strengths["a"].low, few.strengths["a"].clusters) == (None, 9)
    assert "at least 10" in few.strengths["a"].reason
    many = bradley_terry(games(*mixed, copies=20))
    found = many.strengths["a"]
    assert found.low < found.value < found.high
    # the difference is twice the strength: its standard error by the delta method is sqrt(1 / (n p q)) = 0.274
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.274 / 2, rel=0.2)


def test_games_of_one_pair_in_one_cluster_count_as_their_mean():
    whole = bradley_terry([Game("a", "b", 0.75, "r1"), Game("a", "b", 0.5, "r2")])
    parts = bradley_terry([Game("a", "b", points, "r1") for points in (1, 1, 0.5, 0.5)] + [Game("b", "a", 0.5, "r2")])
    assert strengths(whole) == pytest.approx(strengths(parts))


def test_nothing_and_nonsense():
    assert bradley_terry([]).strengths == {}
    assert bradley_terry([Game("a", "a", 1, 1)]).ranks == {}
    with pytest.raises(DataError, match="from 0 to 1"):
        bradley_terry([Game("a", "b", 1.5, 1)])


_NAMES = st.sampled_from("abcd")
_GAMES = st.lists(st.tuples(_NAMES, _NAMES, st.sampled_from([0, 0.5, 1]), st.integers(0, 11)), min_size=1, max_size=30)


@given(_GAMES)
def test_the_order_of_games_and_the_side_written_first_do_not_matter(rows):
    forth = [Game(*row) for row in rows]
    back = [Game(game.second, game.first, 1 - game.points, game.cluster) for game in reversed(forth)]
    one, other = bradley_terry(forth), bradley_terry(back)
    assert one.ranks.keys() == other.ranks.keys()
    for name, found in one.ranks.items():
        assert (found.value, found.low) == (other.ranks[name].value, other.ranks[name].low)
    values = [found.value for found in one.strengths.values() if found.value is not None]
    assert sum(values) == pytest.approx(0, abs=1e-8)
    assert all(math.isfinite(value) for value in values)
