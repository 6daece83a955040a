"""What a leak audit is said to have found: only what the numbers bear."""

from dataclasses import replace

from report_samples import report

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.leaks_told import leak_audit

SYSTEMS = {"mine": "http", "looker": "attribute-overlap", "echo": "copy-history", "top": "popularity"}
EXPERIMENT = "systems:\n" + "".join(f"- {{name: {name}, kind: {kind}}}\n" for name, kind in SYSTEMS.items())


def recall(setting, system, value, clean=None, share=None, spread=0.02, k=1, n=100, left=90):
    """Recall on all units and on clean ones, and the share from leaks."""
    control = system != "mine"
    clean = value if clean is None else clean
    group = {"setting": setting, "system": system}

    def one(leaks, of, size):
        estimate = Estimate(of, max(0.0, of - spread), min(1.0, of + spread), size, 80)
        return Metric(f"label_recall@{k}", {**group, "leaks": leaks}, estimate, "", control, "higher")

    found = Metric(f"hits_from_leaks@{k}", group, Estimate(share, n=10), "", control)
    counted = Metric("leaky_units", {**group, "leak": "any"}, Estimate(10.0, n=100, method="count"), "", control)
    return [one("all", value, n), one("free", clean, left), found, counted]


def told(*parts, experiment=EXPERIMENT):
    metrics = [one for part in parts for one in part]
    found = leak_audit(replace(report(metrics=metrics), experiment=experiment))
    return " ".join(found.sentences)


def test_a_run_without_an_audit_has_no_such_part():
    assert leak_audit(report(metrics=[Metric("success", {"system": "mine"}, Estimate(0.5, n=4))])) is None


def test_leaks_decide_where_most_of_what_was_found_was_given_away():
    text = told(recall("original", "mine", 0.3, 0.03, 0.9), recall("original", "echo", 0.4, 0.0, 1.0))
    assert "90% lies in those units, which have 10% of the labels" in text
    assert "echo, which only repeats what was mentioned, reaches 0.400 [0.380, 0.420]: no system under test" in text
    assert text.endswith("Leaks decide label_recall@1 here; read it without them.")


def test_overlapping_intervals_decide_nothing():
    assert "decide" not in told(recall("original", "mine", 0.3, 0.2, 0.6, spread=0.06))
    assert "decide" in told(recall("original", "mine", 0.3, 0.2, 0.6, spread=0.04))


def test_leaks_do_not_decide_where_clean_units_do_as_well():
    text = told(recall("original", "mine", 0.3, 0.3, 0.1), recall("original", "echo", 0.05, 0.0, 1.0))
    assert "decide" not in text
    assert "only repeats" not in text


def test_without_a_clean_unit_nothing_is_said_of_them():
    assert "on all units; none is without a leak." in told(recall("original", "mine", 0.3, None, 1.0, left=0))


def test_repeating_is_ahead_of_a_system_that_finds_nothing():
    text = told(recall("original", "mine", 0.0), recall("original", "echo", 0.05, 0.0, 1.0))
    assert "no system under test does better" in text
    assert "Of what" not in text


def test_look_up_is_what_is_measured_where_the_look_up_control_is_as_good():
    text = told(
        recall("original", "looker", 0.05), recall("attribute", "mine", 0.88), recall("attribute", "looker", 0.9)
    )
    assert "looker, which only counts" in text
    assert "reaches label_recall@1 0.900 [0.880, 0.920] (0.050 [0.030, 0.070] in original)" in text
    assert "No system under test is clearly ahead of it. So this setting measures the look-up" in text


def test_who_is_far_ahead_of_the_look_up_is_named_and_shows_more_than_that():
    text = told(recall("attribute", "mine", 0.9), recall("attribute", "looker", 0.3))
    assert "Clearly ahead of it: mine (label_recall@1 0.900 [0.880, 0.920])." in text
    assert "So this setting" not in text


def test_overlapping_intervals_put_nobody_ahead():
    text = told(recall("attribute", "mine", 0.32), recall("attribute", "looker", 0.3))
    assert "No system under test is clearly ahead of it." in text
    assert "So this setting" not in text  # both find little: that is no look-up


def test_missing_controls_are_missed():
    some = "systems:\n- {name: mine, kind: http}\n- {name: echo, kind: copy-history}\n"
    text = told(recall("attribute", "mine", 0.9), recall("attribute", "echo", 0.1), experiment=some)
    assert text.endswith(
        "What is not known here, for want of a control: what looking up the told attributes reaches"
        " (attribute-overlap); what recommending the same to everybody reaches (popularity)."
    )
    assert "for want" not in told(recall("attribute", "mine", 0.9))


def test_a_control_is_known_by_its_kind_and_not_by_its_name():
    text = told(recall("attribute", "mine", 0.9), recall("attribute", "looker", 0.9), experiment="systems: []\n")
    assert "which only counts" not in text
    assert "(attribute-overlap)" in text
