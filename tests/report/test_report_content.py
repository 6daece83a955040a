"""What a report says: every number with what it rests on, what was lost, and what to mind."""

import re

import pytest
from html_outline import Outline
from report_samples import EXPERIMENT, FakeStore, Words, dialogue, metric, report, summary

from mysteryshopper.core import Estimate, Metric, UnitRecord
from mysteryshopper.core import Unit as CoreUnit
from mysteryshopper.report import render_report, verdict_lines, write_report
from mysteryshopper.report.numbers import count, interval, money, number, with_interval
from mysteryshopper.report.standing import standings

LOCAL = EXPERIMENT.replace("provider: openai", "provider: local")


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", Outline(page).text)


def test_every_number_comes_with_interval_n_method_bounds_and_reason():
    said = words_of(render_report(report()))
    assert "0.61 [0.47, 0.74] best n = 49 bounds 0.58 to 0.64" in said
    assert "wilson, 95%" in said
    assert "9 clusters are too few" in said
    assert "nobody rated" in said
    assert "Share of dialogues in which an accepted item met the wish." in said


def test_an_undefined_value_is_a_dash_never_zero():
    assert number(None) == "–"
    assert interval(Estimate(0.5)) == ""
    assert count(None) == "–"
    assert money(None) == "unknown"
    assert [number(value) for value in (0.0516, -0.0, -0.001, -0.2, 1, 1234.5)] == [
        "0.05",
        "0.00",
        "0.00",
        "-0.20",
        "1.00",
        "1,234.50",
    ]


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (Estimate(0.6123, 0.47, 0.7411, n=49), "0.61 [0.47, 0.74]"),
        (Estimate(0.61234, 0.60117, 0.62351, n=7_000), "0.612 [0.601, 0.624]"),
        (Estimate(3.41, 3.05, 3.77, n=40), "3.41 [3.05, 3.77]"),
        (Estimate(1234.5, 1100, 1370, n=40), "1,234 [1,100, 1,370]"),
        (Estimate(0.0098, n=4_499), "0.0098"),  # the width by the binomial error is 0.0058
        (Estimate(0.5, n=20), "0.50"),
        (Estimate(7.0, n=3_341, method="count"), "7"),
        (Estimate(2.0, n=3), "2.00"),
        (Estimate(1.0, 1.0, 1.0, n=3), "1.00 [1.00, 1.00]"),
    ],
)
def test_a_number_has_the_digits_its_uncertainty_leaves(estimate, words):
    assert with_interval(estimate) == words


def test_losses_add_up_and_name_the_fault():
    said = words_of(render_report(report()))
    assert "47 of 50 units complete; lost: 2 by fault system, 1 by fault user." in said
    assert "POST /reply answered 502 four times" in said
    assert "role_reversal twice" in said


def test_units_not_run_yet_are_said():
    counts = {"planned": 50, "complete": 20, "faults": {"user": 0, "system": 1, "judge": 0, "infra": 0}}
    assert verdict_lines(report(summary=summary(units=counts)))[0] == (
        "conversation: 20 of 50 units complete; lost: 1 by fault system; 29 not run yet."
    )


def test_systems_stand_side_by_side_and_controls_last():
    page = Outline(render_report(report()))
    head = re.search(r"metric\s+mine\s+other\s+popular\s+control", page.text)
    assert head, "columns of the first table"


def test_metrics_of_no_system_have_a_table_of_their_own():
    mixed = [
        metric("success", "mine", 0.6, 0.5, 0.7),
        metric("success", "random", 0.1, 0.05, 0.2, control=True),
        Metric("flagged_turns", {"user": "plain"}, Estimate(0.25)),
    ]
    page = Outline(render_report(report(metrics=mixed)))
    assert re.search(r"Over all systems together; all for user plain\s+metric\s+all\s+flagged_turns\s+0\.25", page.text)


def test_the_terminal_names_what_differs_and_controls_last():
    group = {"setting": "original"}
    numbers = [
        Metric("recall@1", {**group, "system": "popular"}, Estimate(0.1, n=9), control=True),
        Metric("recall@1", {**group, "system": "mine"}, Estimate(0.2, n=9)),
    ]
    assert verdict_lines(report(metrics=numbers))[1] == "recall@1: mine 0.20 n=9; popular 0.10 n=9 (control)"
    assert verdict_lines(report(metrics=numbers[1:]))[1] == "recall@1: mine (on the histories as they are) 0.20 n=9"


