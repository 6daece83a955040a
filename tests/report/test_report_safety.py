"""Whatever was said in a run, it is text in the report: no element, attribute, link or script comes from it."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from hostile_texts import HOSTILE, frame
from html_outline import Outline
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import EXPERIMENT, Words, dialogue, metric, metrics, report, summary, units, verdict

from mysteryshopper.core import ShopperError
from mysteryshopper.report import render_report, verdict_lines, visible, write_report
from mysteryshopper.report.book import make_book
from mysteryshopper.report.index import make_index
from mysteryshopper.report.markdown import render_markdown
from mysteryshopper.report.plots import Figure, draw, figures
from mysteryshopper.report.plots.svg import safe_svg


def everywhere(text: str):
    """A report with one text at every place that takes content."""
    words = Words(user=text, system=text, thought=text, title=text, detail=text, names=text, extra={text: text})
    stored = [dialogue(1, words, data={text: text}), dialogue(2, words, id=text, profile=text, data={text: text})]
    sample = report(words=words)
    numbers = [
        *metrics(text),
        metric(text, text, 0.5, 0.4, 0.6, definition=text, method=text, reason=text),
        metric("success", text + "2", None, None, None, reason=text, control=True),
    ]
    usage = {text: {"calls": 1, "cached": 0, "input_tokens": 1, "output_tokens": 1, "cost": None}}
    sample.store.dialogue_list, sample.store.unit_list = stored, units(text, text)
    sample.store.verdict_list = [verdict(text, text)]
    return report(
        store=sample.store,
        metrics=numbers,
        summary=summary(protocol=text, usage=usage),
        experiment=EXPERIMENT + f"# {text.splitlines()[0] if text else ''}".translate(_NOT_IN_YAML),
        name=text,
    )


_NOT_IN_YAML = dict.fromkeys([*range(32), *range(127, 160), *range(55296, 57344), 8232, 8233])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_changes_no_element_and_no_attribute(text):
    calm, hostile = Outline(render_report(everywhere("calm"))), Outline(render_report(everywhere(text)))
    assert hostile.names == calm.names
    assert frame(hostile) == frame(calm)
    assert not hostile.open
    assert not hostile.broken
    assert not hostile.comments


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_is_all_there_as_text(text):
    said = Outline(render_report(everywhere(text))).text
    assert visible(text) in said


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=80))
def test_no_text_at_all_adds_an_element(text):
    page = Outline(render_report(report(words=Words(user=text or "-", system=text or "-", title=text or "-"))))
    assert page.names == Outline(render_report(report(words=Words(user="-", system="-", title="-")))).names
    assert not page.open
    assert not page.broken


def test_the_page_runs_nothing_and_fetches_nothing():
    page = Outline(render_report(everywhere("http://elsewhere.invalid/")))
    assert not {"iframe", "object", "embed", "link", "img", "image", "use", "form", "base"} & set(page.names)
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "srcset", "style", "action", "xlink:href"}
        if name == "href":
            assert value is not None
            assert value.startswith("#")
    assert "url(" not in page.style
    assert "@import" not in page.style


def digest_of(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_policy(page: Outline) -> None:
    policy = next(
        dict(pairs)["content"] for _, pairs in page.elements if ("http-equiv", "Content-Security-Policy") in pairs
    )
    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest_of(page.style)}'",
        "script-src": f"'sha256-{digest_of(page.script)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.names.count("style") == 1
    assert page.names.count("script") == 1


def test_the_policy_allows_our_one_style_and_script_and_nothing_else():
    check_policy(Outline(render_report(report())))


def test_the_script_makes_no_element_of_a_text_and_evaluates_nothing():
    script = Outline(render_report(everywhere("calm"))).script
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function(", "setAttribute"):
        assert word not in script
    assert script == Outline(render_report(everywhere("<b>other</b>"))).script


@pytest.mark.parametrize("text", HOSTILE)
def test_further_pages_are_as_inert_as_the_first(text, tmp_path, monkeypatch):
    monkeypatch.setattr("mysteryshopper.report.dialogues.MOST_DIALOGUES", 1)
    sample = everywhere(text)
    sample = replace(sample, metrics=[])
    write_report(tmp_path / "report.html", sample)
    page = Outline((tmp_path / "report-dialogues-2.html").read_text("utf-8"))
    assert visible(text) in page.text or "\ud83d" in text
    check_policy(page)
    assert not page.open
    assert not page.broken
    assert not page.comments
    hrefs = {value for name, value in page.attributes if name == "href"}
    assert all(re.fullmatch(r"(report(-dialogues-\d+)?\.html)?(#[a-z0-9:=-]+)?", href) for href in hrefs)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_markdown_keeps_its_tables_whatever_was_said(text):
    lines = render_markdown(make_book(everywhere(text))).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    calm = [line for line in render_markdown(make_book(everywhere("calm"))).splitlines() if line.startswith("|")]
    assert [columns(line) for line in tables] == [columns(line) for line in calm]
    assert not re.search(r"(?<!\\)[`<]", "\n".join(lines))
    assert not [line for line in lines if line.startswith(("    ", "\t", "~~~"))]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\n".join(lines))


def columns(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_plot_holds_shapes_and_text_alone(text):
    rows = ({"label": visible(text), "value": 0.5, "low": 0.4, "high": 0.6, "told": "0.50", "tone": "system"},)
    figure = Figure("metric-1", "intervals", text, text, rows, (visible(text),))
    [drawing] = draw([figure])
    for svg in (drawing.inline, drawing.svg):
        page = Outline(svg)
        assert set(page.names) <= {"svg", "title", "desc", "g", "path", "rect", "line", "circle", "text", "tspan"}
        assert not page.open
        assert not page.broken
        for name, value in page.attributes:
            assert not name.startswith("on")
            assert name not in {"href", "xlink:href", "style"}
            assert value is not None
            assert name == "xmlns" or not re.search(r"url|:|[<>&]", value)
    assert drawing.png.startswith(b"\x89PNG")


@settings(max_examples=8, deadline=None)
@given(st.text(max_size=40))
def test_any_name_can_be_drawn(text):
    numbers = [metric("success", name, 0.5, 0.4, 0.6, method="wilson") for name in (text or "-", "other")]
    [figure] = figures(numbers, make_index([]), ())
    [drawing] = draw([figure])
    assert Outline(drawing.inline).names[:3] == ["svg", "title", "desc"]


def test_a_drawing_that_holds_more_is_cleaned():
    drawn = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
      <script>alert(1)</script><style>*{}</style><foreignObject><p>hi</p></foreignObject>
      <a x:href="javascript:alert(1)"><text>link</text></a><image x:href="http://elsewhere.invalid/p.png"/>
      <g onclick="alert(1)" clip-path="url(#c)"><text fill="url(http://elsewhere.invalid)" id="x">kept</text></g>
      <use x:href="#x"/></svg>"""
    page = Outline(safe_svg(drawn, "t", "d", "plot-x"))
    assert page.names == ["svg", "title", "desc", "g", "text"]
    assert page.text == "tdkept"
    assert not [name for name, _ in page.attributes if name in {"onclick", "clip-path", "fill"}]


@pytest.mark.parametrize("drawn", ["no drawing", "<svg/>", '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>'])
def test_what_is_no_drawing_is_refused_in_a_sentence(drawn):
    with pytest.raises(ShopperError):
        safe_svg(drawn, "t", "d", "plot-x")


@pytest.mark.parametrize("text", HOSTILE)
def test_terminal_lines_hold_no_control_characters(text):
    lines = verdict_lines(everywhere(text))
    assert len(lines) == 3
    for line in lines:
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", line)


def test_control_characters_are_shown_not_dropped():
    assert visible("a\x1b[2Jb\x07\x7f") == "a␛[2Jb␇␡"
    assert visible("tab\tand\nnewline\r\nstay") == "tab\tand\nnewline\nstay"
    assert visible("\x9b31m \u202e \ud83d") == "[U+009B]31m [U+202E] \ufffd"
    assert visible("👩‍👩‍👧 千と千尋 مرحبا") == "👩‍👩‍👧 千と千尋 مرحبا"
