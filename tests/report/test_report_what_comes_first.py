"""The result is said first, with what is about the whole run before it and what is about judges after it."""

import re
from dataclasses import replace

from html_outline import Outline
from report_samples import EXPERIMENT, FakeStore, dialogue, metric, metrics, report, summary

from mysteryshopper.core import Estimate, Metric, Unit, UnitRecord
from mysteryshopper.report import render_report, verdict_lines
from mysteryshopper.report.book import make_book
from mysteryshopper.report.headline import headline
from mysteryshopper.report.index import make_index
from mysteryshopper.report.markdown import render_markdown
from mysteryshopper.report.notes import notes
from mysteryshopper.report.plots import figures
from mysteryshopper.report.standing import standings


def control_worse(criterion, value, low, high, n=20):
    return Metric("control_worse", {"judge": "marks", "criterion": criterion}, Estimate(value, low, high, n=n))


def unread(criterion, value, judge="marks", **more):
    return Metric("unread", {"judge": judge, "criterion": criterion, **more}, Estimate(value, n=20))


def of_judges(found):
    return [note.text for note in notes(report(metrics=found)) if note.about == "judges"]


def test_the_result_stands_before_what_is_said_of_judges_and_after_what_spoils_the_run():
    found = [*metrics(), control_worse("tone", 0.4, 0.2, 0.6)]
    local = EXPERIMENT.replace("provider: openai", "provider: local")
    given = report(metrics=found, experiment=local)
    for text in (re.sub(r"\s+", " ", Outline(render_report(given)).text), render_markdown(make_book(given))):
        places = [text.index(words) for words in ("A demonstration", "mine served users best", "The judge marks")]
        assert places == sorted(places)


def test_criteria_that_fail_their_control_are_told_in_one_sentence():
    one, two = control_worse("tone", 0.4, 0.2, 0.6), control_worse("waste", 0.6, 0.4, 0.8)
    fine = control_worse("help", 0.9, 0.7, 1.0)
    assert of_judges([fine]) == []
    assert of_judges([fine, one])[0].startswith("The judge marks on tone can't tell")
    (both,) = of_judges([fine, one, two])
    assert "not shown on 2 of 3 criteria (tone, waste)" in both
    leans = [replace(each, name="prefers_first") for each in (fine, control_worse("tact", 0.95, 0.8, 1.0), one)]
    worse, first = of_judges([one, two, *leans])
    assert worse.startswith("That the judge marks")
    assert first.startswith(
        "The judge marks leans to the one shown first, or to the one shown last, on 2 of 3 criteria"
    )


def test_a_judge_that_could_hardly_be_read_is_named():
    (said,) = of_judges([unread("tone", 1.0), unread("waste", 0.9), unread("waste", 0.9, status="empty")])
    assert said.startswith("The judge marks could not be read in 90% of its rulings or more")


def test_a_rule_that_finds_nothing_to_rule_on_is_no_unread_judge():
    assert of_judges([unread("not_seen", 1.0), unread("length", 0.0)]) == []


def test_a_run_that_was_lost_says_by_what():
    lost = [
        UnitRecord(Unit(f"v{n}", "plain", "mine"), "failed", "http_error", "system", "no one answers") for n in "123"
    ]
    counts = {"planned": 4, "complete": 1, "faults": {"system": 3}}
    given = report(store=FakeStore([], lost, []), summary=summary(units=counts))
    assert notes(given)[0].text.startswith("75% of the units run were lost, most often by this: no one answers.")
    assert verdict_lines(given)[2] == notes(given)[0].text


def test_drawings_of_a_row_are_on_one_scale_or_left_out():
    page = render_report(report(metrics=[metric("rating", "mine", 0.4, 0.2, 0.6), metric("rating", "other", 3, 2, 4)]))
    assert "whisker" not in page.partition("<main>")[2].partition("figure")[0]
    page = render_report(report(metrics=[metric("rate", "mine", 0.4, 0.2, 0.6), metric("rate", "other", 0.3, 0, 1)]))
    assert page.partition("<main>")[2].count('<svg class="whisker"') >= 2


