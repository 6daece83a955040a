"""The chapters that some protocols bring are as inert as the rest: what came from a run is text in them."""

import pytest
from hostile_texts import HOSTILE, frame
from html_outline import Outline
from report_chapters import page_of, sheet_of

from mysteryshopper.report import render_report, visible
from mysteryshopper.report.book import make_book
from mysteryshopper.report.markdown import render_markdown
from mysteryshopper.report.text import one_line


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_prompts_change_no_element_of_any_chapter(text):
    calm, hostile = Outline(render_report(page_of("calm"))), Outline(render_report(page_of(text)))
    assert hostile.names == calm.names
    assert frame(hostile) == frame(calm)
    assert not hostile.open
    assert not hostile.broken
    assert not hostile.comments
    for heading in ("Prompts", "Simulated users", "How far judges agree with people"):
        assert heading in hostile.text
    assert visible(text) in hostile.text


@pytest.mark.parametrize("text", HOSTILE)
def test_in_markdown_they_stay_in_their_cells(text):
    calm, hostile = (render_markdown(make_book(page_of(one))) for one in ("calm", text))
    bars = [[line.count("|") - line.count("\\|") for line in page.splitlines()] for page in (calm, hostile)]
    assert bars[0] == bars[1]
    assert "<script" not in hostile.replace("\\<", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_sheet_for_people_runs_and_fetches_nothing_either(text):
    calm, hostile = Outline(sheet_of("calm")), Outline(sheet_of(text))
    assert hostile.names == calm.names
    assert hostile.attributes == calm.attributes
    assert not hostile.open
    assert not hostile.broken
    assert "script" not in hostile.names
    assert visible(text.strip()) in hostile.text or one_line(text) in one_line(hostile.text, 1 << 20)
