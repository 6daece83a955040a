"""What `ranking-consistency` measures: every two rankings by each score, the rankings themselves, and their limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.metrics import mean, proportion
from mysteryshopper.protocols.ranking_consistency.correlating import (
    correlations,
    rank_estimate,
    same_best,
    smallest_p,
    spearman_step,
)
from mysteryshopper.protocols.ranking_consistency.rankings import Draws, Ranked, Resampled
from mysteryshopper.protocols.ranking_consistency.words import DEFINITIONS

Found = Mapping[str, Mapping[str, Ranked]]
"""Conditions by score, then by their names."""

_PREFERRED = ("success", "user_rating", "overall")
_TWICE = "both give every system the same values with the same people: this is one ranking twice"
_FEW = " With {n} systems it moves in steps of {step:.3g}, and the smallest p that can be reached is {p:.3g}."


def choose_scores(found: Found, asked: Sequence[str]) -> list[str]:
    """Return the scores that systems are ranked by, whether there are any such or not."""
    if asked:
        return list(dict.fromkeys(asked))
    preferred = [name for name in _PREFERRED if name in found]
    return preferred or [name for name, conditions in found.items() if _has_direction(conditions)][:1]


@dataclass(frozen=True, slots=True)
class Terms:
    """How rankings are made.

    Attributes:
        controls: Systems that are controls.
        rank_controls: They are ranked, too.
        draws: Resamples.
        seed: Draws them.
        values: The means that rankings rest on are told, too.
    """

    controls: Collection[str]
    rank_controls: bool
    draws: int
    seed: int
    values: bool = False


def measure_rankings(found: Found, scores: Sequence[str], terms: Terms) -> tuple[list[Metric], list[Metric]]:
    """Return the correlations of every two rankings by each score, and the rankings.

    Two rankings are of the systems that both have values for, controls left out unless they are wanted. A score that is
    not there gives one undefined number that says which there are.

    Args:
        found: Scores.
        scores: Those to rank by.
        terms: How rankings are made.
    """
    correlated: list[Metric] = []
    rankings: list[Metric] = []
    for score in scores:
        if score not in found:
            known = ", ".join(found) or "none"
            reason = f"no score of this name came about under two users, judges or runs; there are {known}"
            correlated.append(_metric("rank_spearman", {"score": score}, Estimate(None, reason=reason)))
            continue
        conditions = list(found[score].values())
        sampled = Draws([name for one in conditions for name in one.clusters.values()], terms.draws, terms.seed)
        systems = [
            [name for name in one.values if terms.rank_controls or name not in terms.controls] for one in conditions
        ]
        correlated += _pairs(score, conditions, systems, sampled)
        for one, names in zip(conditions, systems, strict=True):
            if names:
                rankings += _ranking(score, one, sampled.of(one, names))
                rankings += _values(score, one, terms.controls) if terms.values else ()
    return correlated, rankings


def _pairs(
    score: str, conditions: Sequence[Ranked], systems: Sequence[Sequence[str]], sampled: Draws
) -> Iterator[Metric]:
    counts: dict[int, None] = {}
    spearmans: list[Estimate] = []
    later: list[Metric] = []
    for (first, names), (second, others) in combinations(zip(conditions, systems, strict=True), 2):
        both = [name for name in names if name in others]
        counts[len(both)] = None
        group = {"score": score, "first": first.name, "second": second.name}
        if not both:
            none = Estimate(None, reason="they have no system in common")
            yield _metric("rank_spearman", group, none)
            continue
        sides = sampled.of(first, both), sampled.of(second, both)
        same = all(first.by_cluster(system) == second.by_cluster(system) for system in both)
        for name, estimate in correlations(*sides).items():
            estimate = replace(estimate, reason=_TWICE) if same and estimate.value is not None else estimate
            yield _metric(name, group, estimate, _few(len(both)) if name == "rank_spearman" else "")
            if name == "rank_spearman" and estimate.value is not None:
                spearmans.append(estimate)
        later.append(_metric("same_best", group, same_best(*sides)))
    yield from later
    if len(spearmans) > 1:
        least = min(spearmans, key=lambda one: one.value or 0.0)
        reason = "the lowest of several has no interval of its own"
        told = Estimate(least.value, n=len(spearmans), clusters=least.clusters, reason=reason)
        yield _metric("least_spearman", {"score": score}, told)
    for count in counts:
        if count > 1:
            of = {"score": score, "systems": str(count)}
            yield _metric("spearman_step", of, Estimate(spearman_step(count), n=count, method="exact"))
            yield _metric("smallest_p", of, Estimate(smallest_p(count), n=count, method="exact"))


def _ranking(score: str, ranked: Ranked, side: Resampled) -> Iterator[Metric]:
    where = {"score": score, "under": ranked.name}
    tied = sum(float((side.means == value).sum()) > 1 for value in side.means)
    count = Estimate(float(tied), n=len(side.systems), method="count")
    yield _metric("tied_systems", where, count)
    for place, system in enumerate(side.systems):
        yield replace(_metric("rank", {**where, "system": system}, rank_estimate(side, place)), better="lower")


def _values(score: str, ranked: Ranked, controls: Collection[str]) -> Iterator[Metric]:
    for system, units in ranked.values.items():
        given, clusters = list(units.values()), [ranked.clusters[unit] for unit in units]
        is_share = all(value in (0, 1) for value in given)
        found = proportion(given, clusters) if is_share else mean(given, clusters)
        group = {"score": score, "under": ranked.name, "system": system}
        yield replace(_metric("ranked_value", group, found), control=system in controls, better=ranked.better)


def _few(systems: int) -> str:
    step = spearman_step(systems)
    return "" if step is None else _FEW.format(n=systems, step=step, p=smallest_p(systems))


def _metric(name: str, group: Mapping[str, str], estimate: Estimate, more: str = "") -> Metric:
    return Metric(name, group, estimate, DEFINITIONS[name] + more)


def _has_direction(conditions: Mapping[str, Ranked]) -> bool:
    return any(one.better is not None for one in conditions.values())
