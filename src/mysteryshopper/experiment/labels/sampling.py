"""Which cases people are asked about: a stratified sample, spread over clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from mysteryshopper.core import Case, Criterion, ShopperError, Store, digest, unknown
from mysteryshopper.judges.observing import place_of
from mysteryshopper.judges.showing import look_equal

Kind = Literal["pair", "one"]

_EXHIBITS: Mapping[Kind, int] = {"pair": 2, "one": 1}
_TOLD = ("depth", "noise")  # what protocols tell cases apart by, beside user and systems


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged case that a sheet may hold.

    Attributes:
        case: Its id.
        stratum: User, systems, depth, noise: what a sample shall hold in the run's proportions.
        cluster: Its cluster.
        rank: Its place in a seeded order.
    """

    case: str
    stratum: tuple[str, ...]
    cluster: str
    rank: str


def judged_cases(store: Store, kind: Kind) -> Iterator[Case]:
    """Yield every judged case of a kind once, with the criteria of all its judges.

    Controls are left out, and so are pairs that look the same: judges were not asked about them either.
    """
    for _, found in groupby(store.verdicts(), key=lambda stored: stored.case.id):
        cases = [stored.case for stored in found]
        case = cases[0]
        if case.control or len(case.exhibits) != _EXHIBITS[kind] or (kind == "pair" and look_equal(case.exhibits)):
            continue
        criteria = {criterion.name: criterion for one in reversed(cases) for criterion in one.criteria}
        first = {criterion.name: criteria[criterion.name] for criterion in case.criteria}
        yield Case(
            case.id,
            case.unit,
            case.exhibits,
            tuple({**first, **criteria}.values()),
            case.context,
            case.data,
            case.control,
            case.address,
        )


def candidates(store: Store, kind: Kind, seed: int) -> tuple[list[Candidate], dict[str, Criterion]]:
    """Return all cases that a sheet may hold, and the criteria they were judged on, in order."""
    found: list[Candidate] = []
    criteria: dict[str, Criterion] = {}
    for case in judged_cases(store, kind):
        user, systems, cluster = place_of(case)
        stratum = (user, *sorted(systems), *(f"{key} {case.data[key]}" for key in _TOLD if key in case.data))
        found.append(Candidate(case.id, stratum, cluster, digest(seed, case.id)))
        for criterion in case.criteria:
            criteria.setdefault(criterion.name, criterion)
    return found, criteria


def choose(found: Sequence[Candidate], count: int) -> list[str]:
    """Return the ids of a stratified sample: every stratum by its share, of as many clusters as can be.

    Places are dealt by largest remainder; equal remainders go to the smaller stratum first. In a stratum the next case
    is of the cluster that has given fewest so far, then first in the seeded order.
    """
    count = min(count, len(found))
    sizes = Counter(one.stratum for one in found)
    places = _dealt(sizes, count)
    given: Counter[str] = Counter()
    chosen: list[str] = []
    for stratum in sorted(places):
        open_ = [one for one in found if one.stratum == stratum]
        for _ in range(places[stratum]):
            best = min(open_, key=lambda one: (given[one.cluster], one.rank))
            open_.remove(best)
            given[best.cluster] += 1
            chosen.append(best.case)
    return chosen


def chosen_criteria(known: Mapping[str, Criterion], named: Sequence[str]) -> list[Criterion]:
    """Return the criteria that were asked for; by default `overall`, or else the first.

    Raises:
        ShopperError: No judge ruled on one of that name.
    """
    for name in named:
        if name not in known:
            raise ShopperError(unknown("criterion that was judged", name, known))
    names = list(dict.fromkeys(named)) or (["overall"] if "overall" in known else list(known)[:1])
    return [known[name] for name in names]


def _dealt(sizes: Mapping[tuple[str, ...], int], count: int) -> dict[tuple[str, ...], int]:
    total = sum(sizes.values()) or 1
    exact = {stratum: count * size / total for stratum, size in sizes.items()}
    places = {stratum: int(share) for stratum, share in exact.items()}
    order = sorted(sizes, key=lambda stratum: (places[stratum] - exact[stratum], sizes[stratum], stratum))
    for stratum in order[: count - sum(places.values())]:
        places[stratum] += 1
    return places
