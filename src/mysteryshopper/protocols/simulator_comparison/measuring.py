"""What `simulator-comparison` measures: who wins, on what and with which system; and what needs no judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby

from mysteryshopper.core import Estimate, JsonObject, Metric, Plan, Store, StoredDialogue
from mysteryshopper.judges.agreements import Agreements
from mysteryshopper.judges.controls import Controls
from mysteryshopper.judges.observing import Observation, observe
from mysteryshopper.judges.outcomes import Paired, Unread
from mysteryshopper.metrics import PairOutcome
from mysteryshopper.metrics.bradley_terry import Game, bradley_terry
from mysteryshopper.protocols.role_rates import Guard, RoleRates
from mysteryshopper.protocols.simulator_comparison.cases import ABOUT
from mysteryshopper.protocols.simulator_comparison.plain import Plain
from mysteryshopper.protocols.simulator_comparison.spoiling import SPOILS
from mysteryshopper.protocols.simulator_comparison.talks import Talk, decided, is_judged, met, pairs
from mysteryshopper.protocols.simulator_comparison.words import ALL, DEFINITIONS

_POINTS: Mapping[PairOutcome, float] = {"win": 1.0, "loss": 0.0, "tie": 0.5, "inconsistent": 0.5}
_OUTCOMES: Mapping[float, PairOutcome] = {1.0: "win", 0.0: "loss", 0.5: "tie"}
_KNOWN = frozenset(name for names in SPOILS.values() for name in names)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a pair belongs: the two simulators, and the system that both talked to."""

    first: str
    second: str
    system: str


_Places = dict[_Place, Paired]


@dataclass
class _Unjudged:
    """Pairs that no judge was asked about: those decided by a simulator's failure, and how many were left out."""

    decided: list[tuple[_Place, PairOutcome, str]] = field(default_factory=list)
    left_out: dict[_Place, int] = field(default_factory=dict)

    def add(self, first: Talk, second: Talk) -> None:
        """Count a pair in."""
        if is_judged(first, second):
            return
        place = _Place(first.unit.user, second.unit.user, first.unit.system)
        if (points := decided(first, second)) is not None:
            self.decided.append((place, _OUTCOMES[points], first.cluster))
        else:
            self.left_out[place] = self.left_out.get(place, 0) + 1


def measure_simulators(store: Store, guard: Guard) -> Iterator[Metric]:
    """Yield all numbers of a run: who wins by every judge first, then what needs no judge, then what judges are worth.

    Dialogues and verdicts are read once each, streaming; a few numbers are kept of each pair.

    Args:
        store: What the run left.
        guard: What the guard did about faulty turns.
    """
    plan = store.plan
    rates, plain, unjudged = RoleRates(guard), Plain(plan), _Unjudged()

    def watch(stored: StoredDialogue) -> None:
        rates.add(stored.unit.user, stored.dialogue)
        plain.add(stored)

    for talks in met(store, watch):
        for first, second in pairs(talks, plan.users):
            unjudged.add(first, second)
    unread, agreements, controls = Unread(), Agreements(), Controls()
    judged, repeats = _judged(store, (unread, agreements, controls))
    for (judge, _), places in judged.items():
        for place, outcome, cluster in unjudged.decided * repeats[judge]:
            places.setdefault(place, Paired()).put(outcome, cluster, asked=False)
        for place, count in unjudged.left_out.items():
            places.setdefault(place, Paired()).missed += count * repeats[judge]
    domain = _domain(plan)
    for judge in dict.fromkeys(judge for judge, _ in judged):
        criteria = {criterion: places for (one, criterion), places in judged.items() if one == judge}
        yield from _of_judge(judge, criteria, plan, domain)
    yield from rates.metrics()
    yield from plain.metrics()
    for counter in (unread, agreements, controls):
        yield from counter.metrics()


