"""Files of one's own: items, dialogues, ratings, alone or in a folder."""

import gzip
import json

import pyarrow
import pyarrow.parquet
import pytest
from pydantic import ValidationError

from mysteryshopper.core import ConfigError, DataError, ItemRef
from mysteryshopper.datasets import DataBlock, load

ITEMS = "id,title,year,genre,plot\n007,Low Tide,1990,drama|war,A boat waits.\n7,NA,,,\n8,Brine (2001),,road,\n"


def test_items_of_a_csv_file(write):
    data = load(DataBlock(path=str(write("shop.csv", ITEMS))))
    tide, word, brine = data.items()
    assert (tide.id, tide.title, tide.year, tide.text) == ("007", "Low Tide", 1990, "A boat waits.")
    assert tide.attributes == {"genre": ("drama", "war")}
    assert (word.id, word.title, word.year, word.attributes) == ("7", "NA", None, {})
    assert (brine.title, brine.year) == ("Brine", 2001)
    assert data.name == data.catalog().name == "shop"
    assert [item.id for item in data.catalog()] == ["007", "7", "8"]
    assert not data.has_turns


def test_items_of_json_lines_and_parquet_are_the_same(write, tmp_path):
    rows = [
        {"id": 1, "title": "Low Tide", "year": 1990, "aliases": ["Ebb"], "genre": ["drama", "drama"]},
        {"id": 2, "title": "The Oak", "attributes": {"star": ["Ida Roe"], "runtime": 90}},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    plain = load(DataBlock(path=str(write("items.jsonl.gz", gzip.compress(text.encode())))))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "items.parquet")
    table = load(DataBlock(path=str(tmp_path / "items.parquet")))
    assert plain.items()[0] == table.items()[0]
    assert plain.items()[0].attributes == {"genre": ("drama",)}
    assert plain.items()[0].aliases == ("Ebb",)
    assert plain.items()[1].attributes == {"star": ("Ida Roe",), "runtime": ("90",)}
    assert [item.id for item in table.items()] == ["1", "2"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("9,,,,", r"items\.csv:5: expected a title in 'title' or 'name'"),
        (",Lost,,,", r"items\.csv:5: expected an id in 'id' or 'item_id' or 'item', but it is missing"),
        ("9,Late,199x,,", r"items\.csv:5: expected a number in 'year', got '199x'"),
        ("9,Late,1990.5,,", r"items\.csv:5: expected a year such as 1999"),
        ("8,Other,,,", r"items\.csv:5: the id '8' was used in line 4 for another item"),
    ],
)
def test_a_wrong_item_names_line_and_remedy(write, row, problem):
    data = load(DataBlock(path=str(write("items.csv", ITEMS + row + "\n"))))
    with pytest.raises(DataError, match=problem):
        data.items()


def test_an_exact_repeat_of_an_item_is_passed_over(write):
    assert len(load(DataBlock(path=str(write("items.csv", ITEMS + "8,Brine (2001),,road,\n")))).items()) == 3


DIALOGUES = [
    {
        "id": "d1",
        "split": "train",
        "messages": [
            {"role": "recommender", "text": "Hello"},
            {"role": "seeker", "text": "Something like Brine", "items": ["8"]},
            {"role": "bot", "text": "Low Tide, or Ebb?", "items": ["Low Tide (1990)", {"title": "Ebb"}]},
        ],
    },
    {
        "id": 2,
        "split": "test",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "007!", "items": ["007", "007"]},
        ],
    },
]


@pytest.fixture
def folder(write):
    write("shop/items.csv", ITEMS)
    write("shop/ratings.tsv", "user\titem\tstars\nu1\t007\t4\nu2\t007\t\nu2\t8\t5\n".replace("u2\t007\t\n", ""))
    return write("shop/dialogues.jsonl", "".join(json.dumps(dialogue) + "\n" for dialogue in DIALOGUES)).parent


