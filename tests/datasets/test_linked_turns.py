"""Recommending turns of ReDial and OpenDialKG: roles, entities, targets; counts and reference rows on the real data."""

import gzip
import json
from collections import Counter

import pytest

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import DataBlock, load


@pytest.fixture
def small(tmp_path):
    """A folder in the form of ReDial with three films."""
    folder = tmp_path / "redial"
    (folder / "kg").mkdir(parents=True)
    entities = {"Low Tide (1990)": 0, "drama": 1, "The Oak (1980)": 2, "Ida Roe": 3, "Up North": 4}
    facts = {
        "900": {"name": "The Oak (1980)", "genre": ["drama", "drama", "war"], "plot": "A tree.", "director": []},
        "901": {"name": "Low Tide (1990)", "genre": ["drama"], "star": ["Ida Roe", "Ida Roe"], "imdb_id": "tt1"},
        "902": {"name": "Up North", "year": "1975", "genre": ["road"]},
    }
    for name, value in (("entity2id", entities), ("item_ids", [2, 0, 4]), ("id2info", facts)):
        (folder / "kg" / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(value).encode()))

    def make(*turns):
        text = "".join(json.dumps(turn) + "\n" for turn in turns)
        (folder / "ievalm_test_rec_turns.jsonl").write_text(text)
        return load(DataBlock(name="redial", path=str(folder)))

    return make


def turn(context, entity=(), rec=("The Oak (1980)",), **more):
    return {
        "dialog_id": "5",
        "turn_id": 2,
        "context": context,
        "entity": list(entity),
        "rec": list(rec),
        "resp": "Yes.",
        **more,
    }


def test_items_join_through_their_name_and_keep_string_ids(small):
    low, oak, north = small().items()
    assert (low.id, low.title, low.year, low.attributes) == (
        "0",
        "Low Tide",
        1990,
        {"genre": ("drama",), "star": ("Ida Roe",)},
    )
    assert (oak.id, oak.text, oak.attributes) == ("2", "A tree.", {"genre": ("drama", "war")})
    assert (north.title, north.year) == ("Up North", 1975)


def test_the_empty_opening_of_the_seeker_counts_for_roles_but_is_no_message(small):
    (found,) = small(turn(["", "What do you like?", "Low Tide (1990)!"])).turns()
    assert [(message.role, message.text) for message in found.history] == [
        ("assistant", "What do you like?"),
        ("user", "Low Tide (1990)!"),
    ]
    assert {message.author for message in found.history} == {"human"}


def test_a_history_of_even_length_ends_with_the_seeker_too(small):
    (found,) = small(turn(["Do you know The Oak?", "Never heard of it."])).turns()
    assert [message.role for message in found.history] == ["assistant", "user"]


def test_entities_stand_in_the_message_that_names_them_in_order_with_repeats(small):
    (found,) = small(
        turn(
            ["Low Tide or The Oak?", "low tide (1990) is a drama", "I like Ida Roe"],
            ["Low Tide (1990)", "The Oak (1980)", "Low Tide (1990)", "drama", "Ida Roe"],
        )
    ).turns()
    assert found.history_items == ("0", "2", "0")
    assert [[item.id for item in message.items] for message in found.history] == [["0", "2"], ["0"], []]
    assert [message.entities for message in found.history] == [(), ("drama",), ("Ida Roe",)]
    assert found.entities == ("Low Tide (1990)", "The Oak (1980)", "Low Tide (1990)", "drama", "Ida Roe")


def test_names_that_are_no_item_are_counted_apart(small):
    (found,) = small(turn(["Hi"], rec=["The Oak (1980)", "Brine (2001)", "drama"])).turns()
    assert (found.id, found.dialogue, found.response) == ("5_2", "5", "Yes.")
    assert found.targets == ("2",)
    assert found.unknown == ("Brine (2001)", "drama")


def test_a_turn_of_another_form_names_file_and_line(small):
    with pytest.raises(
        DataError, match=r"ievalm_test_rec_turns\.jsonl:2: expected a list of texts in 'context', got 'Hi'"
    ):
        small(turn(["Hi"]), turn("Hi")).turns()


def test_a_split_without_turns_is_refused_by_name(small):
    with pytest.raises(ConfigError, match=r"no split of redial with recommending turns 'tests'; did you mean 'test'\?"):
        small().turns("tests")
    with pytest.raises(ConfigError, match=r"data\.split: there is no split of redial 'dev'"):
        load(DataBlock(name="redial", split="dev"))


def test_missing_files_say_how_to_get_them(tmp_path):
    with pytest.raises(DataError, match=r"mysteryshopper data get opendialkg.*MYSTERYSHOPPER_DATA"):
        load(DataBlock(name="opendialkg", path=str(tmp_path))).turns()


def label_recall(turns, rank, k):
    hits = [target in rank(turn)[:k] for turn in turns for target in turn.targets]
    return round(sum(hits) / len(hits), 4)


def copied(turn):
    return list(dict.fromkeys(reversed(turn.history_items)))


