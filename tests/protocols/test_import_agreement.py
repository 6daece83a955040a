"""People's votes on imported dialogues: their own agreement, and judges held against their majority."""

from pathlib import Path

import pytest
import yaml

from mysteryshopper import Experiment, run
from mysteryshopper.protocols.imported_agreement import measure_agreement
from mysteryshopper.protocols.imported_validity import Judged, Labelled

EXAMPLE = Path(__file__).parents[2] / "examples" / "uss-import.yaml"


def found(metrics, name, **group):
    (one,) = [m for m in metrics if m.name == name and all(m.group.get(key) == value for key, value in group.items())]
    return one


def judged(values, scale=(0.0, 1.0), criterion="overall", nodes=None):
    given = Judged()
    for place, value in enumerate(values):
        given.values["rules", criterion, f"d{place}", nodes[place] if nodes else ""] = [value]
    given.scales["rules", criterion] = scale
    given.by_turn = {("rules", criterion)} if nodes else set()
    return given


def test_a_judges_scale_is_stretched_to_peoples_and_rounded_there():
    """0, .2, .5 and 1 of 0 to 1 are 1, 1.8, 3 and 5 of 1 to 5: people's 1, 2, 4 and 5 are met three times of four."""
    labelled = {
        f"d{place}": Labelled(f"d{place}", "", votes={"satisfaction": [vote] * 3})
        for place, vote in enumerate([1.0, 2.0, 4.0, 5.0])
    }
    metrics = list(measure_agreement(judged([0.0, 0.2, 0.5, 1.0]), labelled, {"satisfaction": (1, 5)}))
    agreement = found(metrics, "judge_people_agreement", criterion="overall", level="dialogue")
    assert (agreement.estimate.value, agreement.estimate.n) == (0.75, 4)
    assert "(0 to 1) is stretched to people's (1 to 5)" in agreement.definition
    assert found(metrics, "people_with_others").estimate.value == 1.0
    assert found(metrics, "judge_with_others").estimate.n == 12
    same = list(measure_agreement(judged([1, 2, 4, 5], (1, 5)), labelled, {"satisfaction": (1, 5)}))
    assert "stretched" not in found(same, "judge_people_agreement").definition


def test_criteria_that_mean_something_else_are_not_held_against_the_label():
    labelled = {"d0": Labelled("d0", "", votes={"satisfaction": [1.0, 1.0, 2.0]})}
    metrics = list(measure_agreement(judged([1.0], criterion="length"), labelled, {"satisfaction": (1, 5)}))
    assert {metric.name for metric in metrics} == {
        "people_alpha",
        "people_with_others",
        "people_with_others_kappa",
        "constant_with_others",
    }


def test_of_turns_the_votes_of_the_turn_count_and_clusters_are_dialogues():
    labelled = {
        f"d{place}": Labelled(f"d{place}", "", turn_votes={"0.0": {"satisfaction": [4.0, 4.0, 5.0]}})
        for place in range(3)
    }
    given = judged([4, 4, 1], (1, 5), "turn_answered", ["0.0"] * 3)
    metrics = list(measure_agreement(given, labelled, {"satisfaction": (1, 5)}))
    agreement = found(metrics, "judge_people_agreement", level="turn").estimate
    assert (agreement.value, agreement.n, agreement.clusters) == (pytest.approx(2 / 3), 3, 3)


def test_one_label_of_several_people_stands_for_their_majority_and_tells_nothing_of_people():
    labelled = {f"d{place}": Labelled(f"d{place}", "", {"task": float(place)}) for place in range(3)}
    metrics = list(measure_agreement(judged([0, 1, 1], (0, 2)), labelled, {"task": (0, 2)}))
    assert found(metrics, "judge_people_agreement").estimate.value == pytest.approx(2 / 3)
    assert not any(metric.name.startswith("people") or "others" in metric.name for metric in metrics)


@pytest.mark.slow
def test_people_agree_more_with_each_other_than_the_rules_judge_with_them(shared_data, tmp_path, monkeypatch):
    """The real thing, a hundred dialogues of it; the whole is in docs/protocols/human-agreement.md."""
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("uss", "redial.jsonl.gz").parent.parent))
    content = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    done = run(Experiment.from_dict({**content, "limits": {"units": 100}}), tmp_path / "run")
    people = done.metric("people_with_others", level="dialogue").estimate
    judge = done.metric("judge_with_others", level="dialogue", criterion="overall").estimate
    assert people.n == judge.n > 200
    assert people.low > judge.high
    assert 0 < done.metric("people_alpha", level="turn").estimate.value < 0.5
