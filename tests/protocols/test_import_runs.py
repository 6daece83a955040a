"""Dialogues of one's own as a run: kept as they are, judged without their labels, reported like any other."""

import json

import pytest
from fake_runs import read_summary

from mysteryshopper import ConfigError, Experiment, StopRun, resume, run
from mysteryshopper.cli.main import run as command
from mysteryshopper.core import Message, StoredDialogue, Unit, encode_text
from mysteryshopper.datasets import HumanDialogue
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.protocols.imported import Import, ImportOptions, as_dialogue, imported_case

RULES = {"name": "rules", "kind": "rules"}
LINES = [
    {
        "id": "first",
        "user": "ana",
        "system": "shop-bot",
        "ended": "user_done",
        "labels": {"secret_rating": 4.75},
        "messages": [
            {"role": "system", "content": "Be kind to everybody."},
            {"role": "assistant", "content": "Hello!"},
            {"role": "assistant", "content": "What do you like?", "labels": {"secret_turn": 3.25}},
            {"role": "user", "content": "Dramas. Can you recommend one?"},
            {"role": "assistant", "content": "Paper Lighthouse (1994).", "labels": {"secret_turn": 1.5}},
            {"role": "user", "content": "Perfect, thanks!"},
        ],
    },
    {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Goodbye."}], "user": "ana"},
]


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def experiment(path, **changes):
    return Experiment.from_dict({"protocol": "import", "seed": 1, "data": {"path": str(path)}, **changes})


def test_dialogues_are_kept_as_they_are(chats, tmp_path):
    done = run(experiment(chats), tmp_path / "out")
    assert done.exit_code == 0
    _, store = open_run(tmp_path / "out")
    first, second = [stored.dialogue for stored in store.dialogues()]
    store.close()
    assert [(node.id, node.side, node.turn, len(node.messages)) for node in first.nodes] == [
        ("0", "system", 1, 3),
        ("0.0", "user", 1, 1),
        ("0.0.0", "system", 2, 1),
        ("0.0.0.0", "user", 2, 1),
    ]
    assert [message.text for node in first.nodes for message in node.messages] == [
        message["content"] for message in LINES[0]["messages"]
    ]
    assert {message.author for node in first.nodes for message in node.messages if message.role == "assistant"} == {
        "system"
    }
    assert (first.ended, first.root, second.ended, second.root) == ("user_done", "ana", "unknown", "ana")
    assert first.data["turn_labels"] == {"0": {"secret_turn": 3.25}, "0.0.0": {"secret_turn": 1.5}}


def test_a_dialogue_without_a_system_is_between_people_unless_a_name_is_given(chats, tmp_path):
    run(experiment(chats), tmp_path / "out")
    named = run(experiment(chats, options={"system": "old-bot"}), tmp_path / "named")
    assert [metric.group["system"] for metric in named.metrics if metric.name == "dialogues"] == ["old-bot", "shop-bot"]
    _, store = open_run(tmp_path / "out")
    second = list(store.dialogues())[1]
    store.close()
    assert (second.unit.system, second.dialogue.nodes[1].messages[0].author) == ("person", "human")


def test_no_label_reaches_a_judge():
    human = HumanDialogue(
        "d",
        (Message("user", "Hi"), Message("assistant", "Hello.")),
        user="ana",
        labels={"secret_rating": 4.75},
        message_labels=({}, {"secret_turn": 3.25}),
    )
    unit = Unit("d", system="bot", cluster="ana")
    stored = StoredDialogue(unit, as_dialogue(unit, human))
    assert "secret_rating" in encode_text(stored.dialogue)
    shown = encode_text(imported_case(stored, "en"))
    assert not any(secret in shown for secret in ("secret", "4.75", "3.25"))


def test_the_cases_of_a_run_hold_no_label_either(chats, tmp_path):
    run(experiment(chats, judges=[RULES]), tmp_path / "out")
    _, store = open_run(tmp_path / "out")
    cases = list(Import(ImportOptions()).cases(store))
    judged = [verdict.case for verdict in store.verdicts()]
    store.close()
    assert len(cases) == len(judged) == 2
    assert "secret" not in "".join(encode_text(case) for case in (*cases, *judged))
    assert "Be kind to everybody." not in encode_text(cases[0])  # instructions are nobody's words


def test_judges_labels_and_lengths_are_measured(chats, tmp_path):
    done = run(experiment(chats, judges=[RULES]), tmp_path / "out")
    values = {(metric.name, *metric.group.values()): metric.estimate.value for metric in done.metrics}
    assert values["label", "shop-bot", "secret_rating"] == 4.75
    assert values["turn_label", "shop-bot", "secret_turn"] == (3.25 + 1.5) / 2
    assert values["turns", "shop-bot"] == 4
    assert values["user_words", "shop-bot"] == (5 + 2) / 2
    assert values["ended", "person", "unknown"] == 1
    assert values["score", "rules", "question_answered", "shop-bot"] == 1.0
    assert values["judge_pearson", "rules", "overall", "secret_rating", "dialogue", "all"] is None  # one pair


def test_turns_are_set_against_labels_of_turns(tmp_path):
    lines = []
    for number, (reply, mark) in enumerate(
        [("Iron Parade (2003).", 2), ("Hm.", 0), ("Lantern Road (1998)?", 2), ("Bye.", 1)]
    ):
        turn = [{"role": "user", "content": "Recommend a film."}, {"role": "assistant", "content": reply}]
        turn[1]["labels"] = {"relevance": mark}
        lines.append({"id": f"d{number}", "messages": [*turn, *turn], "system": "bot"})
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run(experiment(path, judges=[RULES]), tmp_path / "out")
    found = {
        metric.group["criterion"]: metric.estimate
        for metric in done.metrics
        if metric.name == "judge_pearson" and metric.group["level"] == "turn"
    }
    # turn by turn 1 0, 0 0, 1 0, 0 0 (the second of each says the same again) against 2 2, 0 0, 2 2, 1 1
    assert found.keys() == {"turn_answered"}
    assert found["turn_answered"].n == 8
    by_hand = (4 - 8 * 0.25 * 1.25) / ((8 * 0.25 * 0.75) ** 0.5 * (18 - 8 * 1.25**2) ** 0.5)
    assert found["turn_answered"].value == pytest.approx(by_hand)


def test_what_makes_no_sense_for_old_dialogues_is_refused(chats, tmp_path):
    systems = [{"name": "mine", "kind": "random"}]
    with pytest.raises(ConfigError, match="talks to no system"):
        run(experiment(chats, systems=systems), tmp_path / "a")
    with pytest.raises(StopRun, match="remove `repeats:`"):
        run(experiment(chats, repeats=2), tmp_path / "b")
    with pytest.raises(ConfigError, match="simulates nobody"):
        experiment(chats, users=[{"name": "u", "kind": "scripted", "options": {"turns": ["Hi"]}}])
    with pytest.raises(ConfigError, match="needs a data set"):
        Experiment.from_dict({"protocol": "import", "seed": 1})


def test_a_finished_import_has_nothing_left_to_do(chats, tmp_path):
    run(experiment(chats, judges=[RULES]), tmp_path / "out")
    before = read_summary(tmp_path / "out")
    again = resume(tmp_path / "out")
    assert (again.ran, again.summary) == (0, before)
    assert before["usage"] == {}


def test_the_command_imports_judges_and_reports(chats, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command(["import", "chats.jsonl", "--out", "out", "--quiet"]) == 0
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count("Paper Lighthouse")
    assert read_summary(tmp_path / "out")["units"]["complete"] == 2
    (tmp_path / "judges.yaml").write_text("judge: {name: strict, kind: rules, options: {words: [1, 2]}}\n")
    assert command(["import", "chats.jsonl", "--out", "two", "--judge", "judges.yaml", "--quiet"]) == 0
    judges = {metric["group"].get("judge") for metric in read_summary(tmp_path / "two")["metrics"]} - {None}
    assert judges == {"strict"}


def test_the_command_says_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command(["import", "gone.jsonl"]) == 1
    assert "there is no file gone.jsonl" in capsys.readouterr().err
    (tmp_path / "bad.jsonl").write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n{"messages": 3}\n')
    assert command(["import", "bad.jsonl", "--quiet"]) == 1
    assert "bad.jsonl:2: expected a list of objects in 'messages'" in capsys.readouterr().err