def test_a_system_behind_a_control_is_told_so():
    said = words_of(render_report(report()))
    assert "On success, other (0.12) does not beat popular (0.20)." in said
    assert "not better than popular" in said


def test_a_system_level_with_a_control_does_not_beat_it():
    level = [metric("hit@10", "mine", 0.3, 0.2, 0.4), metric("hit@10", "random", 0.3, 0.2, 0.4, control=True)]
    assert standings(level)[0].not_beaten == ("random",)


def test_a_lead_within_overlapping_intervals_is_told_so():
    close = [metric("recall@5", "mine", 0.35, 0.25, 0.45), metric("recall@5", "random", 0.3, 0.2, 0.4, control=True)]
    stand = standings(close)[0]
    assert (stand.not_beaten, stand.overlapping) == ((), ("random",))
    assert "only within overlapping intervals" in verdict_lines(report(metrics=close))[2]


def test_clear_leads_are_told_too():
    clear = [metric("success", "mine", 0.6, 0.5, 0.7), metric("success", "random", 0.1, 0.05, 0.2, control=True)]
    assert verdict_lines(report(metrics=clear))[2].startswith("Every system is above every control")


def test_controls_are_compared_only_within_their_own_group():
    original, other = {"setting": "original"}, {"setting": "attributes"}
    numbers = [
        Metric("label_recall@1", {"system": "mine", **original}, Estimate(0.1)),
        Metric("label_recall@1", {"system": "random", **original}, Estimate(0.05), control=True),
        Metric("label_recall@1", {"system": "random", **other}, Estimate(0.9), control=True),
    ]
    assert [stand.not_beaten for stand in standings(numbers)] == [()]


def test_metrics_without_a_direction_are_not_held_against_controls():
    assert standings([metric("turns", "mine", 2, 1, 3), metric("turns", "random", 9, 8, 10, control=True)]) == []


def test_no_control_is_said():
    assert "No control took part" in verdict_lines(report(metrics=[metric("success", "mine", 0.6, 0.5, 0.7)]))[2]


def test_nothing_measured_is_said():
    empty = report(count=0, metrics=[])
    assert verdict_lines(empty)[1] == "No number could be measured."
    said = words_of(render_report(empty))
    assert "No number could be measured." in said
    assert "None was kept." in said


@pytest.mark.parametrize(
    "experiment",
    [
        LOCAL,
        "protocol: conversation\nuser: {name: plain, kind: single-prompt, model: {provider: local, name: smollm2}}\n",
    ],
)
def test_a_local_model_makes_it_a_demonstration(experiment):
    lines = verdict_lines(report(experiment=experiment))
    assert lines[2].startswith("A demonstration: the local model")
    assert "A demonstration: the local model" in words_of(render_report(report(experiment=experiment)))


def test_an_endpoint_model_is_no_demonstration():
    assert "demonstration" not in words_of(render_report(report()))


def test_users_that_see_their_targets_are_named(monkeypatch):
    from mysteryshopper import users

    class Insider:
        sees_targets = True

    class Kinds:
        def load(self, name):
            return Insider

    monkeypatch.setattr(users, "USERS", Kinds())
    assert "given their targets took part (plain)" in words_of(render_report(report()))


def test_expectations_and_groups_beside_the_system_are_printed():
    rows = [
        Metric("label_recall@1", {"system": "popular", "setting": "original"}, Estimate(0.0098, n=4499), control=True),
        Metric("label_recall@1 (expected)", {"system": "popular", "setting": "original"}, Estimate(0.0103, n=4499)),
    ]
    said = words_of(render_report(report(metrics=rows)))
    for text in ("0.0098", "0.0103", "setting original", "n = 4,499", "label_recall@1 (expected)"):
        assert text in said


def test_usage_counts_every_role_and_unknown_cost_is_unknown():
    said = words_of(render_report(report()))
    assert "user 300 12 91,000 7,000 unknown" in said
    assert "system 150 0 52,000 9,000 0.1234" in said


