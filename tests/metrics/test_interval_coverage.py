"""Do intervals hold the truth as often as they say? Simulated worlds with a known truth; and what intervals cost."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from mysteryshopper.metrics import mean, proportion

LEAST = 0.92
WORLDS = 600
"""At least this many, which tell a coverage to one or two parts in a hundred; more where they are cheap."""


def sizes_of(random, clusters, shape):
    if shape == "equal":
        return np.full(clusters, 4)
    if shape == "geometric":
        return random.geometric(1 / 4, clusters)
    return np.maximum(1, np.round(random.lognormal(math.log(3), 0.8, clusters))).astype(int)


def shares_in_clusters(random, clusters, shape, share, correlation):
    """Answers whose clusters differ: correlation within a cluster as given (beta-binomial)."""
    sizes = sizes_of(random, clusters, shape)
    spread = (1 - correlation) / correlation
    chances = random.beta(share * spread, (1 - share) * spread, clusters)
    names = np.repeat(np.arange(clusters), sizes)
    return (random.random(len(names)) < chances[names]).astype(float).tolist(), names.tolist()


def normal(random, names):
    return random.normal(0, 1, names.max() + 1)[names] + random.normal(0, 1, len(names))


def skewed(random, names):
    return random.lognormal(0, 0.7, names.max() + 1)[names] * random.lognormal(0, 0.5, len(names))


def counts(random, names):
    return random.poisson(random.gamma(1, 2, names.max() + 1)[names]).astype(float)


TRUTHS = {normal: 0.0, skewed: math.exp(0.49 / 2 + 0.25 / 2), counts: 2.0}


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["equal", "geometric", "lognormal"])
@pytest.mark.parametrize(
    ("clusters", "share", "correlation"),
    [(12, 0.5, 0.3), (20, 0.1, 0.1), (20, 0.3, 0.6), (40, 0.9, 0.3), (100, 0.1, 0.3), (100, 0.5, 0.05)],
)
def test_clustered_shares_are_covered(shape, clusters, share, correlation):
    random = np.random.default_rng(20)
    covered = 0
    for _ in range(WORLDS):
        found = proportion(*shares_in_clusters(random, clusters, shape, share, correlation))
        covered += found.low <= share <= found.high
    assert covered / (WORLDS) >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["equal", "geometric"])
@pytest.mark.parametrize(
    ("world", "clusters"),
    [(normal, 12), (normal, 40), (skewed, 100), (counts, 20), (counts, 40)],
)
def test_clustered_means_are_covered(shape, world, clusters):
    random = np.random.default_rng(40)
    worlds = max(WORLDS, min(2000, 50_000 // clusters))
    covered = 0
    for _ in range(worlds):
        names = np.repeat(np.arange(clusters), sizes_of(random, clusters, shape))
        found = mean(world(random, names).tolist(), names.tolist())
        covered += found.low <= TRUTHS[world] <= found.high
    assert covered / worlds >= LEAST


@pytest.mark.slow
def test_ignoring_clusters_would_not_do():
    """The check above can fail: the same worlds, taken for independent answers."""
    random = np.random.default_rng(20)
    covered = 0
    for _ in range(WORLDS):
        values, _ = shares_in_clusters(random, 40, "geometric", 0.5, 0.3)
        found = proportion(values)
        covered += found.low <= 0.5 <= found.high
    assert covered / WORLDS < 0.85


@pytest.mark.slow
def test_a_table_of_sixty_four_metrics_takes_about_a_second():
    """As many labels and dialogues as ReDial's test part has; CPU time, as the machine may be busy."""
    random = np.random.default_rng(0)
    names = np.concatenate([np.arange(1318), random.integers(0, 1318, 4499 - 1318)]).tolist()
    ranks = (1 / random.integers(1, 200, 4499)).tolist()
    hits = [float(value > 0.1) for value in ranks]
    start = time.process_time()
    for _ in range(32):
        mean(ranks, names)
        proportion(hits, names)
    assert time.process_time() - start < 2
