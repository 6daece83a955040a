"""`compare` from the command line: a table, a sentence, and a page that shows hostile words as words."""

import base64
import hashlib
import json
import sys

import pytest
from html_outline import Outline

from mysteryshopper.cli.main import run
from mysteryshopper.experiment import run as hold
from mysteryshopper.experiment.comparing import compare
from mysteryshopper.report.compare import MOST_BYTES, render_comparison, verdict

SHOP = """
import os

WORDS = os.environ.get("SHOP_WORDS", "Here you are.")

def old(messages, session):
    return {"content": WORDS, "items": [{"id": "1", "title": WORDS}]}

def new(messages, session):
    return {"content": WORDS, "items": [{"id": "2", "title": WORDS}, {"id": "3"}]}
"""

ITEMS = [
    {"id": "1", "title": "Lantern Road", "genre": ["drama"]},
    {"id": "2", "title": "The Salt Clock", "genre": ["sea"]},
    {"id": "3", "title": "Nine Winters", "genre": ["war"]},
]

HOSTILE = [
    "<script>document.title='gone'</script>",
    "</p></li></details></main><img src=http://elsewhere.invalid/x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">click</a>',
    "</style><style>*{display:none}</style>",
    "{{ 7 * 7 }} {% include '/etc/passwd' %}",
    "\x1b[2J\x1b]0;title\x07 bell \u202egnp.exe",
]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def talk(shop, function, words="Here you are.", people=12, options=""):
    """Run twelve people, a third of whom want each genre, and return the run's folder."""
    shop.mkdir(exist_ok=True)
    (shop / "shop.py").write_text(SHOP.replace('os.environ.get("SHOP_WORDS", "Here you are.")', repr(words)))
    (shop / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    genres = ("drama", "sea", "war")
    persons = ({"id": f"p{n:02}", "wish": words, "attributes": {"genre": [genres[n % 3]]}} for n in range(people))
    (shop / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))
    (shop / f"{function}.yaml").write_text(f"""
protocol: conversation
user: {{name: u, kind: scripted, profiles: people.jsonl, options: {{turns: [hello, more], on_hit: That one.}}}}
system: {{name: shop, kind: python, function: "shop:{function}"}}
data: {{path: items.jsonl}}
options: {{guard: "off"{options}}}
limits: {{turns: 2}}
""")
    sys.modules.pop("shop", None)
    return hold(shop / f"{function}.yaml", shop / "runs" / function).path


def test_the_table_and_the_sentence_say_what_came_out(shop, capsys):
    talk(shop, "old")
    talk(shop, "new")
    capsys.readouterr()
    assert run(["compare", "runs/old", "runs/new", "--out", "pages/ab.html"]) == 0
    told, minded = capsys.readouterr()
    lines = told.splitlines()
    assert lines[0] == "runs/new minus runs/old, over 12 shared units"
    success = next(line.split() for line in lines if line.startswith("  success"))
    assert success[:6] == ["success", "u,", "shop", "0.33", "0.67", "+0.33"]
    assert "by success: 8 won, 4 lost" in told
    assert "systems.shop.function" in told
    assert "this does not show which run did better" in told
    assert lines[-1] == "page: pages/ab.html"
    assert minded == ""
    page = (shop / "pages" / "ab.html").read_text()
    assert "What differs in the experiments" in page
    assert page.count("<details>") >= 12  # all that were won and lost


def test_a_difference_in_more_than_the_system_is_warned_of(shop, capsys):
    talk(shop, "old")
    talk(shop, "new", options=", closing_turn: false")
    capsys.readouterr()
    assert run(["compare", "runs/old", "runs/new"]) == 0
    assert "mind: The runs differ in more than the systems: options.closing_turn." in capsys.readouterr().err


def test_errors_are_one_sentence_and_exit_codes_the_houses(shop, capsys):
    talk(shop, "old")
    assert run(["compare", "runs/old", "runs/gone"]) == 1
    assert "runs/gone holds no run" in capsys.readouterr().err
    assert run(["compare", "runs/old"]) == 2
    capsys.readouterr()
    assert run(["compare", "runs/old", "runs/old", "--systems", "shop", "shoop"]) == 1
    assert "did you mean 'shop'?" in capsys.readouterr().err
    assert run(["compare", "runs/old", "runs/old", "--systems", "shop", "shop"]) == 0
    capsys.readouterr()
    assert run(["compare", "runs/old", "runs/old", "--systems", "shop", "shop", "--out", "/proc/none/x.html"]) == 1
    assert "can't be written" in capsys.readouterr().err


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(shop, words):
    found = compare(talk(shop, "old", words, people=3), talk(shop, "new", words, people=3))
    hostile = Outline(render_comparison(found))
    calm = Outline(
        render_comparison(compare(talk(shop / "calm", "old", people=3), talk(shop / "calm", "new", people=3)))
    )
    assert hostile.names == calm.names
    assert hostile.attributes == calm.attributes
    assert hostile.open == hostile.broken == []
    assert "\x1b" not in hostile.text
    assert "\u202e" not in hostile.text


def test_the_page_runs_nothing_and_allows_its_own_style_alone(shop):
    page = render_comparison(compare(talk(shop, "old", people=3), talk(shop, "new", people=3)))
    outline = Outline(page)
    assert "script" not in outline.names
    digest = base64.b64encode(hashlib.sha256(outline.style.encode()).digest()).decode()
    policy = next(value for name, value in outline.attributes if name == "content" and "default-src" in (value or ""))
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not [value for name, value in outline.attributes if name in ("src", "href") and not value.startswith("#")]


def test_long_dialogues_do_not_make_an_endless_page(shop):
    words = "and so on " * 20_000
    found = compare(talk(shop, "old", words), talk(shop, "new", words))
    page = render_comparison(found)
    assert len(page) < 2 * MOST_BYTES
    assert "of them are not shown here" in page
    assert verdict(found).startswith("success: 0.33 and then 0.67, a difference of +0.33")
