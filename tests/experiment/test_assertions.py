"""What must hold of results, and how CI is told."""

from xml.etree import ElementTree

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.experiment.assertions import Assertion, check_assertions
from mysteryshopper.experiment.junit import junit_text, write_junit

MINE = Metric("success", {"system": "mine"}, Estimate(0.61, 0.47, 0.74, n=49, clusters=49, method="wilson"))
BASE = Metric("success", {"system": "base"}, Estimate(0.3, 0.2, 0.4, n=50), control=True)
FEW = Metric("turns", {"system": "mine"}, Estimate(3.5, n=4, clusters=4, reason="fewer than 10 clusters"))
NONE = Metric("rating", {"system": "mine"}, Estimate(None, reason="nobody rated"))
METRICS = [MINE, BASE, FEW, NONE]


def results(**keys):
    return check_assertions([Assertion(**keys)], METRICS)


@pytest.mark.parametrize(
    ("end", "comparison", "holds"),
    [
        ("low", ">= 0.47", True),
        ("low", "> 0.47", False),
        ("low", ">= 0.6", False),
        ("value", ">=.6", True),
        ("value", "== 0.61", True),
        ("high", "<= 0.74", True),
        ("high", "< 7.4e-1", False),
    ],
)
def test_each_end_is_compared_as_written(end, comparison, holds):
    (result,) = results(metric="success", system="mine", **{end: comparison})
    assert result.holds is holds
    assert result.group == {"system": "mine"}


def test_several_comparisons_must_all_hold():
    (result,) = results(metric="success", system="mine", low=">= 0.4", high="<= 0.7")
    assert not result.holds
    assert "low is 0.47" in result.reason
    assert "high is 0.74" in result.reason


def test_an_undefined_number_fails_with_its_reason():
    (result,) = results(metric="rating", system="mine", value=">= 1")
    assert not result.holds
    assert result.reason == "value is undefined: nobody rated."
    (result,) = results(metric="turns", system="mine", low=">= 1")
    assert result.reason == "low is undefined: fewer than 10 clusters."


def test_a_missing_metric_fails_with_a_near_name():
    (result,) = results(metric="sucess", system="mine", low=">= 0.1")
    assert not result.holds
    assert result.reason == "the run has no metric 'sucess'; did you mean 'success'?"
    (result,) = results(metric="success", setting="original", low=">= 0.1")
    assert result.reason == "the metric 'success' was not measured for this group."


def test_without_a_system_every_system_is_meant_but_controls():
    assert [result.group for result in results(metric="success", value=">= 0.5")] == [{"system": "mine"}]
    (control,) = results(metric="success", system="base", value=">= 0.5")
    assert not control.holds


def test_groups_that_need_more_than_the_system():
    metric = Metric("label_recall@10", {"setting": "original", "system": "mine"}, Estimate(0.1, n=10))
    assertion = Assertion(metric="label_recall@10", setting="original", value="> 0")
    assert [result.holds for result in check_assertions([assertion], [metric])] == [True]
    assert str(assertion) == "label_recall@10 setting=original: value > 0"


def test_junit_is_xml_that_counts_and_names_failures(tmp_path):
    found = [
        *results(metric="success", system="mine", low=">= 0.4"),
        *results(metric="success", system="mine", low=">= 0.6"),
    ]
    path = tmp_path / "ci" / "junit.xml"
    write_junit(path, found, "nightly")
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("nightly", "2", "1")
    good, bad = suite.findall("testcase")
    assert good.find("failure") is None
    assert bad.get("name") == "success system=mine: low >= 0.6"
    assert bad.find("failure").get("message") == "low is 0.47 (n = 49)."
    assert [entry.name for entry in path.parent.iterdir()] == ["junit.xml"]


def test_junit_takes_whatever_a_name_holds():
    hostile = Metric('<a&"b>\x1b[2J\ud83d]]>', {"system": "\x00'"}, Estimate(0.5, n=1))
    assertion = Assertion(metric=hostile.name, system="\x00'", value="> 0")
    root = ElementTree.fromstring(junit_text(check_assertions([assertion], [hostile]), "<r&\x07>"))
    (case,) = root.iter("testcase")
    assert case.get("name").startswith('<a&"b>\ufffd[2J\ufffd]]>')
    assert case.get("classname").startswith("<r&\ufffd>")
