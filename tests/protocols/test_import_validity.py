"""Judge validity: correlations with intervals that know about clusters, and the real figures on CRS Arena."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mysteryshopper import Experiment, run
from mysteryshopper.core import DataError
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.metrics import pearson
from mysteryshopper.protocols.imported_correlations import correlate

EXAMPLE = Path(__file__).parents[2] / "examples" / "crs-arena-import.yaml"
RNG = np.random.default_rng(11)
X = RNG.integers(0, 6, 90).astype(float)
Y = X + RNG.normal(0, 2, 90).round(0)
PEOPLE = [f"p{place // 2}" for place in range(90)]
BY_SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_the_interval_is_that_of_a_jackknife_over_clusters(statistic):
    found = correlate(statistic, X, Y, PEOPLE)
    assert found.value == pytest.approx(BY_SCIPY[statistic](X, Y).statistic)
    assert (found.n, found.clusters) == (90, 45)
    left_out = []
    for person in dict.fromkeys(PEOPLE):
        stays = [name != person for name in PEOPLE]
        left_out.append(math.atanh(BY_SCIPY[statistic](X[stays], Y[stays]).statistic))
    error = math.sqrt(44 / 45 * sum((z - np.mean(left_out)) ** 2 for z in left_out))
    half = stats.t.ppf(0.975, 44) * error
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + half))


def test_without_clusters_it_is_the_plain_interval():
    alone = [str(place) for place in range(90)]
    found, plain = correlate("pearson", X, Y, alone), pearson(X, Y)
    assert (found.low, found.high, found.method) == (plain.low, plain.high, plain.method)


def test_pairs_doubled_within_people_widen_the_interval_back():
    """Every pair twice tells nothing new: the interval must be about that of the pairs alone."""
    twice = correlate("pearson", [*X, *X], [*Y, *Y], [str(place) for place in range(90)] * 2)
    plain, naive = pearson(X, Y), pearson([*X, *X], [*Y, *Y])
    assert twice.high - twice.low == pytest.approx(plain.high - plain.low, rel=0.15)
    assert twice.high - twice.low > 1.2 * (naive.high - naive.low)


def test_few_clusters_and_kendall_have_no_interval_and_say_why():
    few = correlate("pearson", X, Y, [f"p{place % 9}" for place in range(90)])
    assert (few.low, few.high) == (None, None)
    assert "too few clusters for an interval: 9" in few.reason
    tau = correlate("kendall", X, Y, PEOPLE)
    assert tau.value == pytest.approx(stats.kendalltau(X, Y).statistic)
    assert (tau.low, tau.reason) == (None, "no interval for clustered pairs")
    assert correlate("pearson", [1.0] * 90, Y, PEOPLE).reason == "one side is constant"


def test_a_wrong_length_is_an_error():
    with pytest.raises(DataError):
        correlate("pearson", [1.0], [1.0, 2.0], ["a"])


# --- the real figures ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arena(shared_data, tmp_path_factory):
    """Run the example as it is; return the run, and the rules judge's own values by dialogue and criterion."""
    root = shared_data("crs_arena", "eval_human_aspects.jsonl.gz").parent.parent
    shared_data("redial", "kg"), shared_data("opendialkg", "kg")
    folder = tmp_path_factory.mktemp("arena")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYSTERYSHOPPER_DATA", str(root))
        patch.setenv("MYSTERYSHOPPER_CACHE", str(folder / "cache"))
        done = run(Experiment.load(EXAMPLE), folder / "run")
        dialogues = {dialogue.id: dialogue for dialogue in load(DataBlock(name="crs-arena")).dialogues()}
    _, store = open_run(folder / "run")
    values = {}
    for verdict in store.verdicts():
        dialogue = dialogues[verdict.case.unit.partition("|")[0]]
        for ruling in verdict.verdict.rulings:
            if ruling.value is not None:
                values.setdefault(ruling.criterion, []).append((dialogue, ruling.node, ruling.value))
    store.close()
    return done, values


def figure(done, name, **group):
    (metric,) = [
        metric for metric in done.metrics if metric.name == name and {**metric.group, **group} == dict(metric.group)
    ]
    return metric


@pytest.mark.slow
def test_all_467_dialogues_are_there(arena):
    done, values = arena
    assert done.summary["units"]["complete"] == 467
    assert sum(m.estimate.value for m in done.metrics if m.name == "dialogues") == 467
    assert len(values["readability"]) == 467


@pytest.mark.slow
@pytest.mark.parametrize("label", ["task_completion", "dialog_overall"])
@pytest.mark.parametrize(
    ("criterion", "part"),
    [("overall", "all"), ("overall", "redial"), ("overall", "opendialkg"), ("question_answered", "all")],
)
def test_dialogue_figures_are_what_scipy_gives(arena, label, criterion, part):
    done, values = arena
    pairs = [
        (value, dialogue.labels[label]) for dialogue, _, value in values[criterion] if part in ("all", dialogue.part)
    ]
    x, y = zip(*pairs, strict=True)
    for name in ("pearson", "spearman", *(["kendall"] if part == "all" else [])):
        found = figure(
            done, f"judge_{name}", judge="rules", criterion=criterion, label=label, part=part, level="dialogue"
        ).estimate
        assert found.value == pytest.approx(BY_SCIPY[name](x, y).statistic)
        assert found.n == len(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("label", ["relevance", "interestingness"])
def test_turn_figures_are_what_scipy_gives(arena, label):
    done, values = arena
    pairs = []
    for dialogue, node, value in values["turn_answered"]:
        marks = dialogue.message_labels[node.count(".")]  # one message a turn in these dialogues
        if label in marks:
            pairs.append((value, marks[label]))
    x, y = zip(*pairs, strict=True)
    found = figure(
        done, "judge_pearson", judge="rules", criterion="turn_answered", label=label, part="all", level="turn"
    ).estimate
    assert found.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found.n == len(pairs) > 1800


@pytest.mark.slow
def test_published_judges_stand_beside_as_their_file_says(arena, shared_data):
    done, _ = arena
    figures = json.loads(shared_data("crs_arena", "eval_llm_judge_baselines.json").read_text())
    metric = figure(done, "judge_pearson", judge="G-Eval (published)", label="task_completion", part="redial")
    assert metric.control
    assert metric.estimate.value == figures["CRSArena-Eval_RD"]["G-Eval"]["task_completion"]["pearson_r"]
    assert (metric.estimate.low, metric.estimate.method) == (None, "published")


def written(estimate):
    """Return a figure as the documentation writes it."""
    return "{} [{}, {}]".format(
        *(f"{number:.2f}".replace("0.", ".", 1) for number in (estimate.value, estimate.low, estimate.high))
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", ["redial", "opendialkg"])
def test_the_documentation_has_these_figures(arena, part):
    done, _ = arena
    text = (EXAMPLE.parents[1] / "docs" / "protocols" / "import.md").read_text(encoding="utf-8")
    cells = []
    for label in ("task_completion", "dialog_overall"):
        both = [
            figure(done, f"judge_{name}", judge="rules", criterion="overall", label=label, part=part).estimate
            for name in ("pearson", "spearman")
        ]
        cells.append(" / ".join(written(estimate) for estimate in both))
    assert f"| `rules`, criterion `overall` | {cells[0]} | {cells[1]} |" in text
    turns = [
        figure(done, "judge_pearson", judge="rules", criterion="turn_answered", label=label, part=part).estimate
        for label in ("relevance", "interestingness")
    ]
    assert f"criterion `turn_answered` | {written(turns[0])} | {written(turns[1])} |" in text
