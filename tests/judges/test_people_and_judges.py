"""Agreement of people with each other and of judges with people: worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.judges.people import MAJORITY, Voted, majority, measure_people


def found(metrics, name, **group):
    (one,) = [m for m in metrics if m.name == name and all(m.group.get(key) == value for key, value in group.items())]
    return one.estimate


def things(rows, judged=(), parts=()):
    """Return one thing a row of votes by annotators a, b, c …; a cluster each."""
    return [
        Voted(
            f"root {place}",
            {name: vote for name, vote in zip("abcde", row, strict=False) if vote is not None},
            {"rules": judged[place]} if judged else {},
            parts[place] if parts else "",
        )
        for place, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("votes", "most"),
    [([0, 0, 1], 0), ([0, 1], None), ([0.5], 0.5), ([], None), ([0, 0, 1, 1, 0.5], None), (["x", "y", "x"], "x")],
)
def test_the_majority_is_the_one_answer_given_most_often(votes, most):
    assert majority(votes) == most


def test_two_annotators_and_a_judge_on_ten_pairs_by_hand():
    """a and b agree on 8 of 10. Shares: a has 5 of 0 and 5 of 1, b 5 and 5: chance .5, kappa (.8 - .5) / .5 = .6.

    The judge says what a says on all but the first: 9 of 10 with a; with b on 7 (it errs where a and b differ, and on
    the first): of the 8 with a majority it is right on 7.
    """
    a = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    b = [0, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    judge = [1, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    metrics = list(measure_people(things(zip(a, b, strict=True), judge), "pair", {"criterion": "overall"}))
    assert found(metrics, "people_agreement", annotator="a", other="b").value == pytest.approx(0.8)
    assert found(metrics, "people_kappa", annotator="a", other="b").value == pytest.approx(0.6)
    with_a = found(metrics, "judge_people_agreement", annotator="a")
    assert (with_a.value, with_a.n) == (pytest.approx(0.9), 10)
    assert found(metrics, "judge_people_agreement", annotator="b").value == pytest.approx(0.7)
    most = found(metrics, "judge_people_agreement", annotator=MAJORITY)
    assert (most.value, most.n) == (pytest.approx(7 / 8), 8)
    assert found(metrics, "people_votes", annotator="a").value == 10
    # with two annotators the other one's vote is the majority of the others
    assert found(metrics, "people_with_others").value == pytest.approx(0.8)
    assert found(metrics, "judge_with_others").value == pytest.approx((9 + 7) / 20)


def test_left_out_votes_are_the_same_yardstick_for_people_and_judge():
    """Votes 0, 0, 1: leaving a 0 out leaves 0 and 1, no majority; leaving the 1 out leaves 0: one counts, and is off.

    Votes 1, 1, 1: all three count and agree. A judge that says 0, then 1, is right on each left-out majority.
    """
    metrics = list(measure_people(things([(0, 0, 1), (1, 1, 1)], [0, 1]), "pair", {}))
    people = found([m for m in metrics if "annotator" not in m.group], "people_with_others")
    assert (people.value, people.n) == (pytest.approx(3 / 4), 4)
    judge = found(metrics, "judge_with_others")
    assert (judge.value, judge.n) == (1.0, 4)
    constant = found(metrics, "constant_with_others")  # 1 is the commonest of six votes
    assert (constant.value, constant.n) == (pytest.approx(3 / 4), 4)
    # votes 1 1 1 1 against majorities 0 1 1 1: .75 observed, .75 by chance; the judge 0 1 1 1: all
    assert found([m for m in metrics if "annotator" not in m.group], "people_with_others_kappa").value == 0.0
    assert found(metrics, "judge_with_others_kappa").value == 1.0


def test_where_two_answers_are_the_commonest_the_constant_is_one_of_them():
    metrics = list(measure_people(things([(0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1)]), "pair", {}))
    constant = found(metrics, "constant_with_others")
    assert (constant.value, constant.n, constant.reason) == (0.5, 12, "too few clusters for an interval: 4, at least 10"
                                                             " are needed")  # fmt: skip


def test_scores_count_as_equal_when_they_round_to_the_same_and_alpha_takes_them_as_they_are():
    votes = [(1, 1), (2, 2), (3, 3), (4, 5)]
    metrics = list(measure_people(things(votes, [1.4, 2.5, 3.49, 4.2]), "score", {}))
    assert found(metrics, "people_agreement", annotator="a", other="b").value == pytest.approx(0.75)
    # 1.4 is 1, 2.5 is 3 (halves up), 3.49 is 3, 4.2 is 4
    assert found(metrics, "judge_people_agreement", annotator="a").value == pytest.approx(0.75)
    # interval alpha by hand: values 1 1 2 2 3 3 4 5, one disagreement of 1 within; n = 8
    values = [1, 1, 2, 2, 3, 3, 4, 5]
    within = 2 * 1 / (2 - 1) / 8
    between = sum((x - y) ** 2 for x in values for y in values) / (8 * 7)
    assert found(metrics, "people_alpha").value == pytest.approx(1 - within / between)


def test_with_one_person_there_is_no_ceiling_and_alpha_says_why():
    metrics = list(measure_people(things([(0,), (1,)], [0, 0]), "pair", {}))
    assert not any("_with_others" in metric.name for metric in metrics)
    assert found(metrics, "people_alpha").reason == "no unit has two ratings"
    assert found(metrics, "judge_people_agreement", annotator="a").value == 0.5


def test_annotators_without_names_have_no_rows_of_their_own():
    metrics = list(measure_people(things([(3, 3, 4)] * 3), "score", {"label": "satisfaction"}, named=False))
    assert not any("annotator" in metric.group for metric in metrics)
    assert {metric.name for metric in metrics} == {
        "people_alpha",
        "people_with_others",
        "people_with_others_kappa",
        "constant_with_others",
    }


def test_pairs_of_systems_are_told_apart_and_clusters_widen_the_interval():
    rows = things([(0, 0)] * 12 + [(1, 1)] * 12, [0] * 24, ["x vs y"] * 12 + ["x vs z"] * 12)
    metrics = list(measure_people(rows, "pair", {}))
    assert found(metrics, "judge_people_agreement", pair="x vs y").value == 1.0
    assert found(metrics, "judge_people_agreement", pair="x vs z").value == 0.0
    alone = found([m for m in metrics if "pair" not in m.group], "judge_people_agreement", annotator=MAJORITY)
    shared = [Voted(f"root {place // 2}", one.votes, one.judged) for place, one in enumerate(rows)]
    wide = found(list(measure_people(shared, "pair", {})), "judge_people_agreement", annotator=MAJORITY)
    assert wide.clusters == 12
    assert wide.high - wide.low > alone.high - alone.low


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=3, max_size=3), min_size=1, max_size=14),
    st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=14, max_size=14),
    st.permutations("abc"),
)
def test_whoever_votes_and_whatever_they_are_called_shares_are_shares(rows, judged, names):
    def measured(called):
        made = [
            Voted(
                str(place),
                {name: vote for name, vote in zip(called, row, strict=True) if vote is not None},
                {} if judged[place] is None else {"rules": judged[place]},
            )
            for place, row in enumerate(rows)
        ]
        return list(measure_people(made, "pair", {}))

    metrics = measured("abc")
    for metric in metrics:
        value = metric.estimate.value
        assert value is not None or metric.estimate.reason
        if value is not None and metric.name.endswith(("agreement", "others")):
            assert 0 <= value <= 1
    renamed = measured(names)
    whole = {
        m.name: m.estimate.value for m in metrics if "annotator" not in m.group or m.group["annotator"] == MAJORITY
    }
    again = {
        m.name: m.estimate.value for m in renamed if "annotator" not in m.group or m.group["annotator"] == MAJORITY
    }
    assert {name: value for name, value in whole.items() if not name.endswith("constant_with_others")} == pytest.approx(
        {name: value for name, value in again.items() if not name.endswith("constant_with_others")}, nan_ok=True
    )
