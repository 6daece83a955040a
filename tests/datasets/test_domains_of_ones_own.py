"""A domain folder of a user's own: read like those of the package, and refused with file, key and remedy."""

import json
import re
from pathlib import Path

import pytest

from mysteryshopper.cli.checking import check_file
from mysteryshopper.cli.profiles import find_source, write_generated
from mysteryshopper.core import DataError
from mysteryshopper.datasets import DataBlock, load, read_domain
from mysteryshopper.datasets.domains import OwnDomain
from mysteryshopper.profiles import MadeProfiles, read_profiles

PAGE = """
name: plants
field: house plants
nouns: [plant]
known: owned
description: People ask which plant survives with them.
told:
  height: "It grows to {v}."
attributes:
  light:
    question: How bright is it at your place?
    names: [light, bright]
    post: ["for {v} rooms"]
    lack: ["no plant for {v} rooms"]
    ask: ["how much light does it need?"]
    same: {dark: [gloomy]}
  care: {}
"""
ITEMS = (
    {
        "id": "1",
        "title": "Mottled Ivo",
        "light": "dark",
        "care": ["easy"],
        "height": "60 cm",
        "text": "A patient climber.",
    },
    {"id": "2", "title": "Sunfrond", "light": "sunny", "care": ["fussy"]},
)


def folder(tmp_path, page=PAGE, items=ITEMS):
    (tmp_path / "domain.yaml").write_text(page, encoding="utf-8")
    if items:
        (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    return tmp_path


def opened(path):
    return load(DataBlock(path=str(path)))


def test_a_folder_with_a_page_is_a_domain(tmp_path):
    found = opened(folder(tmp_path))
    assert isinstance(found, OwnDomain)
    assert (found.domain, found.described.noun, found.described.known) == ("house plants", "plant", "owned")
    first, second = found.items()
    assert first.attributes == {"light": ("dark",), "care": ("easy",)}
    assert first.text == "A patient climber. It grows to 60 cm."
    assert second.text == ""
    assert load(DataBlock(path=str(tmp_path), domain="ferns")).domain == "ferns"


def test_it_needs_no_items(tmp_path):
    found = opened(folder(tmp_path, items=()))
    assert not found.has_items
    assert list(found.catalog()) == []


def test_without_a_page_a_folder_is_what_it_was(tmp_path):
    (folder(tmp_path) / "domain.yaml").unlink()
    assert opened(tmp_path).described is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: plants\n", "", "name: is missing"),
        ("nouns: [plant]", "nouns: []", "nouns: "),
        ("known:", "knwon:", "knwon: there is no such key; known are name, field"),
        (
            "    question:",
            "    qestion:",
            r"attributes\.light\.qestion: there is no such key; known are about, question",
        ),
        ("at your place?", "at your place", r"attributes\.light\.question: a question ends with a question mark"),
        (
            "for {v} rooms",
            "for bright rooms",
            r"attributes\.light\.post: 'for bright rooms' has no place for the value",
        ),
        ("no plant for {v}", "no plant for {value}", r"attributes\.light\.lack: .* holds \{value\}; only \{v\}"),
        ("It grows to {v}.", "It grows.", "told: 'It grows.' has no place for the value"),
        ("names: [light, bright]", "names: light", r"attributes\.light\.names: "),
        ("  care: {}", "  care: {", "domain.yaml:18: is no YAML"),
    ],
)
def test_a_mistake_is_told_with_its_key(tmp_path, old, new, told):
    assert old in PAGE
    with pytest.raises(DataError, match=told) as caught:
        opened(folder(tmp_path, PAGE.replace(old, new, 1)))
    assert "domain.yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("page", "items", "told"),
    [
        (PAGE, ({**ITEMS[0], "lihgt": "dark"},), "did you mean 'light'"),
        (
            PAGE.replace("care: {}", "scent: {}"),
            ({"id": "1", "title": "Ivo", "light": "dark"},),
            "no item has .*'scent'",
        ),
        (PAGE.replace("dark: [g", "drak: [g"), ITEMS, r"attributes\.light\.same.*did you mean 'dark'"),
    ],
)
def test_items_and_page_must_fit(tmp_path, page, items, told):
    with pytest.raises(DataError, match=told):
        opened(folder(tmp_path, page, items)).items()


def test_the_example_of_the_documentation_is_one(tmp_path):
    guide = (Path(__file__).parents[2] / "docs/howto/own-domain.md").read_text("utf-8")
    page, item = (re.search(rf"```{language}\n(.*?)^```", guide, re.M | re.S)[1] for language in ("yaml", "json"))
    (only,) = opened(folder(tmp_path, page, (json.loads(item),))).items()
    assert only.text == "It grows to 60 cm. Owners say: It forgave me. Dusty leaves."
    assert list(only.attributes) == ["light", "care", "pets"]


def test_people_of_ones_own_domain_come_from_the_command(tmp_path, monkeypatch):
    (tmp_path / "plants").mkdir()
    kinds = [("dark", "easy"), ("dark", "fussy"), ("sunny", "easy"), ("sunny", "fussy")]
    items = [
        {"id": f"{kind}{number}", "title": f"Plant {kind}-{number}", "light": kinds[kind][0], "care": kinds[kind][1]}
        for kind in range(4)
        for number in range(6)
    ]
    folder(tmp_path / "plants", PAGE.replace('told:\n  height: "It grows to {v}."\n', ""), items)
    monkeypatch.chdir(tmp_path)
    write_generated(find_source("plants", 1, None), tmp_path / "people.jsonl", MadeProfiles(generate=8))
    people = read_profiles(tmp_path / "people.jsonl")
    assert len(people) == 8
    assert all("plant" in person.wish for person in people)
    assert any("for dark rooms" in person.wish for person in people)


def test_a_list_is_no_page(tmp_path):
    with pytest.raises(DataError, match="expected keys such as name"):
        read_domain(folder(tmp_path, "- one\n"))


def test_the_check_goes_through_page_items_and_criteria(tmp_path):
    path = folder(tmp_path)
    assert (check_file(path, None).good, check_file(path, None).problems) == (2, ())
    (path / "criteria.yaml").write_text("takes: pair\ncriteria: [{name: a, text: b}]\n", encoding="utf-8")
    (path / "pairs.yaml").write_text("takes: pair\ncriteria: []\n", encoding="utf-8")
    first, second = check_file(path, None).problems
    assert "criteria.yaml: takes: these criteria are for a pair" in first
    assert "pairs.yaml: criteria: " in second
    (path / "domain.yaml").write_text("name: x\n", encoding="utf-8")
    assert "domain.yaml: field: is missing" in check_file(path, None).problems[0]
