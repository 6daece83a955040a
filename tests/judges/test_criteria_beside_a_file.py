"""`judge --judge FILE`: what a further file's judges find, and what they must not mix up."""

import pytest

from mysteryshopper.cli.judges import with_judges
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment

CRITERIA = "takes: one\ncriteria: [{name: warm, text: Is it warm?}]\n"


@pytest.fixture
def experiment(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "people.jsonl").write_text('{"id": "p"}\n')
    return Experiment.from_dict(
        {
            "protocol": "conversation",
            "models": {"wise": {"name": "any", "base_url": "http://127.0.0.1:9/v1"}},
            "users": [{"kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}],
            "systems": [{"name": "shop", "kind": "python", "function": "shop:reply"}],
        },
        home,
    )


def write(tmp_path, text):
    file = tmp_path / "further" / "judges.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_criteria_beside_the_file_are_found_from_the_run(tmp_path, experiment):
    file = write(tmp_path, "judges: [{name: j, kind: rubric, model: wise, options: {criteria: mine.yaml}}]\n")
    (file.parent / "mine.yaml").write_text(CRITERIA)
    grown = with_judges(experiment, file)
    assert grown.judges[0].options["criteria"] == "../further/mine.yaml"
    assert grown.judges[0].repeats == 1


def test_an_empty_list_of_models_is_none(tmp_path, experiment):
    grown = with_judges(experiment, write(tmp_path, "models:\njudge: {kind: rubric, model: wise}\n"))
    assert [judge.name for judge in grown.judges] == ["rubric"]


def test_another_model_under_a_name_of_the_run_is_refused(tmp_path, experiment):
    text = "models: {{wise: {{name: {}, base_url: 'http://127.0.0.1:9/v1'}}}}\njudge: {{kind: rubric, model: wise}}\n"
    assert with_judges(experiment, write(tmp_path, text.format("any"))).judges
    with pytest.raises(ConfigError, match=r"models\.wise: the run has another model of this name"):
        with_judges(experiment, write(tmp_path, text.format("other")))


def test_repeats_of_a_judge_are_one_or_more(tmp_path, experiment):
    with pytest.raises(ConfigError, match=r"judges\[0\]\.repeats"):
        with_judges(experiment, write(tmp_path, "judge: {kind: rubric, model: wise, repeats: 0}\n"))


@pytest.mark.parametrize("kind", ["rubric", "pairwise"])
def test_a_prompted_judge_needs_a_model(tmp_path, experiment, kind):
    with pytest.raises(ConfigError, match=r"judges\[0\]\.model: is missing"):
        with_judges(experiment, write(tmp_path, f"judge: {{kind: {kind}}}\n"))