def expected_recall(turns, counts, k):
    """Mean chance that a target is among the first k when equal counts are in random order."""
    better = {count: sum(other > count for other in counts.values()) for count in set(counts.values())}
    tied = Counter(counts.values())
    chances = []
    for target in (target for turn in turns for target in turn.targets):
        count = counts.get(target)
        chances.append(0 if count is None else min(max((k - better[count]) / tied[count], 0), 1))
    return round(sum(chances) / len(chances), 4)


REAL = {
    "redial": {
        "items": 6576, "turns": 3341, "dialogues": 1318, "labels": 4499, "unknown": [],
        "per_turn": {1: 2423, 2: 738, 3: 126, 4: 48, 5: 6}, "turns_in_history": 417, "labels_in_history": 463,
        "clean": (2924, 3805), "copy": [.0516, .1029, .1029, .1029], "popular": [.0098, .0478, .0847, .1587],
        "counted": "valid", "silent": {"genre": 7, "star": 12, "director": 7},
    },
    "opendialkg": {
        "items": 2965, "turns": 1188, "dialogues": 1113, "labels": 1261, "unknown": ["3572_5"],
        "per_turn": {1: 1118, 2: 66, 3: 4}, "turns_in_history": 424, "labels_in_history": 431,
        "clean": (764, 775), "copy": [.3275, .3418, .3418, .3418], "popular": [.0024, .0309, .0634, .1134],
        "counted": "train", "silent": {"genre": 248, "actor": 454, "director": 549, "writer": 190},
    },
}  # fmt: skip
KS = (1, 10, 25, 50)


@pytest.mark.parametrize("name", REAL)
def test_counts_of_the_real_test_split(real_data, opened, name):
    data, right = opened(name), REAL[name]
    turns = data.turns()
    assert len(data.items()) == right["items"]
    assert len(turns) == len({turn.id for turn in turns}) == right["turns"]
    assert len({turn.dialogue for turn in turns}) == right["dialogues"]
    assert sum(len(turn.targets) for turn in turns) == right["labels"]
    assert [turn.id for turn in turns if turn.unknown] == right["unknown"]
    assert Counter(len(turn.targets) + len(turn.unknown) for turn in turns) == right["per_turn"]
    again = [turn for turn in turns if set(turn.targets) & set(turn.history_items)]
    assert len(again) == right["turns_in_history"]
    assert sum(target in turn.history_items for turn in turns for target in turn.targets) == right["labels_in_history"]
    clean = [turn for turn in turns if not set(turn.targets) & set(turn.history_items)]
    labels = sum(len(turn.targets) + len(turn.unknown) for turn in clean)
    assert (len(clean), labels) == right["clean"]


@pytest.mark.parametrize("name", REAL)
def test_reference_rows_of_the_real_test_split(real_data, opened, name):
    data, right = opened(name), REAL[name]
    turns = data.turns()
    assert [label_recall(turns, copied, k) for k in KS] == right["copy"]
    assert data.popularity_split == right["counted"]
    counts = data.label_counts(data.popularity_split)
    popular = sorted(counts, key=lambda item: (-counts[item], int(item)))
    assert [label_recall(turns, lambda turn: popular, k) for k in KS] == right["popular"]
    if name == "redial":
        assert [expected_recall(turns, counts, k) for k in KS] == [0.0103, 0.0478, 0.0898, 0.1581]


@pytest.mark.parametrize("name", REAL)
def test_attributes_of_the_real_items(real_data, opened, name):
    """How many turns have no answer to a question about an attribute of their targets."""
    data, right = opened(name), REAL[name]
    catalog = data.catalog()
    silent = {
        attribute: sum(
            not any(catalog.get(target).attributes.get(attribute) for target in turn.targets) for turn in data.turns()
        )
        for attribute in right["silent"]
    }
    assert silent == right["silent"]


def test_police_academy(real_data, opened):
    first = opened("redial").turns()[0]
    item = opened("redial").catalog().get(first.targets[0])
    assert (first.id, item.title, item.year) == ("20001_1", "Police Academy", 1984)
    assert item.attributes["genre"] == ("comedy",)
    assert item.attributes["star"] == ("Steve Guttenberg", "G.W. Bailey", "Kim Cattrall")
    assert item.attributes["director"] == ("Hugh Wilson",)


@pytest.mark.parametrize("name", REAL)
def test_real_histories_have_roles_and_placed_entities(real_data, opened, name):
    turns = opened(name).turns()
    assert {turn.history[-1].role for turn in turns} == {"user"}
    assert all(one.role != two.role for turn in turns for one, two in zip(turn.history, turn.history[1:], strict=False))
    assert all(message.text.strip() for turn in turns for message in turn.history)
    placed = [
        (item.title.casefold(), message.text.casefold())
        for turn in turns
        for message in turn.history
        for item in message.items
    ]
    assert sum(title in text for title, text in placed) / len(placed) > 0.999


def test_opendialkgs_two_turns_of_even_length_start_with_the_recommender(real_data, opened):
    turns = {turn.id: turn for turn in opened("opendialkg").turns()}
    assert [message.role for message in turns["1155_5"].history] == ["assistant", "user"] * 2
    assert [message.role for message in turns["4148_6"].history] == ["assistant", "user"] * 3
