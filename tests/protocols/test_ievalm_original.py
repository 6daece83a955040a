"""The reference systems of iEvaLM's original setting give exactly the rows that were computed apart from this code."""

from pathlib import Path

import pytest

from mysteryshopper.experiment import run

EXAMPLES = Path(__file__).parents[2] / "examples"
KS = (1, 10, 25, 50)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def row(done, name, system):
    return [
        round(done.metric(f"{name}@{k}", system=system, setting="original", leaks="all").estimate.value, 4) for k in KS
    ]


@pytest.mark.slow
def test_redial_rows_are_exact(tmp_path, shared_data, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("redial").parent))
    done = run(EXAMPLES / "redial-original.yaml", tmp_path / "run")
    assert done.exit_code == 0
    assert done.summary["units"]["complete"] == 4 * 3341
    assert row(done, "label_recall", "copy-history") == [0.0516, 0.1029, 0.1029, 0.1029]
    assert row(done, "label_recall", "popularity") == [0.0098, 0.0478, 0.0847, 0.1587]
    assert row(done, "label_recall_expected", "popularity") == [0.0103, 0.0478, 0.0898, 0.1581]
    recall = done.metric("label_recall@1", system="copy-history", leaks="all").estimate
    assert (recall.n, recall.clusters, recall.method) == (4499, 1318, "wilson at effective n, clustered")
    assert recall.low < recall.value < recall.high
    assert done.metric("turns_with_target_in_history", system="lexical").estimate.value == 417
    clean = done.metric("any_hit@1", system="copy-history", leaks="free").estimate
    assert (clean.value, clean.n) == (0.0, 2924)  # who only repeats scores by leaks alone
    assert done.metric("label_recall@1", system="copy-history", leaks="free").estimate.n == 3805
    assert done.metric("hits_from_leaks@1", system="copy-history").estimate.value == 1.0
    assert done.metric("labels_outside_catalogue", system="lexical").estimate.value == 0
    assert {metric.group["system"] for metric in done.metrics if metric.control} == {
        "copy-history",
        "popularity",
        "random",
    }


@pytest.mark.slow
def test_opendialkg_rows_are_exact_and_the_label_without_entity_is_counted_apart(tmp_path, shared_data, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("opendialkg").parent))
    done = run(EXAMPLES / "opendialkg-original.yaml", tmp_path / "run")
    assert row(done, "label_recall", "copy-history") == [0.3275, 0.3418, 0.3418, 0.3418]
    assert row(done, "label_recall", "popularity") == [0.0024, 0.0309, 0.0634, 0.1134]
    assert done.metric("label_recall@1", system="popularity", leaks="all").estimate.n == 1261
    outside = done.metric("labels_outside_catalogue", system="popularity").estimate
    assert (outside.value, outside.n) == (1, 1262)
    assert done.metric("turns_with_target_in_history", system="popularity").estimate.value == 424
    clean = done.metric("label_recall@1", system="copy-history", leaks="free").estimate
    assert (clean.value, clean.n) == (0.0, 775 - 1)  # the label without an entity is one of a turn without a leak
    leaky = done.metric("leaky_units", system="popularity", leak="any").estimate
    assert leaky.n - leaky.value == 764
