"""Title lists and rankings: decoration off, chatter ignored, what is dropped counted."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.reading import read_ranking, read_titles, split_year, title_key

FILMS = ["Oak (1980)", "Elm, Ash (1981)", "Pine II (1982)", "Oak (1990)"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "Sure! Here you go:\n1. **Lantern Road** (1998) – slow but lovely\n2) The Salt Clock (2004)\n"
            '- "Mr. Finch, Again (2011)"',
            [("Lantern Road", 1998), ("The Salt Clock", 2004), ("Mr. Finch, Again", 2011)],
        ),
        ("Stone, Paper, River (1977), The Oak (1980)", [("Stone, Paper, River", 1977), ("The Oak", 1980)]),
        ("Lantern Road\nThe Salt Clock\nUp", [("Lantern Road", None), ("The Salt Clock", None), ("Up", None)]),
        ("Lantern Road, The Salt Clock, Up", [("Lantern Road", None), ("The Salt Clock", None), ("Up", None)]),
        ("I'd recommend Lantern Road (1998) and The Oak (1980).", [("Lantern Road", 1998), ("The Oak", 1980)]),
        ('You might like "Lantern Road" and "The Oak".', [("Lantern Road", None), ("The Oak", None)]),
        ('["Lantern Road (1998)", "Oak"]', [("Lantern Road", 1998), ("Oak", None)]),
        ('[{"title": "Oak", "year": 1980}]', [("Oak", 1980)]),
        (
            "1. (500) Days (2009)\n2. 2001: Again (1968)\n3. 9 (2009)",
            [("(500) Days", 2009), ("2001: Again", 1968), ("9", 2009)],
        ),
        ("2001: Again (1968)\n(500) Days (2009)", [("2001: Again", 1968), ("(500) Days", 2009)]),
        ("《千与千寻》（2001）\n《龙猫》（1988）", [("千与千寻", 2001), ("龙猫", 1988)]),
        ("**1. Oak** (1980)\n**2. Elm** (1981): tall", [("Oak", 1980), ("Elm", 1981)]),
        ("1. X (1990), 2. Y (1991)", [("X", 1990), ("Y", 1991)]),
        ("1. Oak (1980), a remake of Elm (1970)\n2. Ash (1999)", [("Oak", 1980), ("Ash", 1999)]),
        ("the oak (1980), elm (1981)", [("the oak", 1980), ("elm", 1981)]),
        ("Here are some: Oak (1980), Elm (1981)", [("Oak", 1980), ("Elm", 1981)]),
        (
            "- Oak - tall and old\n- Elm – A tree grows in the yard.\n- Pine – Return",
            [("Oak", None), ("Elm", None), ("Pine – Return", None)],
        ),
        (
            "1. 'Night, Mum (1986)\n2. 'Oak' (1980)\n3. <Elm> (1999)",
            [("'Night, Mum", 1986), ("Oak", 1980), ("Elm", 1999)],
        ),
        ("1. [Oak](http://films.example/oak) (1980)", [("Oak", 1980)]),
        (
            "I Love Rain, Mum (2009)\nHow About Lamps (2007)",
            [("I Love Rain, Mum", 2009), ("How About Lamps", 2007)],
        ),
        ("Book, Lamp (1990)\nMy Oak: The Return (1991)", [("Book, Lamp", 1990), ("My Oak: The Return", 1991)]),
        ("the pantry (1990), xXL: pantry (1991)", [("the pantry", 1990), ("xXL: pantry", 1991)]),
        ("Oak (1980), The Pantry (1990), and aqua (1991)", [("Oak", 1980), ("The Pantry", 1990), ("aqua", 1991)]),
        ("You Only Plant Once or Twice a Year\nUp", [("You Only Plant Once or Twice a Year", None), ("Up", None)]),
        ("1. 'Robot': The Seeds (2004)\n2. Elm (TV series)", [("'Robot': The Seeds", 2004), ("Elm", None)]),
        ("1. Elm (funny and warm)\n2. Ash (a.k.a. Asche)", [("Elm", None), ("Ash (a.k.a. Asche)", None)]),
        (
            "Sure, here are some films you might enjoy: Oak, Elm: The Return, and The Ash Tree.",
            [("Oak", None), ("Elm: The Return", None), ("The Ash Tree", None)],
        ),
        (
            "I, Robin (2004)\nYou've Got Rain (1998)\nMy Lamp (1991)",
            [("I, Robin", 2004), ("You've Got Rain", 1998), ("My Lamp", 1991)],
        ),
    ],
)
def test_decorated_lists(text: str, titles: list[tuple[str, int | None]]) -> None:
    reading = read_titles(text)
    assert (reading.value, reading.status) == (titles, "ok")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Sure! Here you go:", "invalid"),
        ("None", "invalid"),
        ("I hope you enjoy them all very much!", "invalid"),
        ("I'm sorry, but I can't provide recommendations such as “Oak (1980)”.", "refused"),
        ("...", "invalid"),
    ],
)
def test_chatter_alone_is_no_list(text: str, status: str) -> None:
    assert read_titles(text).status == status


def test_what_is_dropped_is_counted() -> None:
    reading = read_titles("X (1990), Z (1991), Z (1991), W (1992), V (1993)", limit=2, exclude=["X (1990)", "Y"])
    assert reading.value == [("Z", 1991), ("W", 1992)]
    assert reading.notes == {"in_prompt": 1, "repeated": 1, "extra": 1}


def test_titles_of_the_prompt_and_repeats_are_known_by_any_spelling() -> None:
    reading = read_titles(
        "1. Salt Clock, The (2004)\n2. the oak\n3. The Oak (1980)\n4. Elm II", exclude=["The Salt Clock"]
    )
    assert reading.value == [("the oak", None), ("Elm II", None)]
    assert reading.notes == {"in_prompt": 1, "repeated": 1}
    other_year = read_titles("Oak (1980)\nOak (1990)", exclude=["Oak (2000)"])
    assert other_year.value == [("Oak", 1980), ("Oak", 1990)]
    assert not other_year.notes


def test_a_list_that_was_all_in_the_prompt_is_read_as_empty() -> None:
    reading = read_titles("1. Oak (1980)", exclude=["Oak (1980)"])
    assert (reading.value, reading.status, reading.notes) == ([], "ok", {"in_prompt": 1})


def test_an_entry_without_a_title_is_malformed() -> None:
    reading = read_titles("1.\n2. Oak")
    assert (reading.value, reading.notes) == ([("Oak", None)], {"malformed": 1})


DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA", Path(__file__).parents[3] / "shared/data"))
FORMS = {
    "numbered": "{n}. {title} ({year})",
    "plain": "{title} ({year})",
    "with remarks": "- **{title}** ({year}) - a fine film, like Glass Oak (1990)",
    "quoted": '{n}) "{title} ({year})"',
}


@pytest.mark.parametrize("form", [*FORMS, "in one line"])
def test_lists_of_real_titles_read_back(form: str) -> None:
    path = DATA / "movielens/ml-latest-small/movies.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        films = [film for row in csv.DictReader(file) if (film := split_year(row["title"]))[1] is not None]
    assert len(films) > 9700
    for start in range(0, len(films), 10):
        some = films[start : start + 10]
        if form == "in one line":
            text = ", ".join(f"{title} ({year})" for title, year in some)
        else:
            text = "\n".join(FORMS[form].format(n=n, title=title, year=year) for n, (title, year) in enumerate(some, 1))
        found = read_titles(text).value or []
        assert {(title_key(title), year) for title, year in found} == {(title_key(title), year) for title, year in some}


@pytest.mark.parametrize("model", ["gpt-3.5-turbo", "gpt-4", "vicuna"])
def test_lists_that_models_wrote_are_read_like_their_publishers_read_them(model: str) -> None:
    path = DATA / f"he2023_llm_crs/inspired_outputs/{model}_general_extracted.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    named = found = 0
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            reply = row["resp"]["choices"][0]["message"]["content"]
            titles = {title_key(title) for title, _ in read_titles(reply).value or []}
            theirs = {title_key(split_year(film["movie_name"])[0]) for film in row["rec_list"]} - {""}
            named, found = named + len(theirs), found + len(theirs & titles)
    assert named > 4000
    assert found / named > 0.97


_title = st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8}){0,3}(, [A-Z][a-z]{2,6})?", fullmatch=True)
_dated = st.lists(
    st.tuples(_title, st.integers(1900, 2030)), min_size=1, max_size=8, unique_by=lambda one: title_key(one[0])
)


@given(
    _dated,
    st.sampled_from(
        ["{n}. {t} ({y})", "- {t} ({y})", "{t} ({y})", '{n}) "{t}" ({y})', "* **{t}** ({y})", "{t}（{y}）"]
    ),
)
def test_a_written_list_reads_back(titles: list[tuple[str, int]], form: str) -> None:
    text = "\n".join(form.format(n=n, t=title, y=year) for n, (title, year) in enumerate(titles, start=1))
    assert read_titles(text).value == titles
    assert read_titles(text, limit=1).value == titles[:1]


@given(_dated)
def test_a_list_in_one_line_reads_back(titles: list[tuple[str, int]]) -> None:
    assert read_titles(", ".join(f"{title} ({year})" for title, year in titles)).value == titles


@pytest.mark.parametrize(
    ("text", "ranking", "notes"),
    [
        ("7, 12, 3", ["7", "12", "3"], {"missing": 1}),
        ("1. 12\n2. 7\n3. 007", ["12", "7", "007"], {"missing": 1}),
        ('["12", 7, "x", 12]', ["12", "7"], {"repeated": 1, "unknown": 1, "missing": 2}),
        ("['3', '12',]", ["3", "12"], {"missing": 2}),
        ("12 > 3 > 7", ["12", "3", "7"], {"missing": 1}),
        ("Here is my ranking:\n12\n3\n7\n007", ["12", "3", "7", "007"], {}),
        ("Ranking: 3, 7", ["3", "7"], {"missing": 2}),
        ("12\n12\n99", ["12"], {"repeated": 1, "unknown": 1, "missing": 3}),
        ("3.", ["3"], {"missing": 3}),
    ],
)
def test_rankings_of_ids(text: str, ranking: list[str], notes: dict[str, int]) -> None:
    reading = read_ranking(text, ["7", "007", "12", "3"])
    assert (reading.value, dict(reading.notes)) == (ranking, notes)
    assert reading.status == ("repaired" if notes.keys() & {"repeated", "unknown"} else "ok")


def test_rankings_of_titles_know_a_title_by_its_spellings_but_never_guess() -> None:
    listed = read_ranking("1. **Pine 2** - good\n2. Elm, Ash\n3. Oak", FILMS)
    assert (listed.value, dict(listed.notes)) == (["Pine II (1982)", "Elm, Ash (1981)"], {"unknown": 1, "missing": 2})
    in_line = read_ranking("Elm, Ash (1981), Oak (1990), Birch", FILMS)
    assert in_line.value == ["Elm, Ash (1981)", "Oak (1990)"]
    assert read_ranking("Pine II (1999)", FILMS).status == "invalid"


def test_a_text_is_never_searched_for_an_id() -> None:
    assert read_ranking("[]", ["a"]).status == "invalid"
    assert read_ranking("ab", ["a"]).status == "invalid"
    assert read_ranking("anything", []).status == "invalid"


@given(st.lists(st.integers(0, 10**6).map(str), min_size=1, max_size=20, unique=True), st.randoms(), st.data())
def test_a_written_ranking_reads_back(candidates: list[str], random, data: st.DataObject) -> None:
    order = random.sample(candidates, len(candidates))
    form = data.draw(st.sampled_from(["json", "lines", "numbered", "commas"]))
    text = {
        "json": str(order),
        "lines": "\n".join(order),
        "numbered": "\n".join(f"{n}. {name}" for n, name in enumerate(order, start=1)),
        "commas": ", ".join(order),
    }[form]
    reading = read_ranking(text, candidates)
    assert (reading.value, dict(reading.notes)) == (order, {})