def test_a_folder_of_all_three(folder):
    data = load(DataBlock(path="shop", domain="boats", language="de"), folder.parent)
    assert (data.name, data.domain, data.language) == ("shop", "boats", "de")
    assert data.splits == ("train", "test")
    assert (data.split, data.popularity_split) == ("test", "train")
    (first,) = data.dialogues("train")
    assert [message.role for message in first.messages] == ["assistant", "user", "assistant"]
    (turn,) = data.turns("train")
    assert (turn.id, turn.targets, turn.unknown) == ("d1_2", ("007",), ("Ebb",))
    assert turn.history_items == ("8",)
    assert [message.text for message in turn.history] == ["Hello", "Something like Brine"]
    assert data.turns()[0].targets == ("007",)
    assert data.label_counts("train") == {"007": 1}
    assert [(rating.user, rating.stars) for rating in data.ratings().rows] == [("u1", 4), ("u2", 5)]


def test_dialogues_with_one_row_a_message(write):
    path = write(
        "talk.csv", 'dialogue,role,content,items\n1,user,Hi,\n1,assistant,"Try\nEbb",Ebb|Low Tide\n2,user,Hey,\n'
    )
    data = load(DataBlock(path=str(path)))
    first, second = data.dialogues()
    assert (first.id, second.id, data.split) == ("1", "2", "all")
    assert first.messages[1].text == "Try\nEbb"
    assert first.messages[1].items == (ItemRef(None, "Ebb"), ItemRef(None, "Low Tide"))
    assert not data.has_turns
    with pytest.raises(ConfigError, match="no recommending turns"):
        data.turns()
    with pytest.raises(ConfigError, match="no items"):
        data.catalog()


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (
            [{"id": "1", "messages": [{"role": "narrator", "content": "Night."}]}],
            r"talk\.jsonl:1: expected a role, one of user",
        ),
        (
            [{"id": "1", "messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]}],
            r"talk\.jsonl:1: .* is 'assistant' meant\?",
        ),
        ([{"id": "1", "messages": []}], r"talk\.jsonl:1: the dialogue '1' has no messages"),
        ([{"id": "1", "messages": "Hi"}], r"talk\.jsonl:1: expected a list of objects in 'messages'"),
        (
            [{"dialogue": "1", "role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
            r"talk\.jsonl:2: expected an id",
        ),
        (
            [{"messages": [{"role": "user", "content": "a"}], "labels": {"fine": "very"}}],
            r"talk\.jsonl:1: expected a number in 'fine', got 'very'",
        ),
        (
            [{"messages": [{"role": "user", "content": "a", "labels": [1]}]}],
            r"talk\.jsonl:1: expected an object of numbers in 'labels', got \[1\]",
        ),
        (
            [{"messages": [{"role": "user", "content": "a"}], "ended": "user_don"}],
            r"talk\.jsonl:1: .*did you mean 'user_done'",
        ),
        (
            [{"id": n, "messages": [{"role": "user", "content": "a"}]} for n in ("1", "2", "1")],
            r"talk\.jsonl:3: the dialogue '1' was there before, in line 1",
        ),
    ],
)
def test_a_wrong_dialogue_names_line_and_remedy(write, lines, problem):
    path = write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(DataError, match=problem):
        load(DataBlock(path=str(path)))


def test_ratings_alone_give_popularity(write):
    data = load(DataBlock(path=str(write("likes.csv", "user_id,item_id,rating\n1,7,4\n2,7,5\n2,007,1\n"))))
    assert data.label_counts(data.popularity_split) == {"7": 2, "007": 1}


def test_no_other_split_no_popularity(write):
    data = load(DataBlock(path=str(write("shop.csv", ITEMS))))
    with pytest.raises(ConfigError, match="no other split to count popular items in"):
        _ = data.popularity_split


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ({}, "say which data with `name`"),
        ({"name": "redial", "kind": "items"}, "`kind` is for a file of your own"),
        ({"nmae": "redial"}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_block_is_refused(block, problem):
    with pytest.raises(ValidationError, match=problem):
        DataBlock.model_validate(block)


def test_names_and_paths_that_are_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"data\.name: there is no data set kind 'redail'; did you mean 'redial'\?"):
        load(DataBlock(name="redail"))
    with pytest.raises(DataError, match=r"shop: there is no such file or folder"):
        load(DataBlock(path="shop"), tmp_path)
    with pytest.raises(DataError, match=r"holds no items\.\*, dialogues\.\*, ratings\.\*"):
        load(DataBlock(path=str(tmp_path)))
    with pytest.raises(ConfigError, match=r"data\.kind: .* is a folder"):
        load(DataBlock(path=str(tmp_path), kind="items"))
