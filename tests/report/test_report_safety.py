"""Whatever was said in a run, it is text in the report: no element, attribute, link or script comes from it."""

import base64
import hashlib
import re

import pytest
from html_outline import Outline
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import EXPERIMENT, Words, dialogue, metric, metrics, report, summary, units, verdict

from mysteryshopper.report import render_report, verdict_lines, visible

HOSTILE = [
    "<script>document.title='gone'</script>",
    "</p></li></details></main><img src=http://elsewhere.invalid/x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">click</a>',
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}</style>",
    "]]><!-- unclosed <!DOCTYPE html>",
    "[a link](javascript:alert(1)) ![picture](http://elsewhere.invalid/p.png) | a | b |\n```\n# head",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${HOME} %s",
    "\x1b[2J\x1b]0;title\x07 bell",
    "\u202egnp.exe\u2066hidden",
    "lone \ud83d surrogate and \x00 null",
    "&lt;b&gt; &amp;amp; &#60;i&#62;",
    '=HYPERLINK("http://elsewhere.invalid")',
]


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
    labels = {"aria-label"}
    assert [pair for pair in hostile.attributes if pair[0] not in labels] == [
        pair for pair in calm.attributes if pair[0] not in labels
    ]
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
    assert not {"script", "iframe", "object", "embed", "link", "img", "form", "base", "input"} & set(page.names)
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "srcset", "style", "action"}
        if name == "href":
            assert value is not None
            assert value.startswith("#")
    assert "url(" not in page.style
    assert "@import" not in page.style


def test_the_policy_allows_our_one_style_and_nothing_else():
    page = Outline(render_report(report()))
    policy = next(
        dict(pairs)["content"] for _, pairs in page.elements if ("http-equiv", "Content-Security-Policy") in pairs
    )
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert directives == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.names.count("style") == 1


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
