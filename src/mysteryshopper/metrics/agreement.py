"""How far raters agree beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import ConfigError, DataError, Estimate
from mysteryshopper.metrics.checks import same_length
from mysteryshopper.metrics.intervals import NOTHING, around, proportion

Scale = Literal["nominal", "ordinal", "interval"]

Floats = NDArray[np.float64]


def raw_agreement(
    a: Sequence[Hashable], b: Sequence[Hashable], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """Estimate the share of items on which two raters say the same; items that one did not rate (None) are left out."""
    same_length(a, b, "the two raters' labels")
    pairs = zip(a, b, strict=True)
    return proportion([None if x is None or y is None else x == y for x, y in pairs], clusters, level)


def cohen_kappa(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate Cohen's kappa (1960) of two raters: (observed - chance agreement) / (1 - chance agreement).

    The interval is a cluster bootstrap-t over each item's influence on kappa (first order).

    Args:
        a: The first rater's labels; None is not rated, and the item is left out.
        b: The second rater's.
        clusters: The cluster of each item.
        level: Confidence level.
        seed: Seed of the bootstrap.

    Returns:
        Kappa; None where both raters give one and the same label throughout, as no agreement beyond chance is possible.

    Raises:
        DataError: The raters did not label equally many items.
    """
    same_length(a, b, "the two raters' labels")
    rated = [place for place, pair in enumerate(zip(a, b, strict=True)) if None not in pair]
    n = len(rated)
    if not n:
        return Estimate(None, level=level, reason=NOTHING)
    share_a, share_b = (
        {label: count / n for label, count in Counter(side[place] for place in rated).items()} for side in (a, b)
    )
    observed = sum(a[place] == b[place] for place in rated) / n
    chance = sum(share * share_b.get(label, 0.0) for label, share in share_a.items())
    if len(share_a.keys() | share_b.keys()) == 1:
        return Estimate(None, n=n, level=level, reason="both raters give one label only, so chance alone agrees fully")
    kappa = (observed - chance) / (1 - chance)
    influence = [
        kappa
        + ((a[place] == b[place]) - observed) / (1 - chance)
        - (1 - observed) / (1 - chance) ** 2 * (share_b.get(a[place], 0.0) + share_a.get(b[place], 0.0) - 2 * chance)
        for place in rated
    ]
    return around(kappa, influence, None if clusters is None else [clusters[place] for place in rated], n, level, seed)


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable]],
    scale: Scale = "nominal",
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate Krippendorff's alpha: 1 - observed / expected disagreement (Krippendorff, 2011).

    The interval is a cluster bootstrap-t over the units' jackknife pseudo-values.

    Args:
        ratings: One row a unit, with the values its raters gave, None where one is missing; rows may differ in length.
            Units with fewer than two values say nothing and are left out.
        scale: How far apart values are: `nominal` (equal or not), `ordinal` (ranks between them) or `interval` (squared
            difference). The latter two take numbers.
        clusters: The cluster of each unit.
        level: Confidence level.
        seed: Seed of the bootstrap.

    Returns:
        Alpha, 1 at most; `n` counts units with two values or more. None where all values are equal.

    Raises:
        ConfigError: The scale is none of these.
        DataError: Values of an ordinal or interval scale are no finite numbers.
    """
    if scale not in ("nominal", "ordinal", "interval"):
        raise ConfigError(f"unknown scale {scale!r}; take nominal, ordinal or interval", key="scale")
    if clusters is not None:
        same_length(ratings, clusters, "units and clusters")
    rows = [[value for value in row if value is not None] for row in ratings]
    paired = [place for place, row in enumerate(rows) if len(row) > 1]
    if not paired:
        return Estimate(None, level=level, reason="no unit has two ratings")
    values = _ordered({value for place in paired for value in rows[place]}, scale)
    if len(values) == 1:
        return Estimate(None, n=len(paired), level=level, reason="all ratings are equal, so chance alone agrees fully")
    columns = {value: column for column, value in enumerate(values)}
    counts = np.zeros((len(paired), len(values)))
    for row, place in enumerate(paired):
        for value in rows[place]:
            counts[row, columns[value]] += 1
    numbers = np.array(values if scale == "interval" else [0.0] * len(values), dtype=float)
    alpha = _alpha(counts, scale, numbers)
    n = len(paired)
    pseudo = [n * alpha - (n - 1) * without for without in _without_each(counts, scale, numbers)]
    named = None if clusters is None else [clusters[place] for place in paired]
    return around(alpha, pseudo, named, n, level, seed)


def _ordered(values: set[Hashable], scale: Scale) -> list[Hashable]:
    if scale == "nominal":
        return sorted(values, key=repr)
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in values):
        raise DataError(f"An {scale} scale takes finite numbers, but some ratings are none; take scale nominal.")
    return sorted(values)  # type: ignore[type-var]


def _alpha(counts: Floats, scale: Scale, numbers: Floats) -> float:
    """Return alpha from how often each unit (row) got each value (column); 1 where no disagreement was possible."""
    return _from_tables(_pairs_within(counts), counts.sum(axis=0), scale, numbers)


def _without_each(counts: Floats, scale: Scale, numbers: Floats) -> Iterator[float]:
    """Yield alpha without each unit in turn."""
    pairs, totals = _pairs_within(counts), counts.sum(axis=0)
    for row in counts:
        yield _from_tables(pairs - _pairs_within(row[None, :]), totals - row, scale, numbers)


def _pairs_within(counts: Floats) -> Floats:
    """Return how often each two values meet in a unit, a unit of m values counting as m (the coincidence matrix)."""
    weighted = counts / (counts.sum(axis=1) - 1)[:, None]
    table: Floats = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    return table


def _from_tables(pairs: Floats, totals: Floats, scale: Scale, numbers: Floats) -> float:
    apart = _apart(totals, scale, numbers)
    expected = float(totals @ apart @ totals)
    return 1 - float((pairs * apart).sum()) * float(totals.sum() - 1) / expected if expected > 0 else 1.0


def _apart(totals: Floats, scale: Scale, numbers: Floats) -> Floats:
    """Return the squared distance of every two values."""
    if scale == "nominal":
        return 1.0 - np.eye(len(totals))
    points = numbers if scale == "interval" else np.cumsum(totals) - totals / 2
    squared: Floats = (points[:, None] - points[None, :]) ** 2
    return squared
