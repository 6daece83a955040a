"""Which cases people are asked about: a stratified sample, spread over clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from mysteryshopper.core import Case, Criterion, ShopperError, Store, digest, unknown
from mysteryshopper.judges.observing import place_of
from mysteryshopper.judges.showing import look_equal

Kind = Literal["pair", "one"]

_EXHIBITS: Mapping[Kind, int] = {"pair": 2, "one": 1}
_SYSTEMS = "systems"
_TOLD = ("depth", "noise")  # what protocols tell cases apart by, beside user and systems


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged case that a sheet may hold.

    Attributes:
        case: Its id.
        stratum: User, systems, depth, noise: what a sample shall hold in the run's proportions.
        cluster: Its cluster.
        rank: Its place in a seeded order.
        about: Who or what was judged: `systems`, `users` …
        criteria: What it was judged on, by name.
    """

    case: str
    stratum: tuple[str, ...]
    cluster: str
    rank: str
    about: str = "systems"
    criteria: Mapping[str, Criterion] = field(default_factory=dict)


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


def candidates(store: Store, kind: Kind, seed: int) -> list[Candidate]:
    """Return all cases that a sheet may hold."""
    found: list[Candidate] = []
    for case in judged_cases(store, kind):
        user, systems, cluster = place_of(case)
        stratum = (user, *sorted(systems), *(f"{key} {case.data[key]}" for key in _TOLD if key in case.data))
        about = str(case.data.get("about", _SYSTEMS))
        criteria = {criterion.name: criterion for criterion in case.criteria}
        found.append(Candidate(case.id, stratum, cluster, digest(seed, case.id), about, criteria))
    return found


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


def asked_about(found: Sequence[Candidate], named: Sequence[str]) -> tuple[list[Candidate], list[Criterion]]:
    """Return the criteria that a sheet asks about, and the candidates that were judged on each of them.

    A sheet is about one thing: about systems wherever they were judged on all that is asked, else about users, say.

    Args:
        found: All candidates.
        named: Names of criteria; by default `overall`, or else the first.

    Raises:
        ShopperError: No judge ruled on one of that name, or none on all of them in one case.
    """
    every = {name: None for one in found for name in one.criteria}
    for name in named:
        if name not in every:
            raise ShopperError(unknown("criterion that was judged", name, every))
    abouts = sorted(dict.fromkeys(one.about for one in found), key=lambda about: about != _SYSTEMS)
    for about in abouts:
        ours = [one for one in found if one.about == about]
        known = {name: criterion for one in reversed(ours) for name, criterion in one.criteria.items()}
        first = next(iter(ours[0].criteria), "")
        names = list(dict.fromkeys(named)) or ["overall" if "overall" in known else first]
        fit = [one for one in ours if known.keys() >= set(names) and one.criteria.keys() >= set(names)]
        if fit:
            return fit, [known[name] for name in names]
    raise ShopperError(
        f"no case was judged on {' and '.join(map(repr, named))} together: ask about each on a sheet of its own."
    )


def _dealt(sizes: Mapping[tuple[str, ...], int], count: int) -> dict[tuple[str, ...], int]:
    total = sum(sizes.values()) or 1
    exact = {stratum: count * size / total for stratum, size in sizes.items()}
    places = {stratum: int(share) for stratum, share in exact.items()}
    order = sorted(sizes, key=lambda stratum: (places[stratum] - exact[stratum], sizes[stratum], stratum))
    for stratum in order[: count - sum(places.values())]:
        places[stratum] += 1
    return places
