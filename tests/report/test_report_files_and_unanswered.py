"""The report's list of files that a run read, and what calls without an answer may have cost."""

from html_outline import Outline
from report_samples import report

from mysteryshopper.report.files_told import files_told
from mysteryshopper.report.page import render_report


def entry(path, sha256, size=7, **more):
    return {"path": path, "sha256": sha256, "bytes": size, "keyed": False, "later": False, **more}


def shown(**summary):
    made = report()
    return render_report(report(summary={**made.summary, **summary}))


def test_files_are_listed_with_what_is_to_be_known_of_them():
    files = [
        entry("nice.yaml", "a" * 64, 1234, keyed=True),
        entry("nice.yaml", "b" * 64, 1300, keyed=True),
        entry("../old/turns.parquet", "c" * 64, None, later=True),
    ]
    first, second, third = files_told({"files": files})
    assert (first.size, first.note) == ("1,234", "as it was before it changed")
    assert second.note == ""
    assert third.size == "–"
    assert third.note == "met when the run went on; what it held before is not known; hash of what was read of it"
    page = Outline(shown(files=files)).text
    assert "3 files that it read" in page
    assert "c" * 64 in page


def test_a_files_name_is_text_and_nothing_else():
    page = shown(files=[entry("<script>alert(1)</script>\x1b[2J\u202e.jsonl", "a" * 64)])
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_without_a_record_the_report_says_so_and_without_files_it_is_silent():
    assert files_told({"files": None}) is None
    assert "was not recorded" in shown(files=None)
    none = shown(files=[])
    assert "was not recorded" not in none
    assert "that it read" not in none


def test_what_unanswered_calls_may_have_cost_is_said_where_there_are_any():
    assert "may have cost up to 0.125 beside this" in shown(unanswered=0.125)
    for nothing in (None, 0.0):
        assert "may have cost up to" not in shown(unanswered=nothing)
