"""Numbers made of verdicts, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from mysteryshopper.core import Case, Criterion, Exhibit, Ruling, StoredVerdict, Unjudged, Verdict
from mysteryshopper.judges.tallies import control_warnings, measure_verdicts

KIND = Criterion("kind", "Is it kind?")
OVERALL = Criterion("overall", "Which is better?")


class FakeStore:
    plan = SimpleNamespace(is_control=lambda system: system == "popular")

    def __init__(self, verdicts=(), unjudged=()):
        self._verdicts = sorted(verdicts, key=lambda stored: (stored.case.id, stored.judge, stored.repeat))
        self._unjudged = unjudged

    def verdicts(self, *, messages=True):
        return iter(self._verdicts)

    def unjudged(self):
        return iter(self._unjudged)


def graded(number, value, *, criterion=KIND, system="mine", judge="strict", repeat=0, cluster="", status="ok", **case):
    name = case.pop("id", f"one|{number}|{system}")
    data = {"user": "plain", "systems": [system], "cluster": cluster or f"p{number}", **case.pop("data", {})}
    shown = Case(name, f"unit {number}", (Exhibit("A", "d", "0", ()),), (criterion,), data=data, **case)
    status = status if value is not None or status != "ok" else "invalid"
    verdict = Verdict(name, (Ruling(criterion.name, value, status),))
    return StoredVerdict(shown, verdict, judge, judge, repeat)


def pair(number, first, second, *, judge="strict", repeat=0, notes=None, systems=("mine", "other"), **case):
    name = f"pair|{number}{case.get('control', '')}"
    data = {"user": "plain", "systems": list(systems), "cluster": f"p{number}"}
    exhibits = (Exhibit("x", "d1", "0", ()), Exhibit("y", "d2", "0", ()))
    shown = Case(name, f"unit {number}", exhibits, (OVERALL,), data=data, **case)
    rulings = tuple(
        Ruling("overall", value, "ok" if value else "ambiguous", order, notes=notes or {})
        for value, order in ((first, "AB"), (second, "BA"))
    )
    return StoredVerdict(shown, Verdict(name, rulings), judge, judge, repeat)


def found(store, name, **group):
    metrics = [
        metric
        for metric in measure_verdicts(store)
        if metric.name == name and all(metric.group.get(key) == value for key, value in group.items())
    ]
    assert len(metrics) == 1, metrics
    return metrics[0]


def test_scores_are_means_of_cases_with_repeats_averaged_and_bounds_for_what_is_lost():
    verdicts = [
        graded(1, 5),
        graded(1, 3, repeat=1),
        graded(2, 2),
        graded(2, 2, repeat=1),
        graded(3, None),
        graded(1, 1, system="other"),
        graded(4, 1, control="worse", data={"real": "one|1|mine"}, id="worse|1"),
    ]
    lost = Unjudged(graded(5, 1).case, "strict", "strict", "http_error")
    again = Unjudged(graded(2, 1).case, "strict", "strict", "http_error", repeat=2)
    score = found(FakeStore(verdicts, [lost, again]), "score", system="mine")
    assert score.group == {"judge": "strict", "criterion": "kind", "user": "plain", "system": "mine"}
    assert score.estimate.value == 3.0  # (4 + 2) / 2
    assert score.estimate.n == 2
    assert score.estimate.bounds == (2.0, 4.0)  # (4 + 2 + 1 + 1) / 4 and (4 + 2 + 5 + 5) / 4
    assert score.better == "higher"
    assert found(FakeStore(verdicts), "score", system="other").estimate.value == 1


def test_scores_of_one_cluster_do_not_pass_for_independent():
    store = FakeStore([graded(number, number % 12 % 5 + 1, cluster=f"c{number % 12}") for number in range(60)])
    estimate = found(store, "score").estimate
    assert (estimate.n, estimate.clusters) == (60, 12)
    assert estimate.low < estimate.value < estimate.high


def test_yes_or_no_scores_get_an_interval_for_shares_and_their_own_direction():
    met = Criterion("late", "Was it late?", low=0, high=1, better="lower")
    score = found(FakeStore([graded(number, 0, criterion=met) for number in range(10)]), "score")
    assert score.estimate.value == 0
    assert score.estimate.high == pytest.approx(0.278, abs=5e-4)
    assert score.better == "lower"


def test_labels_are_shares():
    tone = Criterion("tone", "How?", labels=("formal", "informal"))
    store = FakeStore([graded(n, label, criterion=tone) for n, label in enumerate(["formal"] * 3 + ["informal", None])])
    assert found(store, "label_share", label="formal").estimate.value == 0.75
    assert found(store, "label_share", label="informal").estimate.n == 4


def test_pairs_by_hand():
    verdicts = [
        pair(1, "x", "x"),
        pair(2, "x", "x"),
        pair(3, "y", "y"),
        pair(4, "x", "y"),
        pair(5, "tie", "x"),
        pair(6, "tie", "tie"),
        pair(7, "tie", "tie", notes={"equal": 1}),
        pair(8, "x", None),
    ]
    store = FakeStore(verdicts)
    group = {"system": "mine", "versus": "other"}
    rate = found(store, "win_rate", **group)
    assert rate.estimate.value == pytest.approx(4 / 7)  # 2 wins, 2 inconsistent, 2 ties
    assert rate.estimate.n == 7
    assert rate.estimate.bounds == (pytest.approx(4 / 8), pytest.approx(5 / 8))
    shares = {name: found(store, name, **group).estimate.value for name in ("wins", "losses", "ties", "inconsistent")}
    assert shares == pytest.approx({"wins": 2 / 7, "losses": 1 / 7, "ties": 2 / 7, "inconsistent": 2 / 7})
    assert found(store, "net_wins", **group).estimate.value == pytest.approx(1 / 7)
    consistency = found(store, "consistency", **group).estimate
    assert (consistency.value, consistency.n) == (pytest.approx(4 / 6), 6)  # the equal pair was not asked about
    unread = [metric for metric in measure_verdicts(store) if metric.name == "unread"]
    assert [(metric.group.get("status"), metric.estimate.value) for metric in unread] == [
        (None, 1 / 14),  # two rulings a pair, but of the one that nobody was asked about
        ("ambiguous", 1 / 14),
    ]


def test_a_pair_with_a_control_system_is_marked():
    assert found(FakeStore([pair(1, "x", "x", systems=("mine", "popular"))]), "win_rate").control
    assert found(FakeStore([graded(1, 3, system="popular")]), "score").control


def test_self_agreement_over_repeats():
    stable = [graded(n, n % 5 + 1, repeat=again) for n in range(12) for again in range(2)]
    assert found(FakeStore(stable), "self_agreement").estimate.value == 1
    assert found(FakeStore(stable), "self_agreement_raw").estimate.value == 1
    # two units, ratings (1, 1) and (1, 2): alpha = 1 - 3 * 2 / (2 * 3 * 1) = 0
    mixed = [graded(1, 1), graded(1, 1, repeat=1), graded(2, 1), graded(2, 2, repeat=1)]
    assert found(FakeStore(mixed), "self_agreement").estimate.value == pytest.approx(0)
    assert found(FakeStore(mixed), "self_agreement_raw").estimate.value == 0.5
    alone = [metric.name for metric in measure_verdicts(FakeStore([graded(1, 1)]))]
    assert "self_agreement" not in alone


def test_repeats_that_are_one_call_say_nothing_of_the_judge():
    def asked(number, value, repeat, call):
        stored = graded(number, value, repeat=repeat)
        return replace(stored, verdict=replace(stored.verdict, calls=(call,)))

    same = [asked(n, n % 5 + 1, again, f"call {n}") for n in range(12) for again in range(3)]
    found_same = found(FakeStore(same), "self_agreement").estimate
    assert (found_same.value, found_same.n) == (None, 0)
    assert "one call" in found_same.reason
    drawn = [asked(n, n % 5 + 1, again, f"call {n} {again}") for n in range(12) for again in range(3)]
    assert found(FakeStore(drawn), "self_agreement").estimate.n == 12


def test_a_case_that_one_repeat_lost_and_another_has_counts_once():
    lost = Unjudged(graded(1, 1).case, "strict", "strict", "timeout")
    score = found(FakeStore([graded(1, 5, repeat=1), graded(2, 3)], [lost]), "score").estimate
    assert (score.value, score.n, score.bounds) == (4, 2, None)


def test_judges_are_compared_where_they_ruled_on_the_same():
    verdicts = [graded(n, v, judge=judge) for judge in ("a", "b") for n, v in enumerate([1, 2, 5])]
    verdicts += [graded(9, 3, judge="a")]
    metric = found(FakeStore(verdicts), "judge_agreement")
    assert metric.group == {"judge": "a", "other": "b", "criterion": "kind"}
    assert metric.estimate.value == 1
    assert metric.estimate.n == 3
    other_scale = Criterion("kind", "Is it kind?", low=0, high=1)
    names = [
        metric.name
        for metric in measure_verdicts(FakeStore([graded(1, 1), graded(1, 1, judge="b", criterion=other_scale)]))
    ]
    assert "judge_agreement" not in names


def test_controls_of_a_judge_that_can_tell():
    verdicts = [pair(n, "x", "x", control="worse") for n in range(20)]
    verdicts += [pair(n, *(("x", "x") if n % 2 else ("y", "y")), control="same") for n in range(20)]
    verdicts += [pair(n + 100, "tie", "tie", control="same", notes={"equal": 1}) for n in range(5)]
    metrics = list(measure_verdicts(FakeStore(verdicts)))
    by_name = {metric.name: metric for metric in metrics}
    assert by_name["control_worse"].estimate.value == 1
    assert by_name["control_same"].estimate.value == 0.5
    assert by_name["control_same"].estimate.n == 20  # those that nobody was asked about say nothing
    assert by_name["control_same_undecided"].estimate.value == 0
    assert by_name["prefers_first"].estimate.value == 0.5
    assert "win_rate" not in by_name
    assert all(by_name[name].control for name in ("control_worse", "control_same", "prefers_first"))
    assert control_warnings(metrics) == []


def test_a_judge_that_always_takes_the_first_is_told_on():
    verdicts = [pair(n, "x", "y", control="worse") for n in range(20)] + [pair(n, "x", "y") for n in range(20)]
    metrics = list(measure_verdicts(FakeStore(verdicts)))
    by_name = {metric.name: metric.estimate for metric in metrics}
    assert by_name["control_worse"].value == 0.5
    assert by_name["prefers_first"].value == 1
    worse, place = control_warnings(metrics)
    assert "strict on overall can't tell a planted worse case" in worse
    assert "leans to a place" in place


def test_graded_controls_name_their_real_one_wherever_it_comes():
    def control(number, value, real):
        return graded(number, value, control="worse", data={"real": f"one|{real}|mine"}, id=f"{number} worse")

    verdicts = [graded(1, 4), graded(2, 3), graded(3, 3), control(1, 1, 1), control(2, 3, 2), control(3, 5, 3)]
    verdicts += [control(4, 1, "gone")]
    metric = found(FakeStore(verdicts), "control_worse")
    assert metric.estimate.value == 0.5  # one told, one equal, one turned round
    assert metric.estimate.n == 3


def test_few_controls_are_said_to_be_few():
    metrics = list(measure_verdicts(FakeStore([pair(n, "x", "x", control="worse") for n in range(3)])))
    (sentence,) = control_warnings(metrics)
    assert "is not shown" in sentence  # 3 of 3 could be chance: the interval reaches down to 0.44


def test_nothing_judged_is_nothing_measured():
    assert list(measure_verdicts(FakeStore())) == []
