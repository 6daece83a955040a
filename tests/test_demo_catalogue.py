"""The film catalogue that comes with the package."""

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from mysteryshopper.datasets import DataBlock, load

GENRES = {
    "action", "adventure", "animation", "biography", "comedy", "crime", "documentary", "drama", "family", "fantasy",
    "heist", "history", "horror", "martial arts", "musical", "mystery", "romance", "satire", "science fiction", "sport",
    "thriller", "war", "western",
}  # fmt: skip


@pytest.fixture(scope="module")
def films():
    text = (files("mysteryshopper") / "data" / "films.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_there_are_enough_and_they_vary(films):
    assert len(films) >= 400
    decades = Counter(film["year"] // 10 for film in films)
    assert len(decades) >= 9
    assert len({genre for film in films for genre in film["genre"]}) == len(GENRES)
    assert len({country for film in films for country in film["country"]}) >= 25


def test_ids_and_titles_are_unique(films):
    assert len({film["id"] for film in films}) == len(films)
    assert len({(film["title"].casefold(), film["year"]) for film in films}) == len(films)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", film["id"]) for film in films)


def test_every_field_is_filled(films):
    for film in films:
        assert list(film) == ["id", "title", "year", "genre", "director", "star", "country", "plot"]
        assert 1900 <= film["year"] <= 2024
        for name in ("genre", "director", "star", "country"):
            assert film[name], film["id"]
            assert len(set(film[name])) == len(film[name]), film["id"]
            assert all(value.strip() == value != "" for value in film[name]), film["id"]
        assert set(film["genre"]) <= GENRES, film["id"]


def test_plots_are_one_sentence_of_6_to_25_words(films):
    for film in films:
        assert 6 <= len(film["plot"].split()) <= 25, film["id"]
        assert film["plot"].endswith("."), film["id"]
        assert film["plot"][0].isupper(), film["id"]
    assert len({film["plot"] for film in films}) == len(films)


def test_no_plot_names_its_own_title(films):
    """A wish made from a plot must not give the film away."""
    for film in films:
        title = re.escape(film["title"].casefold())
        assert len(film["title"]) < 6 or not re.search(rf"\b{title}\b", film["plot"].casefold()), film["id"]


def test_it_opens_as_a_data_set():
    data = load(DataBlock(name="films"))
    item = data.items()[0]
    assert (data.name, data.domain, data.has_turns, data.splits) == ("films", "films", False, ())
    assert item.text
    assert set(item.attributes) == {"genre", "director", "star", "country", "decade"}
    assert item.attributes["decade"] == ("1900s",)
    assert len(data.catalog()) == len(data.items())
