"""What was asked for against what was found, and how far one number tells two groups apart."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from mysteryshopper.core import DataError
from mysteryshopper.metrics import classification_scores, confusion, constant_scores, separation, shuffled_scores

MOODS = ("positive", "neutral", "negative")
TWO = ("formal", "informal")


def people(size):
    return [f"person {place}" for place in range(size)]


def test_twenty_of_twenty_with_three_labels_is_one():
    asked = [MOODS[place % 3] for place in range(20)]
    found = confusion(asked, list(asked), MOODS, people(20))
    assert (found.accuracy.value, found.precision.value, found.recall.value, found.f1.value) == (1, 1, 1, 1)
    assert found.accuracy.low == pytest.approx(0.8389, abs=5e-4)  # Wilson, 20 of 20
    assert found.f1.low is None  # nobody differs: no interval, and the reason says so
    assert found.f1.reason


def test_a_constant_answer_on_two_balanced_labels_is_a_half_and_a_third():
    asked = ["formal", "informal"] * 10
    found = confusion(asked, ["formal"] * 20, TWO, people(20))
    assert found.accuracy.value == 0.5
    assert found.f1.value == pytest.approx(0.3333, abs=5e-5)
    assert found.precision.value == 0.25  # a label never found has precision 0
    assert found.recall.value == 0.5
    assert constant_scores(asked) == (0.5, pytest.approx(1 / 3))
    assert constant_scores([MOODS[place % 3] for place in range(9)]) == (pytest.approx(1 / 3), pytest.approx(1 / 6))
    assert constant_scores([]) is None


def test_a_table_worked_by_hand():
    found = confusion(["a", "a", "b", "b"], ["a", "b", "b", "b"], ("a", "b"), people(4))
    assert found.precision.value == pytest.approx((1 + 2 / 3) / 2)
    assert found.recall.value == pytest.approx(0.75)
    assert found.f1.value == pytest.approx((2 / 3 + 0.8) / 2)
    assert found.f1.clusters == 4
    assert found.f1.bounds is None


def test_what_is_missing_is_never_wrong_and_stands_in_the_bounds():
    found = confusion(["a", "a", "b", "b"], ["a", None, "b", "b"], ("a", "b"), people(4))
    assert (found.accuracy.value, found.accuracy.n, found.accuracy.bounds) == (1, 3, (0.75, 1))
    assert (found.f1.value, found.f1.n) == (1, 3)
    assert found.f1.bounds == (pytest.approx((2 / 3 + 0.8) / 2), 1)
    assert found.recall.bounds == (pytest.approx(0.75), 1)


def test_missing_is_spread_evenly_over_wrong_labels():
    found = confusion(["a", "b", "c", "c"], ["a", "b", "c", None], ("a", "b", "c"), people(4))
    # half a dialogue too many is found as a and as b; of c one of two is lost
    assert found.f1.bounds == (pytest.approx((2 / 2.5 + 2 / 2.5 + 2 / 3) / 3), 1)


def test_nothing_found_and_one_label_alone_have_reasons():
    nothing = confusion(["a", "b"], [None, None], ("a", "b"), people(2))
    assert (nothing.f1.value, nothing.f1.n) == (None, 0)
    assert nothing.f1.reason
    alone = confusion(["careless"] * 3, ["careless", "careful", "careless"], ("careless",), people(3))
    assert alone.accuracy.value == pytest.approx(2 / 3)
    assert alone.f1.value is None
    assert "one label" in alone.f1.reason
    with pytest.raises(DataError, match="none of those named"):
        confusion(["x"], ["a"], ("a", "b"), people(1))


def test_a_label_nobody_asked_for_is_wrong_and_no_part_of_the_mean():
    found = confusion(["a", "a", "b", "b"], ["a", "c", "b", "b"], ("a", "b"), people(4))
    assert found.recall.value == pytest.approx(0.75)
    assert found.precision.value == 1
    assert found.f1.value == pytest.approx((2 / 3 + 1) / 2)


PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=3, max_size=40)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_it_is_the_macro_average_that_others_compute_too(pairs):
    asked, found = ([pair[side] for pair in pairs] for side in (0, 1))
    labels = sorted(set(asked))
    if len(labels) < 2 or not set(found) <= set(labels):
        return
    ours, theirs = confusion(asked, found, labels, people(len(pairs))), classification_scores(asked, found)
    for name in ("precision", "recall", "f1"):
        assert getattr(ours, name).value == pytest.approx(getattr(theirs, name))
        assert 0 <= getattr(ours, name).value <= 1
    named = {"a": "x", "b": "a", "c": "b"}
    again = confusion(
        [named[one] for one in asked],
        [named[one] for one in found],
        [named[one] for one in labels],
        people(len(pairs)),
    )
    assert again.f1 == ours.f1


def test_dialogues_of_one_person_are_one_cluster():
    random = Random(3)
    asked = ["a", "b"] * 40
    found = [label if random.random() < 0.8 else "ab".replace(label, "") for label in asked]
    persons = [f"p{place // 4}" for place in range(80)]
    clustered = confusion(asked, found, ("a", "b"), persons)
    assert (clustered.f1.clusters, clustered.accuracy.clusters) == (20, 20)
    assert clustered.f1.low < clustered.f1.value < clustered.f1.high
    few = confusion(asked[:16], found[:16], ("a", "b"), persons[:16])
    assert few.f1.low is None
    assert "too few clusters" in few.f1.reason


def test_shuffled_requests_come_to_chance_whatever_was_found():
    asked = ["a", "b"] * 30
    persons = [f"p{place // 2}" for place in range(60)]
    accuracy, f1 = shuffled_scores(asked, list(asked), ("a", "b"), persons)
    assert accuracy.value == pytest.approx(0.5, abs=0.03)
    assert accuracy.low < 0.5 < accuracy.high < 0.8
    assert f1.value == pytest.approx(0.5, abs=0.05)
    assert shuffled_scores(asked, list(asked), ("a", "b"), persons) == (accuracy, f1)  # seeded
    assert shuffled_scores(["a"], [None], ("a", "b"), ["p"]) is None
    # inside one person's dialogues: a person with one request keeps it
    alone, _ = shuffled_scores(["a", "b"], ["a", "b"], ("a", "b"), ["p", "q"])
    assert alone.value == 1


def test_separation_counts_ordered_pairs_and_half_of_ties():
    assert separation([1, 2], [3, 4], people(2), people(2)).value == 1
    assert separation([3, 4], [1, 2], people(2), people(2)).value == 0
    assert separation([1, 2], [1, 2], people(2), people(2)).value == 0.5
    assert separation([1, 3], [2], people(2), ["x"]).value == 0.5
    assert separation([1, None, 1], [1, 2], people(3), people(2)).value == 0.75
    empty = separation([], [1], [], ["p"])
    assert empty.value is None
    assert empty.reason


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=15),
    st.lists(st.integers(0, 5), min_size=1, max_size=15),
)
@settings(max_examples=60, deadline=None)
def test_separation_is_the_mann_whitney_statistic(lower, higher):
    ours = separation(lower, higher, people(len(lower)), people(len(higher)))
    assert ours.value == pytest.approx(mannwhitneyu(higher, lower).statistic / (len(lower) * len(higher)))
    turned = separation(higher, lower, people(len(higher)), people(len(lower)))
    assert turned.value == pytest.approx(1 - ours.value)


def test_separation_leaves_out_one_person_with_both_their_values():
    lower, higher = [1.0, 5.0, 2.0], [3.0, 4.0, 6.0]
    names = people(3)
    found = separation(lower, higher, names, names)
    assert found.clusters == 3
    assert found.n == 6
    random = Random(1)
    many = [random.gauss(0, 1) for _ in range(40)]
    more = [random.gauss(1, 1) for _ in range(40)]
    wide = separation(many, more, people(40), people(40))
    assert wide.low < 0.76 < wide.high  # Phi(1 / sqrt 2)
    assert wide.clusters == 40