def test_an_order_from_best_to_worst_is_claimed_only_where_there_is_one():
    assert "best system first" in Outline(render_report(report())).text
    unordered = [metric("label", "mine", 2.0, 1.5, 2.5), metric("label", "other", 3.0, 2.5, 3.5)]
    assert "best system first" not in Outline(render_report(report(metrics=unordered))).text


def test_a_system_has_one_colour_in_all_plots():
    def score(criterion, system):
        group = {"judge": "marks", "criterion": criterion, "system": system, "user": "plain"}
        return Metric("score", group, Estimate(0.5, 0.4, 0.6, n=20))

    numbers = [metric("success", name, 0.5, 0.4, 0.6) for name in ("mine", "other")]
    scores = [score("tone", "other"), score("tone", "mine"), *(score("help", f"s{n}") for n in range(8))]
    drawn = figures([*numbers, *scores], make_index(FakeStore([], (), []).dialogues()), ())
    (plot,) = [one for one in drawn if one.kind == "criteria"]
    assert (plot.tones["mine"], plot.tones["other"]) == ("series1", "series2")
    assert plot.title.endswith("(8 of 10 systems)")


def test_a_system_that_judges_hold_against_a_control_is_none_itself():
    group = {"system": "mine", "versus": "random", "judge": "duel", "criterion": "overall"}
    pair = Metric("wins", group, Estimate(0.8, 0.6, 0.9, n=20), control=True)
    numbers = [metric("success", "mine", 0.6, 0.5, 0.7), metric("success", "random", 0.1, 0.0, 0.2, control=True), pair]
    unlike = [dialogue(1, success=False, ended="user_gave_up"), dialogue(2)]
    plots = make_book(report(metrics=numbers, store=FakeStore(unlike, (), []))).figures
    (drawn,) = [plot for plot in plots if plot.name == "outcomes"]
    assert drawn.order == ("mine",)


def test_where_no_system_is_better_the_answer_is_how_judges_agree_with_people():
    def agrees(criterion, judge="rules", part="all", label="overall_impression", value=0.38):
        group = {"judge": judge, "criterion": criterion, "label": label, "level": "dialogue", "part": part}
        return Metric("judge_pearson", group, Estimate(value, value - 0.1, value + 0.1, n=460))

    found = [
        *(metric("label", f"s{n}", 2.0, 1.5, 2.5) for n in range(20)),
        agrees("length", value=0.1),
        agrees("overall"),
        agrees("overall", part="redial", value=0.7),
        agrees("overall", judge="Other (published)", value=0.6),
    ]
    given = report(metrics=found)
    (answer,) = headline(given).answers
    assert answer.text.startswith("The judge rules, on overall, correlates with what people said: 0.38 [0.28, 0.48]")
    assert "0.70" not in answer.text
    assert verdict_lines(given)[1] == answer.text
    long = verdict_lines(report(metrics=found[:20]))[1]
    assert long.endswith("and 8 more in the report")


def test_a_dialogue_begins_with_what_was_wanted_and_what_was_kept_back():
    stored = dialogue(0, data={"wish": "A <b>slow</b> film.", "hidden": ["decade"]})
    page = Outline(render_report(report(store=FakeStore([stored], (), []))))
    said = re.sub(r"\s+", " ", page.text)
    assert "Wanted: A <b>slow</b> film. Kept to themselves until asked for or missed: decade." in said
    plain = render_report(report(store=FakeStore([dialogue(0, data={"wish": ""})], (), [])))
    assert "Wanted:" not in Outline(plain).text


def test_what_a_reply_costs_is_not_held_against_controls():
    slow = [metric("latency_p50", "mine", 9.0, 8, 10), metric("latency_p50", "random", 1.0, 0.5, 2, control=True)]
    assert standings([replace(one, better="lower") for one in slow]) == []
    assert standings([replace(one, name="gave_up", better="lower") for one in slow])[0].not_beaten == ("random",)