def test_a_dialogue_is_shown_as_it_was():
    said = words_of(render_report(report()))
    for text in (
        "Hi! I feel like something slow and warm tonight.",
        "Shall I say more about one of them?",
        "Lantern Road (1998) ✗ not wanted",
        "The Salt Clock (2004) ✓ wanted",
        "accepts The Salt Clock (2004); rates 4.0; ends: done",
        "first attempt flagged: role_reversal",
        "thought, never shown to the other side: The second one is what I wanted, so I take it.",
        "referee on helpfulness tie",
    ):
        assert text in said


def test_people_are_told_from_machines():
    from mysteryshopper.core import Message, Node

    nodes = (Node("0", None, "user", 0, (Message("user", "hello", author="human"),)),)
    said = words_of(render_report(report(store=FakeStore([dialogue(nodes=nodes)]))))
    assert "person (seeker)" in said
    assert "simulated user" not in said


def test_one_reply_of_200000_characters_keeps_the_page_small(tmp_path):
    path = write_report(tmp_path / "report.html", report(words=Words(system='"' * 200_000), count=1))
    assert path.stat().st_size < 2_000_000
    assert "180,000 more characters are left out here" in path.read_text("utf-8")


def test_many_long_dialogues_keep_the_page_readable(tmp_path):
    write_report(tmp_path / "report.html", report(words=Words(user="<&>" * 60_000), count=150))
    pages = sorted(tmp_path.glob("report*.html"))
    assert len(pages) > 2
    assert max(page.stat().st_size for page in pages) < 3_000_000
    assert sum(page.read_text("utf-8").count('<details class="dialogue"') for page in pages) == 150


def test_equal_runs_give_equal_pages_and_an_old_page_is_replaced(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    (tmp_path / "report-dialogues-2.html").write_text("of a longer run")
    write_report(path, report())
    first = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert {"report.html", "report.md", "metric-1.svg", "metric-1.png"} <= first.keys()
    assert "report-dialogues-2.html" not in first
    write_report(path, report())
    assert {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == first


def test_a_lone_surrogate_can_be_written(tmp_path):
    path = write_report(tmp_path / "report.html", report(name="\ud83d", words=Words(user="\ud83d")))
    assert "\ufffd" in path.read_text("utf-8")


def test_equal_losses_are_one_row():
    many = [UnitRecord(CoreUnit(f"u{i}", "plain", "mine"), "failed", "timeout", "system", f"try {i}") for i in range(9)]
    said = words_of(render_report(report(store=FakeStore([], many))))
    assert "system timeout plain mine 9 try 0 try 1 try 2" in said


def test_the_experiment_is_printed():
    assert "base_url: http://127.0.0.1:9000/v1" in words_of(render_report(report()))


def test_long_lists_are_cut_but_never_lose_what_was_wanted():
    from mysteryshopper.core import ItemRef, Node, Shown

    items = tuple(Shown(ItemRef(str(rank), f"Film {rank}"), mine=rank == 37) for rank in range(1, 51))
    page = render_report(report(store=FakeStore([dialogue(nodes=(Node("0", None, "system", 1, (), items=items),))])))
    assert "Film 10" in page
    assert "Film 11" not in page
    assert re.search(r'<li value="37"><bdi>Film 37</bdi>.*✓ wanted', page)
    assert "and 39 more" in page


def test_counts_are_whole_numbers():
    leaky = Metric("turns_with_target_in_history", {"system": "mine"}, Estimate(7.0, n=3341, method="count"))
    assert "turns_with_target_in_history 7 n = 3,341" in words_of(render_report(report(metrics=[leaky])))


def test_what_the_numbers_are_made_from_is_shown():
    assert '"targets": [ "17" ]' in words_of(
        render_report(report(store=FakeStore([dialogue(data={"targets": ["17"]})])))
    )


@pytest.mark.parametrize(("raw", "shown"), [(" hello", False), ("hello. As the user, I am polite.", True)])
def test_the_raw_reply_is_shown_where_it_differs(raw, shown):
    from mysteryshopper.core import Message, Node

    node = Node("0", None, "user", 1, (Message("user", "hello", author="simulated"),), turn_data={"raw": raw})
    said = words_of(render_report(report(store=FakeStore([dialogue(nodes=(node,))]))))
    assert ("raw reply" in said) == shown
