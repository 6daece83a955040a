"""When an optimisation stops, what counts as better, and how one pair comes out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Criterion, decode_text, encode_text
from mysteryshopper.judges.observing import Observation
from mysteryshopper.optimize.batches import Batch
from mysteryshopper.optimize.deciding import outcome_of, tally
from mysteryshopper.optimize.story import Problem, Round, Story, Tally


def told(results, rounds=99, patience=3):
    """The story of judge results (wins, losses): it goes on until it must stop; a prompt is written from the best."""
    story = Story().add(Round(0, "start"))
    for number, (wins, losses) in enumerate(results, 1):
        if story.stop(rounds, patience):
            break
        story = story.add(Round(number, f"text {number}", parent=story.best, tally=Tally(wins, losses)))
    return story


def test_three_rounds_without_improvement_end_it():
    story = told([(6, 4), (3, 5), (4, 4), (2, 7), (9, 0)])
    assert len(story.rounds) == 1 + 4
    assert story.stop(99, 3) == "patience"
    assert story.best == 1
    assert [one.parent for one in story.rounds] == [None, 0, 1, 1, 1]  # each written from the best so far


def test_as_many_wins_as_losses_are_no_improvement():
    assert not Tally(5, 5, ties=3).better
    assert Tally(1, 0, ties=99, inconsistent=99).better
    assert told([(5, 5)] * 5).best == 0
    assert len(told([(5, 5)] * 5).rounds) == 1 + 3  # the original prompt is kept, after three rounds


def test_an_improvement_starts_the_count_anew():
    story = told([(0, 1), (0, 1), (2, 1), (0, 1), (0, 1), (0, 1), (5, 0)])
    assert story.best == 3
    assert len(story.rounds) == 1 + 6


def test_the_limit_of_rounds_ends_it():
    story = told([(2, 1)] * 9, rounds=4)
    assert len(story.rounds) == 1 + 4
    assert story.stop(4, 3) == "rounds"
    assert story.best == 4


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12), st.integers(1, 5), st.integers(1, 4))
def test_the_best_is_the_last_improvement_whatever_comes(results, rounds, patience):
    story = told(results, rounds, patience)
    better = [one.number for one in story.rounds if one.tally and one.tally.wins > one.tally.losses]
    assert story.best == (better[-1] if better else 0)
    assert len(story.rounds) - 1 <= min(rounds, len(results))
    assert story.idle <= patience
    assert decode_text(Story, encode_text(story)) == story


def test_a_story_reads_back_whole():
    story = Story(
        (
            Round(0, "a {{ b }}", notes=("given",), dialogues=3, lost={"user": 1}, problems=(Problem("dull", 2, "d"),)),
            Round(1, "", 0, ("unusable",)),
        ),
        "rounds",
    )
    assert decode_text(Story, encode_text(story)) == story


def pair(*values, criterion="naturalness", repeat=0, equal=False):
    statuses = tuple("empty" if value is None else "ok" for value in values)
    asked = Criterion(criterion, "?")
    orders = ("AB", "BA")[: len(values)]
    return Observation("c", "j", asked, "pair", "u", ("s", "s"), "p", "", "", repeat, values, orders, statuses, equal)


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ([pair(0.0, 0.0)], "win"),
        ([pair(1.0, 1.0)], "loss"),
        ([pair(0.0, 1.0)], "inconsistent"),
        ([pair(0.5, 0.5)], "tie"),
        ([pair(0.0, 0.0), pair(1.0, 1.0, criterion="clarity")], "tie"),  # one each
        ([pair(0.0, 0.0), pair(0.0, 1.0, criterion="clarity")], "win"),
        ([pair(0.5, 0.5), pair(0.0, 1.0, criterion="clarity")], "inconsistent"),
        ([pair(None, 0.0), pair(1.0, 1.0, criterion="clarity")], "loss"),  # what was read counts
        ([pair(None, 0.0)], None),
        ([], None),
    ],
)
def test_a_pair_goes_to_the_one_that_wins_more_criteria(seen, right):
    assert outcome_of(seen) == right


def test_only_the_named_criteria_decide():
    seen = [pair(0.0, 0.0), pair(1.0, 1.0, criterion="clarity"), pair(1.0, 1.0, criterion="realism")]
    assert outcome_of(seen) == "loss"
    assert outcome_of(seen, ("naturalness",)) == "win"


def test_a_user_that_breaks_down_loses_its_pair():
    """Otherwise a prompt could win with the dialogues that it did not break."""
    new = Batch(1, {("b", "s"): None}, {("a", "s"): "user", ("c", "s"): "system", ("d", "s"): "user"})
    old = Batch(0, {("a", "s"): None, ("b", "s"): None, ("c", "s"): None}, {("d", "s"): "user"})
    found = tally(new, old, ["win"], asked=1)
    assert found == Tally(wins=1, losses=1, ties=1, forfeits=1, dropped=1)
    assert not found.better
    turned = tally(old, new, ["loss"], asked=1)
    assert (turned.wins, turned.losses, turned.ties, turned.dropped) == (1, 1, 1, 1)


def test_what_the_judge_did_not_say_counts_for_nothing():
    batch = Batch(1, {}, {})
    assert tally(batch, batch, ["win", None, "inconsistent"], asked=4) == Tally(wins=1, inconsistent=1, unread=2)
