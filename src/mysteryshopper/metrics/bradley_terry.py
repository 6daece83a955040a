"""Bradley-Terry: strengths from pairs, with ties as half wins, light regularisation and intervals by cluster."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mysteryshopper.core import DataError, Estimate
from mysteryshopper.metrics.resampling import FEWEST_CLUSTERS

PRIOR = 0.1
"""Drawn games that each player is given against an average one, so that every fit is finite (our policy)."""

_DRAWS = 999
_ROUNDS = 200
_CLOSE = 1e-10
_METHOD = "bradley-terry, percentiles of resampled clusters"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Game:
    """What one cluster says of one pair.

    Attributes:
        first: One player.
        second: The other.
        points: Share of the game that goes to the first, 0 to 1; a tie is 0.5.
        cluster: What makes games depend on each other (a root); games of one pair in one cluster count as their mean.
    """

    first: str
    second: str
    points: float
    cluster: Hashable


@dataclass(frozen=True, slots=True)
class Ranking:
    """How players stand.

    Attributes:
        strengths: By player, in log-odds with mean 0: a wins against b with odds exp(strength a - strength b). Their
            value is None with the reason where games do not determine them; then ranks are all that can be said.
        ranks: By player, 1 for the strongest; equal strengths share their mean rank. None with the reason where some
            players never met, even by way of others.
    """

    strengths: Mapping[str, Estimate]
    ranks: Mapping[str, Estimate]


def bradley_terry(games: Iterable[Game], level: float = 0.95, seed: int = 0, prior: float = PRIOR) -> Ranking:
    """Fit the model of Bradley and Terry (1952) by Newton's method with bounded steps.

    A tie is half a win for each. Regularisation: each player also draws `prior` games with an average one. Strengths
    exist without it only if every group of players took something from the rest (Ford, 1957); where they do not,
    the strengths are a product of the regularisation and are withheld, and only the order is told.

    Args:
        games: All games.
        level: Confidence level.
        seed: Seed of the draws.
        prior: Drawn games against an average player.

    Returns:
        Strengths and ranks of all players that occur, sorted by name, with percentile intervals over resampled
        clusters; none under 10 clusters. Empty for no games.

    Raises:
        DataError: Points lie outside [0, 1].
    """
    names, tables = _tables(games)
    if not names:
        return Ranking({}, {})
    whole = tables.sum(axis=0)
    values = _fit(whole[None], prior)[0]
    drawn = _resampled(tables, prior, seed) if len(tables) >= FEWEST_CLUSTERS else None
    few = "" if drawn is not None else f"too few clusters for an interval: {len(tables)}, at least 10 are needed"
    parts = _parts(whole + whole.T)
    apart = "" if len(parts) == 1 else "these systems never met, not even by way of others: " + _listed(names, parts)
    groups = _parts(whole, strongly=True)
    loose = (
        ""
        if len(groups) == 1
        else "the games separate the systems, so only their order can be told: " + _listed(names, groups)
    )
    strengths: dict[str, Estimate] = {}
    ranks: dict[str, Estimate] = {}
    of_draws = None if drawn is None else _ranks(drawn)
    for place, name in enumerate(names):
        blank = Estimate(None, n=round(float((whole + whole.T)[place].sum())), clusters=len(tables), level=level)
        strengths[name] = _filled(blank, values[place], drawn, place, apart or loose, few)
        ranks[name] = _filled(blank, _ranks(values[None])[0, place], of_draws, place, apart, few)
    return Ranking(strengths, ranks)


def _filled(blank: Estimate, value: float, drawn: Floats | None, place: int, withheld: str, few: str) -> Estimate:
    if withheld:
        return replace(blank, reason=withheld)
    if drawn is None:
        return replace(blank, value=float(value), reason=few)
    tail = (1 - blank.level) / 2
    low, high = np.quantile(drawn[:, place], [tail, 1 - tail])
    return replace(
        blank,
        value=float(value),
        low=min(float(low), float(value)),
        high=max(float(high), float(value)),
        method=_METHOD,
    )


def _tables(games: Iterable[Game]) -> tuple[list[str], Floats]:
    """Return the players, and for each cluster a table of points: row against column."""
    found: dict[Hashable, dict[tuple[str, str], list[float]]] = {}
    for game in games:
        if not 0 <= game.points <= 1:
            raise DataError(f"{game.points:g} are no points of a game: they lie from 0 to 1.")
        if game.first != game.second:
            first, second = sorted((game.first, game.second))
            points = game.points if first == game.first else 1 - game.points
            found.setdefault(game.cluster, {}).setdefault((first, second), []).append(points)
    names = sorted({name for pairs in found.values() for pair in pairs for name in pair})
    tables = np.zeros((len(found), len(names), len(names)))
    for table, pairs in zip(tables, found.values(), strict=True):
        for (first, second), gained in pairs.items():
            one, other = names.index(first), names.index(second)
            table[one, other] = sum(gained) / len(gained)
            table[other, one] = 1 - table[one, other]
    return names, tables[np.lexsort(tables.reshape(len(tables), -1).T)] if len(tables) else tables


def _fit(tables: Floats, prior: float) -> Floats:
    """Return the strengths of each table of points (tables by players), in log-odds with mean 0."""
    met = tables + tables.transpose(0, 2, 1)
    points = tables.sum(axis=2) + prior / 2
    players = points.shape[1]
    fixed = np.ones((players, players)) if prior == 0 else 0.0  # without a prior, only differences are determined
    logs = np.zeros(points.shape)
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(logs[:, None, :] - logs[:, :, None]))
        average = 1 / (1 + np.exp(-logs))
        gradient = points - (met * chances).sum(axis=2) - prior * average
        weights = met * chances * (1 - chances)
        curvature = -weights + fixed
        diagonal = weights.sum(axis=2) + prior * average * (1 - average)
        curvature[:, range(players), range(players)] += diagonal
        step = np.clip(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0], -1.0, 1.0)
        logs = logs + step
        if float(np.abs(step).max()) < _CLOSE:
            break
    centred: Floats = logs - logs.mean(axis=1, keepdims=True)
    return centred


def _resampled(tables: Floats, prior: float, seed: int) -> Floats:
    """Return the strengths of tables made of clusters drawn with replacement, one row a draw."""
    count, players, _ = tables.shape
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=_DRAWS)
    drawn = (weights @ tables.reshape(count, -1)).reshape(_DRAWS, players, players)
    return _fit(drawn, max(prior, PRIOR))  # a draw may separate the players though the whole does not


def _ranks(strengths: Floats) -> Floats:
    """Return ranks by row, 1 for the largest; equals (to rounding) share their mean rank."""
    rounded = np.round(strengths, 7)
    above = (rounded[:, None, :] > rounded[:, :, None]).sum(axis=2)
    equal = (rounded[:, None, :] == rounded[:, :, None]).sum(axis=2)
    ranks: Floats = above + (equal + 1) / 2
    return ranks


def _parts(table: Floats, *, strongly: bool = False) -> list[list[int]]:
    """Return the groups of players that are connected by their games; strongly: by points taken in both directions."""
    from scipy.sparse.csgraph import connected_components  # here, not above: scipy takes long to import

    count, labels = connected_components(table > 0, directed=strongly, connection="strong")
    return [[place for place, label in enumerate(labels) if label == part] for part in range(count)]


def _listed(names: Sequence[str], groups: Sequence[Sequence[int]]) -> str:
    return " | ".join(sorted(", ".join(names[place] for place in group) for group in groups))
