"""A report of many dialogues: pages that stay small, an index that counts all, links that lead somewhere."""

import re

import pytest
from report_samples import FakeStore, Words, dialogue, report

from mysteryshopper.report import render_report, write_report
from mysteryshopper.report.index import make_index, outcome

LOST = {"ended": "http_error", "fault": "system", "success": None, "detail": "answered 502"}


def dialogues_of(page):
    return page.count('<details class="dialogue"')


def pages_of(folder):
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.html"))}


def test_200_dialogues_are_one_page_below_three_megabytes(tmp_path):
    path = write_report(tmp_path / "report.html", report(count=200, words=Words(system="A fair answer. " * 40)))
    assert list(pages_of(tmp_path)) == ["report.html"]
    assert dialogues_of(path.read_text("utf-8")) == 200
    assert path.stat().st_size < 3_000_000


def test_more_dialogues_make_more_pages_linked_both_ways(tmp_path):
    write_report(tmp_path / "report.html", report(count=450))
    pages = pages_of(tmp_path)
    names = ["report.html", "report-dialogues-2.html", "report-dialogues-3.html"]
    assert sorted(pages) == sorted(names)
    assert [dialogues_of(pages[name]) for name in names] == [200, 200, 50]
    for name, page in pages.items():
        assert {f'href="{other}#dialogues"' for other in names if other != name} <= set(
            re.findall(r'href="[^"#]*#dialogues"', page)
        )
        for target, anchor in re.findall(r'href="([^"#:]*)#([^":]+)"', page):
            assert f'id="{anchor}"' in pages[target or name], (name, target, anchor)
    assert "450" in re.search(r"All (\d+) dialogues by outcome", pages["report.html"])[0]


def test_pages_are_named_after_the_first(tmp_path):
    write_report(tmp_path / "visit.html", report(count=201))
    assert (tmp_path / "visit-dialogues-2.html").is_file()
    assert 'href="visit.html"' in (tmp_path / "visit-dialogues-2.html").read_text("utf-8")


def test_beyond_the_cap_lost_dialogues_are_still_shown_and_it_is_said(monkeypatch):
    monkeypatch.setattr("mysteryshopper.report.index.MOST_SHOWN", 10)
    many = [dialogue(number, **(LOST if number == 29 else {})) for number in range(30)]
    page = render_report(report(store=FakeStore(many)))
    assert dialogues_of(page) == 10
    assert "Shown are 10 of 30 dialogues" in page
    assert "answered 502" in page
    assert "All 30 dialogues by outcome" in page


def test_a_link_to_a_dialogue_outlives_new_units_before_it():
    anchor = make_index([dialogue(5)]).entries[0].anchor
    assert make_index([dialogue(1), dialogue(5)]).entries[1].anchor == anchor
    assert re.fullmatch("d-[0-9a-f]{12}", anchor)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"success": True}, "success"),
        ({"success": False}, "done_without"),
        ({"success": None}, "other"),
        ({"success": False, "ended": "user_gave_up"}, "gave_up"),
        ({"success": False, "ended": "max_turns"}, "max_turns"),
        ({"success": False, "ended": "repetition"}, "other"),
        ({"success": None, "ended": "answered"}, "answered"),
        ({"success": False, "ended": "timeout", "fault": "system"}, "fault_system"),
        ({"success": None, "ended": "user_fault", "fault": "user"}, "fault_user"),
    ],
)
def test_every_dialogue_has_one_outcome(changes, key):
    assert outcome(dialogue(**changes).dialogue) == key


def test_served_counts_system_faults_and_leaves_out_the_others():
    hit = {"success": True, "data": {"first_hit": 2}}
    missed = {"success": False, "ended": "max_turns", "data": {"first_hit": None}}
    failed = {"success": False, "ended": "timeout", "fault": "system", "data": {"first_hit": None}}
    broken = {"success": False, "ended": "user_fault", "fault": "user", "data": {"first_hit": None}}
    [served] = make_index([dialogue(place, **one) for place, one in enumerate((hit, missed, failed, broken))]).served
    assert (served.n, served.by_turn) == (3, (0, 1))
