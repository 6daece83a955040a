"""Kappa, alpha and plain agreement."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.metrics import cohen_kappa, krippendorff_alpha, raw_agreement

labels = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=30)

FOUR_RATERS = (
    (1, 1, None, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (None, 5, 5, 5),
    (None, None, 1, 1),
    (None, 3, None, None),
)
"""Twelve units and four raters: the worked data of Krippendorff (2011)."""


def test_one_label_only_leaves_kappa_undefined_and_agreement_whole():
    found = cohen_kappa("yyyy", "yyyy")
    assert found.value is None
    assert found.n == 4
    assert found.reason
    assert raw_agreement("yyyy", "yyyy").value == 1.0


def test_three_of_four_can_be_no_better_than_chance():
    assert cohen_kappa("yyyn", "yyyy").value == 0.0
    assert raw_agreement("yyyn", "yyyy").value == 0.75


def test_kappa_of_a_table_of_fifty():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: .7 observed, .5 by chance."""
    a = "y" * 25 + "n" * 25
    b = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    found = cohen_kappa(a, b)
    assert found.value == pytest.approx(0.4)
    assert found.low < 0.4 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * _jackknife_error(a, b), rel=0.15)


def _jackknife_error(a, b):
    without = [cohen_kappa(a[:i] + a[i + 1 :], b[:i] + b[i + 1 :]).value for i in range(len(a))]
    centre = sum(without) / len(a)
    return math.sqrt((len(a) - 1) / len(a) * sum((one - centre) ** 2 for one in without))


def test_raters_that_always_differ():
    assert cohen_kappa("yn" * 10, "ny" * 10).value == -1.0


def test_unrated_items_are_left_out():
    found = cohen_kappa(["y", "n", None, "n"], ["y", "n", "y", None])
    assert (found.value, found.n) == (1.0, 2)
    assert raw_agreement(["y", None], ["n", "n"]).n == 1


@pytest.mark.parametrize("metric", [cohen_kappa, raw_agreement])
def test_raters_must_pair_up(metric):
    with pytest.raises(DataError, match="3 and 4"):
        metric("abc", "abcd")


@pytest.mark.parametrize("metric", [cohen_kappa, raw_agreement])
def test_nothing_rated_is_undefined(metric):
    found = metric([], [])
    assert (found.value, found.n) == (None, 0)
    assert found.reason


@pytest.mark.parametrize(("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_four_raters_with_gaps(scale, value):
    found = krippendorff_alpha(FOUR_RATERS, scale)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.n == 11
    assert found.low < found.value < found.high <= 1


def test_alpha_is_undefined_where_all_say_the_same_or_nobody_is_paired():
    assert krippendorff_alpha([(1, 1), (1, 1)]).value is None
    assert "equal" in krippendorff_alpha([(1, 1), (1, 1)]).reason
    assert krippendorff_alpha([(1, None), (2,)]).value is None
    assert krippendorff_alpha([]).reason


def test_alpha_of_full_agreement_is_one_without_an_interval():
    found = krippendorff_alpha([("x", "x"), ("y", "y")] * 6)
    assert (found.value, found.low) == (1.0, None)
    assert found.reason


def test_alpha_refuses_what_it_cannot_measure():
    with pytest.raises(ConfigError, match="ordinal"):
        krippendorff_alpha([(1, 2)], "ratio")
    with pytest.raises(DataError, match="nominal"):
        krippendorff_alpha([("a", "b")], "interval")
    with pytest.raises(DataError, match="finite"):
        krippendorff_alpha([(1.0, math.nan)], "interval")


def test_few_clusters_give_no_interval():
    found = krippendorff_alpha(FOUR_RATERS, clusters=[i % 3 for i in range(12)])
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert (found.low, found.clusters) == (None, 3)


@settings(deadline=None, max_examples=60)
@given(pairs=labels, data=st.data())
def test_kappa_is_bounded_symmetric_and_blind_to_names_and_order(pairs, data):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = cohen_kappa(a, b)
    if found.value is None:
        assert len({*a, *b}) == 1
        return
    assert -1 <= found.value <= 1
    assert found.low is None or -1 <= found.low <= found.value <= found.high <= 1
    assert cohen_kappa(b, a).value == pytest.approx(found.value)
    names = dict(zip("xyz", data.draw(st.permutations(["p", "q", "r"])), strict=True))
    order = data.draw(st.permutations(range(len(a))))
    renamed = cohen_kappa([names[a[i]] for i in order], [names[b[i]] for i in order])
    assert renamed.value == pytest.approx(found.value)
    assert (renamed.low is None) == (found.low is None)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.sampled_from([1, 2, 3, None]), max_size=4), max_size=12))
def test_alpha_is_at_most_one_and_never_no_number(ratings):
    for scale in ("nominal", "ordinal", "interval"):
        found = krippendorff_alpha(ratings, scale)
        assert found.value is None or found.value <= 1 + 1e-12
        assert all(end is None or math.isfinite(end) for end in (found.value, found.low, found.high))
        assert found.value is not None or found.reason


@pytest.mark.slow
def test_thousands_of_ratings_are_quick():
    start = time.process_time()
    krippendorff_alpha([(i * i % 5, i % 5, i % 4) for i in range(8000)], "ordinal")
    assert time.process_time() - start < 5
