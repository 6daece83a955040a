"""CRS Arena: chats and ratings joined by dialogue, endings, parts, items of both data sets, published figures."""

import gzip
import json
from collections import Counter

import pytest

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import DataBlock, Published, load


def chat(system, user, *texts, feeling="satisfied"):
    said = [
        {"participant": "AGENT" if place % 2 else "USER", "utterance": text, "utterance ID": f"{system}_{place}"}
        for place, text in enumerate(texts)
    ]
    return {
        "conversation ID": f"{system}_{user}",
        "agent": {"id": system, "type": "AGENT"},
        "user": {"id": user, "type": "USER"},
        "conversation": said,
        "metadata": {"sentiment": feeling},
    }


def rated(system, user, *texts, turn=None, **scores):
    said = [
        {"turn_ind": place, "role": "ASST" if place % 2 else "USER", "utterance": text}
        | ({"turn_level_aggregated": turn} if place % 2 else {})
        for place, text in enumerate(texts)
    ]
    return {"conv_id": f"{system}_{user}", "dialog": said, "dial_level_aggregated": scores}


@pytest.fixture
def folder(write):
    lines = [chat("bot_redial", "u1", "Hi", "Oak?"), chat("bot_redial", "u2", "Hi", "Hm", feeling="frustrated")]
    write("crs_arena/dial_open.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    closed = json.dumps(chat("kg_opendialkg", "u1", "Hi!", "Brine?")) + "\n"
    write("crs_arena/dial_closed.jsonl.gz", gzip.compress(closed.encode()))
    lines = [
        rated("bot_redial", "u1", "Hi", "Oak?", turn={"relevance": 2, "interest": None}, task=1, overall=None),
        rated("kg_opendialkg", "u1", "Hi!", "Brine?", turn={"relevance": 0}, task=0, overall=4),
    ]
    return write("crs_arena/eval_human_aspects.jsonl", "".join(json.dumps(line) + "\n" for line in lines)).parent


def opened(folder, **block):
    return load(DataBlock(name="crs-arena", path=str(folder), **block))


def test_what_raters_said_is_joined_to_who_said_what_to_whom(folder):
    first, second = opened(folder).dialogues()
    assert (first.id, first.user, first.system, first.part) == ("bot_redial_u1", "u1", "bot_redial", "redial")
    assert [(message.role, message.author, message.text) for message in first.messages] == [
        ("user", "human", "Hi"),
        ("assistant", "system", "Oak?"),
    ]
    assert first.labels == {"task": 1.0}
    assert first.message_labels == ({}, {"relevance": 2.0})
    assert (first.ended, second.ended, second.part) == ("user_done", "user_done", "opendialkg")
    assert second.labels == {"task": 0.0, "overall": 4.0}


def test_the_split_of_all_holds_what_nobody_rated_too(folder):
    everything = opened(folder, split="all").dialogues()
    assert [(dialogue.id, dialogue.ended, bool(dialogue.labels)) for dialogue in everything] == [
        ("bot_redial_u1", "user_done", True),
        ("bot_redial_u2", "user_gave_up", False),
        ("kg_opendialkg_u1", "user_done", True),
    ]


def test_the_makers_own_form_is_read_as_well(folder, write):
    lines = (folder / "dial_open.jsonl").read_text().splitlines()
    (folder / "dial_open.jsonl").unlink()
    write("crs_arena/crs_arena_dial_open.json", f"[{','.join(lines)}]")
    assert len(opened(folder, split="all").dialogues()) == 3


def test_without_the_other_data_sets_there_are_no_items_and_no_published_figures(folder):
    data = opened(folder)
    assert data.published() == ()
    with pytest.raises(ConfigError, match="crs-arena has no items"):
        data.items()


def test_published_figures_are_read_by_part_and_absent_ones_left_out(folder, write):
    figures = {"CRSArena-Eval_KG": {"Some judge": {"task": {"pearson_r": 0.25, "spearman_rho": None}}}}
    write("crs_arena/eval_llm_judge_baselines.json", json.dumps(figures))
    assert opened(folder).published() == (Published("Some judge", "task", "opendialkg", "pearson", 0.25),)
    write("crs_arena/eval_llm_judge_baselines.json", json.dumps({"Elsewhere": {"Some judge": {"task": {}}}}))
    with pytest.raises(DataError, match="expected part, judge, label"):
        opened(folder).published()


@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        (
            "dial_open.jsonl",
            {"conversation ID": "x", "agent": "bot"},
            r"dial_open\.jsonl:1: expected an object with 'id'",
        ),
        (
            "eval_human_aspects.jsonl",
            {"conv_id": "lost", "dialog": []},
            "'lost', which is in neither file of dialogues",
        ),
        (
            "eval_human_aspects.jsonl",
            rated("bot_redial", "u1", "Hi", "Oak?", task="much"),
            "expected an object of numbers",
        ),
        (
            "eval_human_aspects.jsonl",
            {"conv_id": "bot_redial_u1", "dialog": [{"role": "NARRATOR", "utterance": "Night."}]},
            "expected utterances by USER or a system",
        ),
    ],
)
def test_a_broken_line_is_named(folder, write, name, line, problem):
    write(f"crs_arena/{name}", json.dumps(line) + "\n")
    with pytest.raises(DataError, match=problem):
        opened(folder, split="all").dialogues()


def test_absent_files_say_where_they_are_published(tmp_path):
    with pytest.raises(DataError, match="iai-group/crsarena-dial"):
        opened(tmp_path).dialogues()


def test_the_real_dialogues(real_data):
    data = load(DataBlock(name="crs-arena"))
    found = data.dialogues()
    assert (len(found), len(data.dialogues("all"))) == (467, 474)
    assert Counter(dialogue.part for dialogue in found) == {"redial": 267, "opendialkg": 200}
    assert Counter(dialogue.ended for dialogue in data.dialogues("all")) == {"user_gave_up": 387, "user_done": 87}
    assert len({dialogue.user for dialogue in found}) == 260
    assert Counter(dialogue.labels["task_completion"] for dialogue in found) == {0: 402, 1: 26, 2: 39}
    assert sum(bool(marks) for dialogue in found for marks in dialogue.message_labels) == 2235
    assert len(data.published()) == 2 * 2 * (
        5 * 7 + 4
    )  # parts, statistics, five judges of seven labels and one of four


@pytest.mark.slow
def test_the_real_items_are_those_of_both_data_sets_once(real_data):
    data = load(DataBlock(name="crs-arena"))
    names = Counter(item.id.partition(":")[0] for item in data.items())
    assert names["redial"] == 6576
    assert 0 < names["opendialkg"] < 2965
    catalog = data.catalog()
    (blade,) = catalog.mentions("Have you seen Blade Runner 2049 (2017)?")
    assert catalog.get(blade).title == "Blade Runner 2049"
