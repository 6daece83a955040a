"""MovieLens in its two forms, and INSPIRED."""

from collections import Counter

import pytest

from mysteryshopper.core import DataError
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.datasets.movielens import read_title


@pytest.mark.parametrize(
    ("text", "title", "year", "aliases"),
    [
        ("Mirror: Part II (1991)", "Mirror: Part II", 1991, ()),
        ("Untitled Pilot", "Untitled Pilot", None, ()),
        ("Salt Clock, The (2004)", "The Salt Clock", 2004, ()),
        ("Oak, The (Chêne, Le) (1980)", "The Oak", 1980, ("Le Chêne",)),
        ("Étoile, L' (a.k.a. The Star) (1971)", "L'Étoile", 1971, ("The Star",)),
        ("Road, Sky, A (1999) ", "A Road, Sky", 1999, ()),
        ("(Untitled) (2009)", "(Untitled)", 2009, ()),
    ],
)
def test_titles(text, title, year, aliases):
    assert read_title(text) == (title, year, aliases)


def test_the_form_with_double_colons(write):
    folder = write(
        "movies.dat", "12::Mirror: Part II (1991)::Drama|Comedy\n13::Caf\xe9 (1995)::Drama\n".encode("latin-1")
    ).parent
    write("ratings.dat", "1::12::5::978300760\n2::12::3::978300761\n2::13::4::978300762\n")
    with pytest.raises(DataError, match=r"movies\.dat:2: byte 0xe9 .*encoding: latin-1"):
        load(DataBlock(name="movielens", path=str(folder))).items()
    data = load(DataBlock(name="movielens", path=str(folder), encoding="latin-1"))
    mirror, cafe = data.items()
    assert (mirror.id, mirror.title, mirror.year) == ("12", "Mirror: Part II", 1991)
    assert mirror.attributes == {"genre": ("Drama", "Comedy")}
    assert cafe.title == "Café"
    assert data.label_counts(data.popularity_split) == {"12": 2, "13": 1}


def test_the_csv_form_with_tags(write):
    folder = write("movies.csv", 'movieId,title,genres\n007,"Hat, The (1950)",(no genres listed)\n').parent
    write("tags.csv", "userId,movieId,tag,timestamp\n1,007,quiet,1\n2,007,Quiet,2\n2,007,sea,3\n")
    (item,) = load(DataBlock(name="movielens", path=str(folder))).items()
    assert (item.id, item.title) == ("007", "The Hat")
    assert item.attributes == {"tag": ("quiet", "sea")}


def test_a_folder_without_movies_says_how_to_get_them(tmp_path):
    with pytest.raises(DataError, match="mysteryshopper data get movielens"):
        load(DataBlock(name="movielens", path=str(tmp_path))).items()


@pytest.mark.slow
def test_the_real_small_set(real_data, opened):
    data = opened("movielens")
    assert len(data.items()) == 9742
    assert sum(item.year is None for item in data.items()) == 12
    assert [item.year for item in data.items() if item.id == "171749"] == [2006]
    ratings = data.ratings()
    assert (len(ratings.rows), ratings.repeated, ratings.conflicts) == (100836, 0, ())
    assert round(sum(rating.stars for rating in ratings.rows) / 100836, 4) == 3.5016
    counts = data.label_counts()
    assert len(counts) == 9724
    assert sum(count >= 100 for count in counts.values()) == 138
    assert sorted(counts.values(), reverse=True)[:200][-1] == 82
    assert sum(5 <= count <= 20 for count in counts.values()) == 2415


@pytest.mark.parametrize(("split", "utterances"), [("test", 3438), ("dev", 3538)])
def test_inspired(real_data, opened, split, utterances):
    dialogues = opened("inspired").dialogues(split)
    assert len(dialogues) == 99
    assert sum(len(dialogue.messages) for dialogue in dialogues) == utterances
    assert Counter(message.role for dialogue in dialogues for message in dialogue.messages).keys() == {
        "user",
        "assistant",
    }
    assert all(dialogue.notes["accepted"] in {"accept_new", "reject_new"} for dialogue in dialogues)
    assert any(item.year for dialogue in dialogues for message in dialogue.messages for item in message.items)
