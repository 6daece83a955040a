"""Metrics against numbers published for, or computed from, public data."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter

import pytest

from mysteryshopper.metrics import (
    entropy,
    hit_at,
    kendall,
    mean_absolute_error,
    pass_hat,
    pearson,
    proportion,
    spearman,
)


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_entropy_of_titles_people_bring_up(shared_data):
    """Titles nobody suggested, in dialogues with at least three of them, after the first two."""
    titles: Counter[str] = Counter()
    dialogues = 0
    for dialogue in rows(shared_data("redial", "valid_linked.jsonl.gz")):
        form = dialogue["respondentQuestions"] or {}
        mentions = dialogue["movieMentions"]
        brought = [mentions[key] for key, said in form.items() if said["suggested"] == 0 and key in mentions]
        if len(brought) >= 3:
            dialogues += 1
            titles.update(brought[2:])
    assert (dialogues, titles.total(), len(titles)) == (188, 280, 224)
    assert entropy(titles) == pytest.approx(7.6788, abs=5e-5)


@pytest.mark.parametrize(
    ("track", "n", "r", "rho", "cut", "kept", "r_kept"),
    [("behavior", 179, 0.9739, 0.443, 0.75, 164, 0.568), ("recommendation", 196, 0.9252, 0.572, 0.35, 169, 0.252)],
)
def test_a_high_correlation_that_rests_on_failed_runs(shared_data, track, n, r, rho, cut, kept, r_kept):
    lines = table(shared_data("agentsociety", "leaderboards", f"final_{track}.csv"))
    sim, real = ([float(line[name]) for line in lines] for name in ("Score@SIM", "Score@REAL"))
    found = pearson(sim, real)
    assert found.n == n
    assert found.value == pytest.approx(r, abs=5e-5)
    assert spearman(sim, real).value == pytest.approx(rho, abs=5e-4)
    assert kendall(sim, real).value < spearman(sim, real).value
    good = [place for place, line in enumerate(lines) if float(line["Overall Score"]) > cut]
    again = pearson([sim[place] for place in good], [real[place] for place in good])
    assert again.n == kept
    assert again.value == pytest.approx(r_kept, abs=5e-4)


def test_an_agent_that_rarely_works_every_time(shared_data):
    trials: Counter[int] = Counter()
    solved: Counter[int] = Counter()
    for run in rows(shared_data("tau_bench", "historical_trajectories", "gpt-4o-airline.jsonl.gz")):
        trials[run["task_id"]] += 1
        solved[run["task_id"]] += run["reward"] == 1
    assert len(trials) == 50
    means = [sum(pass_hat(trials[task], solved[task], k) for task in trials) / 50 for k in (1, 2, 3, 4)]
    assert means == pytest.approx([0.420, 0.2733, 0.220, 0.200], abs=5e-5)


@pytest.mark.parametrize(
    ("platform", "n", "rates"),
    [
        ("amazon", 388, (0.1856, 0.4149, 0.6340)),
        ("goodreads", 400, (0.2175, 0.4700, 0.6650)),
        ("yelp", 384, (0.1094, 0.2734, 0.4557)),
    ],
)
def test_the_order_as_given_leaks_the_answer(shared_data, platform, n, rates):
    tasks = rows(shared_data("agentsociety", "tasks", f"track2_{platform}.jsonl.gz"))
    for k, rate in zip((1, 3, 5), rates, strict=True):
        found = proportion(
            [hit_at(one["task"]["candidate_list"], [one["groundtruth"]["ground truth"]], k) for one in tasks]
        )
        assert found.n == n
        assert found.value == pytest.approx(rate, abs=5e-5)
        assert found.low > k / 20


@pytest.mark.parametrize(
    ("platform", "star", "score"), [("amazon", 4, 0.8602), ("goodreads", 3, 0.8605), ("yelp", 3, 0.8185)]
)
def test_a_constant_star_scores_high(shared_data, platform, star, score):
    truth = [
        one["groundtruth"]["stars"] for one in rows(shared_data("agentsociety", "tasks", f"track1_{platform}.jsonl.gz"))
    ]
    found = mean_absolute_error([float(star)] * len(truth), truth)
    assert 1 - found.value / 5 == pytest.approx(score, abs=5e-5)
