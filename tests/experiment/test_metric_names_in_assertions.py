"""A mistyped metric is found before the run, where the protocol says what it gives; and where runs go."""

from pathlib import Path

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.run import default_folder


def experiment(metric, **changes):
    content = {
        "protocol": "conversation",
        "users": [{"kind": "scripted"}],
        "systems": [{"name": "chance", "kind": "random"}],
        "data": {"name": "films"},
        "assert": [{"metric": "success", "low": ">= 0"}, {"metric": metric, "value": ">= 0"}],
        **changes,
    }
    return Experiment.from_dict(content)


def test_a_mistyped_metric_is_refused_with_its_neighbour():
    with pytest.raises(ConfigError, match=r"^assert\[1\]\.metric: .*'sucess'; did you mean 'success'\?"):
        experiment("sucess")


@pytest.mark.parametrize("metric", ["success_answered", "success_difference", "latency_p95", "flagged_turns", "tokens"])
def test_metrics_of_the_protocol_are_taken(metric):
    assert experiment(metric).assert_[1].metric == metric


def test_judges_bring_metrics_that_the_protocol_does_not_know_of():
    judges = [{"name": "rules", "kind": "rules"}]
    assert experiment("score", judges=judges).assert_[1].metric == "score"
    with pytest.raises(ConfigError, match="did you mean 'gave_up'"):
        experiment("gave_upp", judges=judges)


def test_a_protocol_that_does_not_say_what_it_gives_is_not_checked(monkeypatch):
    from mysteryshopper.protocols.conversation import Conversation

    monkeypatch.delattr(Conversation, "metrics")
    assert experiment("whatever").assert_[1].metric == "whatever"


def test_every_metric_of_the_protocol_is_among_those_it_names():
    from mysteryshopper.protocols.conversation import Conversation
    from mysteryshopper.protocols.conversation_words import COMPARED, DEFINITIONS

    rates = {"role_reversal_rate", "repeated_question_rate"}
    assert set(Conversation.metrics) == {*DEFINITIONS, *(name for name, _ in COMPARED.values()), *rates}


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("shop.yaml", "runs/shop"),
        (Path("some/where/shop.v2.yaml"), "runs/shop.v2"),
        ("my shop: ümlaut/../évening (2).yaml", "runs/évening-2"),
        ("...yaml", "runs/run"),
    ],
)
def test_a_run_goes_where_its_file_says_by_one_rule(file, folder):
    assert default_folder(file) == Path(folder)


def test_an_experiment_without_a_file_goes_where_its_protocol_says():
    assert default_folder(experiment("success")) == Path("runs/conversation")
