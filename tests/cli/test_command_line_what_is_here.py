"""What a newcomer meets: data sets that are read but not fetched, files to start from, errors that name the place."""

import re

import pytest
import yaml

from mysteryshopper.cli.main import run as main
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.functions import load_function

VISITOR = "users: [{kind: scripted, options: {turns: [Hello.]}}]\nsystems: [{kind: random}]\ndata: {name: films}\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(tmp_path / "data"))
    return tmp_path


def test_a_data_set_that_is_not_fetched_says_where_its_files_belong(home, capsys):
    assert main(["data", "list"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "crs-arena" in line]
    assert str(home / "data" / "crs_arena") in row
    assert main(["data", "get", "crs-arena"]) == 1
    assert str(home / "data" / "crs_arena") in capsys.readouterr().err


def test_the_file_to_import_with_does_what_it_says(home, capsys):
    assert main(["init", "import"]) == 0
    said = '{"messages": [{"role": "user", "content": "A film?"}, {"role": "assistant", "content": "Which sort?"}]}\n'
    (home / "chats.jsonl").write_text(said, encoding="utf-8")
    assert main(["run", "import.yaml", "--out", "taken", "--quiet"]) == 0
    assert "1 of 1 units complete" in capsys.readouterr().out
    text = (home / "import.yaml").read_text(encoding="utf-8")
    for line in ("# models:", "#   referee:", "  # - {name: marks", "# limits:"):
        assert line in text
        text = text.replace(line, line.replace("# ", "", 1))
    assert [judge.name for judge in Experiment.from_dict(yaml.safe_load(text)).judges] == ["rules", "marks"]


def test_a_further_judge_with_a_name_that_is_taken_is_told_where(home, capsys):
    experiment = {"users": [{"kind": "scripted", "options": {"turns": ["Hello."]}}], "systems": [{"kind": "random"}]}
    given = {"protocol": "conversation", **experiment, "judges": [{"kind": "rules"}], "data": {"name": "films"}}
    run(Experiment.from_dict({**given, "limits": {"units": 1, "turns": 1}}), home / "done")
    (home / "more.yaml").write_text("judges: [{kind: rules, options: {words: [1, 9]}}]\n", encoding="utf-8")
    assert main(["judge", "done", "--judge", "more.yaml"]) == 1
    said = capsys.readouterr().err
    assert "more.yaml: the run has a judge 'rules'" in said
    assert "name of its own" in said


def test_criteria_that_are_not_there_name_the_judge(home, capsys):
    model = "{provider: scripted, params: {replies: [yes]}}"
    judge = f"judges: [{{kind: rules}}, {{kind: rubric, model: {model}, options: {{criteria: gone.yaml}}}}]\n"
    (home / "one.yaml").write_text(f"protocol: conversation\n{VISITOR}{judge}", encoding="utf-8")
    assert main(["plan", "one.yaml"]) == 1
    assert "judges[1].options.criteria: there is no set of criteria 'gone.yaml'" in capsys.readouterr().err


def test_a_mistyped_metric_is_named_after_its_protocol(home, capsys):
    text = f"protocol: conversation\n{VISITOR}assert: [{{metric: user_turn, value: '> 0'}}]\n"
    (home / "one.yaml").write_text(text, encoding="utf-8")
    assert main(["plan", "one.yaml"]) == 1
    assert "there is no conversation metric 'user_turn'; did you mean 'user_turns'?" in capsys.readouterr().err


def test_a_function_that_is_not_found_says_in_which_folder_it_was_looked_for(home):
    from pathlib import Path

    with pytest.raises(ConfigError, match=f"it is looked for in {home}"):
        load_function("nowhere:reply", Path(), "systems[0].function")


def test_what_takes_pairs_is_told_apart_in_the_list(capsys):
    assert main(["list", "judges"]) == 0
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()[2:] if line.strip()}
    assert "judges pairs" in rows["pairwise"]
    assert "judges one dialogue" in rows["rubric"]
    assert main(["list", "protocols"]) == 0
    assert " can " not in capsys.readouterr().out.splitlines()[1]


def test_two_systems_of_one_run_are_compared_by_their_names(home, capsys):
    visitor = {"kind": "scripted", "options": {"wish_first": True, "on_hit": "That one, thank you!"}}
    systems = [{"name": "words", "kind": "lexical"}, {"name": "chance", "kind": "random"}]
    given = {"protocol": "conversation", "users": [visitor], "systems": systems, "data": {"name": "films"}}
    run(Experiment.from_dict({**given, "limits": {"units": 4, "turns": 1}}), home / "done")
    assert main(["compare", "done", "done", "--systems", "words", "chance", "--out", "page.html"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("chance minus words, over 4 shared units")
    assert re.search(r"success: words \d\.\d\d and chance \d\.\d\d, a difference of", told)
    assert "this does not show which did better" in told
    page = (home / "page.html").read_text(encoding="utf-8")
    assert "<bdi>words</bdi> and then <bdi>chance</bdi>" in page
