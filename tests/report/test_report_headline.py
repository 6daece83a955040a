"""The headline: who served users best, how sure that is, and the controls beside it."""

from dataclasses import replace

from report_samples import metric, report

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.book import make_book
from mysteryshopper.report.headline import headline
from mysteryshopper.report.markdown import render_markdown
from mysteryshopper.report.standing import races, standings


def difference(system, versus, value, low, high, **more):
    estimate = Estimate(value, low, high, n=49, clusters=49, method="bootstrap-t", **more)
    return Metric("success_difference", {"system": system, "versus": versus}, estimate, better="higher")


CLOSE = [metric("success", "mine", 0.61, 0.47, 0.74), metric("success", "other", 0.52, 0.38, 0.65)]


def answers(*metrics):
    return [(answer.sure, answer.text, answer.beside) for answer in headline(report(metrics=list(metrics))).answers]


def test_intervals_apart_make_a_clear_winner():
    [(sure, text, beside)] = answers(
        metric("success", "mine", 0.61, 0.47, 0.74),
        metric("success", "other", 0.12, 0.05, 0.24),
        metric("success", "popular", 0.2, 0.11, 0.33, control=True),
    )
    assert (sure, text) == (
        "clear",
        "mine served users best: success 0.61 [0.47, 0.74] against 0.12 [0.05, 0.24] of other.",
    )
    assert (
        beside
        == "That is clearly better than not listening at all: the best control, popular, reached 0.20 [0.11, 0.33]."
    )


def test_overlapping_intervals_leave_it_open():
    [(sure, text, _)] = answers(*CLOSE)
    assert sure == "open"
    assert text.startswith("mine is ahead, but this run can't tell it from other")


def test_a_paired_difference_decides_where_intervals_overlap():
    [(sure, text, _)] = answers(*CLOSE, difference("other", "mine", -0.09, -0.15, -0.03, p=0.0004, detectable=0.08))
    assert sure == "clear"
    assert (
        "(paired difference 0.09 [0.03, 0.15]; p < 0.001; one of 0.08 would have been found four times in five)" in text
    )


def test_a_paired_difference_the_other_way_is_no_proof():
    assert answers(*CLOSE, difference("mine", "other", -0.05, -0.09, -0.01))[0][0] == "open"


def test_less_is_better_where_the_metric_says_so():
    slow, fast = (
        replace(metric("turns", name, value, value - 0.2, value + 0.2), better="lower")
        for name, value in (("slow", 4.0), ("fast", 2.0))
    )
    [(sure, text, _)] = answers(slow, fast)
    assert (sure, text[:22]) == ("clear", "fast served users best")
    [race] = races([slow, fast], "turns")
    assert race.winner == "fast"


def test_a_winner_must_be_told_from_the_controls_too():
    high = metric("success", "popular", 0.55, 0.4, 0.7, control=True)
    [race] = races([metric("success", "mine", 0.61, 0.47, 0.74), high], "success")
    assert race.winner == ""
    assert "this run can't tell" in answers(metric("success", "mine", 0.61, 0.47, 0.74), high)[0][2]


def test_not_beating_a_control_is_said_first():
    [(_, _, beside)] = answers(
        metric("success", "mine", 0.1, 0.05, 0.2), metric("success", "popular", 0.2, 0.11, 0.33, control=True)
    )
    assert beside == "It does not beat the controls: the best control, popular, reached 0.20 [0.11, 0.33]."


def test_each_group_of_users_has_its_answer():
    both = [replace(one, group={**one.group, "user": user}) for user in ("terse", "chatty") for one in CLOSE]
    assert [text.split(":")[0] for _, text, _ in answers(*both)] == ["With the user terse", "With the user chatty"]


def test_where_a_number_was_taken_is_said_as_a_person_would():
    """Leaks, settings and users, in whatever order the group names them; a name from outside stands as it is."""

    def said(*groups):
        both = [replace(one, group={**one.group, **group}) for group in groups for one in CLOSE]
        return [text.split(":")[0] for _, text, _ in answers(*both)]

    assert said({"leaks": "all", "setting": "free"}, {"leaks": "free", "setting": "free"}) == [
        "Leaks included",
        "Without leaks",
    ]
    assert said({"leaks": "free", "setting": "free"}, {"leaks": "all", "setting": "original"}) == [
        "In free chat, without leaks",
        "On the histories as they are, leaks included",
    ]
    assert said({"user": "aNna", "list": "shown"}, {"user": "bo", "odd": "One"}) == [
        "With the user aNna, of the items shown",
        "With the user bo, for odd One",
    ]
    low = metric("success", "mine", 0.1, 0.05, 0.2)
    high = metric("success", "popular", 0.2, 0.11, 0.33, control=True)
    chat = [replace(one, group={**one.group, "leaks": "free", "setting": "free"}) for one in (low, high)]
    [standing] = standings(chat)
    assert standing.sentence == "On success, in free chat, without leaks, mine (0.10) does not beat popular (0.20)."


def test_level_systems_have_no_winner():
    [(sure, text, _)] = answers(metric("success", "mine", 0.5, 0.4, 0.6), metric("success", "other", 0.5, 0.4, 0.6))
    assert (sure, text) == ("open", "mine and other are level at success 0.50 [0.40, 0.60].")


def test_a_judge_that_takes_a_planted_worse_one_is_warned_of():
    group = {"judge": "referee", "criterion": "helpfulness"}
    told = Metric("control_worse", group, Estimate(0.5, 0.36, 0.64, n=50, clusters=50), control=True)
    [warning, *_] = [note for note in make_book(report(metrics=[*CLOSE, told])).notes if note.level == "warning"]
    assert "referee on helpfulness" in warning.text


def test_many_lost_units_are_warned_of_before_anything_else():
    counts = {"planned": 50, "complete": 30, "faults": {"user": 20, "system": 0, "judge": 0, "infra": 0}}
    sample = report(metrics=CLOSE)
    notes = make_book(replace(sample, summary={**sample.summary, "units": counts})).notes
    assert notes[0].text.startswith("40% of the units run were lost")


def test_the_markdown_says_the_same_and_how_assertions_came_out():
    sample = replace(report(), assertions=[("success: low >= 0.4", True, "it is 0.47"), ("a|b", False, "no metric")])
    text = render_markdown(make_book(sample))
    assert "**mine served users best: success 0.61 \\[0.47, 0.74\\] against" in text
    assert "| success | 0.61 [0.47, 0.74], n = 49 | 0.12 [0.05, 0.24], n = 49 | 0.20 [0.11, 0.33], n = 49 |" in text
    assert "| a\\|b | **fails** | no metric |" in text
    assert "| system | http_error | plain | mine | 2 | POST /reply answered 502 four times |" in text