def _judged(
    store: Store, counters: tuple[Unread, Agreements, Controls]
) -> tuple[dict[tuple[str, str], _Places], Mapping[str, int]]:
    """Return how pairs came out, by judge and criterion, and how often each judge was asked about a pair.

    The counters see all cases, spoilt ones where they tell.
    """
    judged: dict[tuple[str, str], _Places] = {}
    repeats: Counter[str] = Counter()
    for _, verdicts in groupby(store.verdicts(messages=False), key=lambda stored: stored.case.id):
        told: list[Observation] = []
        for stored in verdicts:
            repeats[stored.judge] = max(repeats[stored.judge], stored.repeat + 1)
            spoils = stored.case.data.get("spoils")
            for seen in observe(stored):
                if spoils is None or seen.criterion.name in spoils or seen.criterion.name not in _KNOWN:
                    told.append(seen)
                if not seen.control and seen.sort == "pair":
                    places = judged.setdefault((seen.judge, seen.criterion.name), {})
                    place, turned = _place(stored.case.data, store.plan)
                    places.setdefault(place, Paired()).add(_turned(seen) if turned else seen)
        for counter in counters:
            counter.add(told)
    for failed in store.unjudged():
        repeats[failed.judge] = max(repeats[failed.judge], failed.repeat + 1)
        if not failed.case.control and len(failed.case.exhibits) == 2:
            for criterion in failed.case.criteria:
                places = judged.setdefault((failed.judge, criterion.name), {})
                place, _ = _place(failed.case.data, store.plan)
                places.setdefault(place, Paired()).missed += 1
    return judged, repeats


def _place(data: JsonObject, plan: Plan) -> tuple[_Place, bool]:
    """Return where a pair belongs, and whether it was judged the other way round: users came in another order then."""
    first, second = map(str, data["systems"])
    users = list(plan.users)
    turned = {first, second} <= set(users) and users.index(first) > users.index(second)
    return _Place(*((second, first) if turned else (first, second)), str(data["system"])), turned


def _turned(seen: Observation) -> Observation:
    """Return what was said of a pair as seen from its second exhibit."""
    values = tuple(None if value is None else 1 - value for value in seen.values)
    return seen._replace(systems=seen.systems[::-1], values=values)


def _of_judge(judge: str, criteria: dict[str, _Places], plan: Plan, domain: Mapping[str, str]) -> Iterator[Metric]:
    """Yield what one judge's verdicts say: all criteria together, then each; with all systems, then with each."""
    whole = _together(criteria.values())
    asked = ({ALL: whole} if len(criteria) > 1 else {}) | criteria
    about = {"about": ABOUT, **domain, "judge": judge}
    systems: Sequence[str] = plan.systems if len(plan.systems) > 1 else ()
    for criterion, places in asked.items():
        for first, second in combinations(plan.users, 2):
            ours = {
                place.system: held for place, held in places.items() if (place.first, place.second) == (first, second)
            }
            if not ours:
                continue
            group = {**about, "criterion": criterion, "user": first, "versus": second}
            yield from _numbers(Paired.joined(ours.values()), group)
            for system in systems:
                if system in ours:
                    yield from _numbers(ours[system], {**group, "system": system})
    if len(plan.users) > 2:
        for criterion, places in asked.items():
            yield from _ranking(places, {**about, "criterion": criterion}, plan)


def _numbers(held: Paired, group: Mapping[str, str]) -> Iterator[Metric]:
    for name, found, better in held.numbers():
        yield Metric(name, group, found, DEFINITIONS[name], better=better)


def _ranking(places: _Places, group: Mapping[str, str], plan: Plan) -> Iterator[Metric]:
    games = (
        Game(place.first, place.second, _POINTS[outcome], cluster)
        for place, held in places.items()
        for outcome, cluster in zip(held.outcomes, held.clusters, strict=True)
        if outcome is not None
    )
    ranking = bradley_terry(games, seed=plan.seed)
    for user in plan.users:
        if user in ranking.strengths:
            of_user = {**group, "user": user}
            strength, rank = _of_simulators(ranking.strengths[user]), _of_simulators(ranking.ranks[user])
            yield Metric("strength", of_user, strength, DEFINITIONS["strength"], better="higher")
            yield Metric("rank", of_user, rank, DEFINITIONS["rank"], better="lower")


def _of_simulators(found: Estimate) -> Estimate:
    """Return an estimate whose reason speaks of simulators."""
    return replace(found, reason=found.reason.replace("systems", "simulators")) if found.reason else found


def _together(parts: Iterable[_Places]) -> _Places:
    found: dict[_Place, list[Paired]] = {}
    for places in parts:
        for place, held in places.items():
            found.setdefault(place, []).append(held)
    return {place: Paired.joined(held) for place, held in found.items()}


def _domain(plan: Plan) -> dict[str, str]:
    """Return the name of the data's domain, so that tables of several runs can be put together."""
    dataset = plan.dataset()
    described = getattr(dataset, "described", None)
    name = described.name if described is not None else getattr(dataset, "domain", "")
    return {"domain": name} if name else {}
