"""What `robustness` measures: by kind and rate of noise, how the judges see it and what needs no judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mysteryshopper.core import Case, Estimate, Metric, Node, Plan, Store, StoredDialogue
from mysteryshopper.judges.agreements import Agreements
from mysteryshopper.judges.controls import Controls
from mysteryshopper.judges.outcomes import Unread
from mysteryshopper.metrics import mean, proportion
from mysteryshopper.protocols.branching import Outcome, Outcomes
from mysteryshopper.protocols.branching.verdicts import Key, in_order, points_of, with_forfeits
from mysteryshopper.protocols.conversation_arms import Roles
from mysteryshopper.protocols.differences import Differences
from mysteryshopper.protocols.robustness.facts import CLEAN, FORFEIT, Noise, answered, facts_of
from mysteryshopper.protocols.robustness.options import Condition
from mysteryshopper.protocols.robustness.scoring import COMPARED, ChainValues
from mysteryshopper.protocols.robustness.trends import EVEN, curve_trend
from mysteryshopper.protocols.robustness.words import BETTER, DEFINITIONS
from mysteryshopper.protocols.role_rates import Guard, RoleRates

_Arm = tuple[str, str]  # user, system
_Place = tuple[_Arm, Noise]


@dataclass
class _Facts:
    """What chains tell without a judge."""

    values: dict[str, dict[_Place, Outcomes]] = field(default_factory=dict)
    queries: dict[_Arm, list[tuple[float, str]]] = field(default_factory=dict)
    roles: dict[str, Roles] = field(default_factory=dict)
    rates: RoleRates = field(default_factory=RoleRates)
    clusters: dict[str, int] = field(default_factory=dict)

    def add(self, stored: StoredDialogue) -> None:
        """Count one chain in."""
        dialogue, unit = stored.dialogue, stored.unit
        arm, root = (unit.user, unit.system), dialogue.root
        for fact in facts_of(stored):
            places = self.values.setdefault(fact.name, {})
            places.setdefault((arm, fact.noise), Outcomes()).add(Outcome(fact.value, root))
        self.queries.setdefault(arm, []).append((float(answered(stored)), root))
        self.rates.add(unit.user, dialogue)
        number = self.clusters.setdefault(root, len(self.clusters))
        for node in dialogue.nodes:
            if node.side == "user" and not _is_careless(node):
                self.roles.setdefault(unit.user, Roles()).add(node, number)

    def forfeits(self) -> Iterator[tuple[_Place, Outcome]]:
        """Yield the points of careless queries that no judge can be asked about."""
        for place, outcomes in self.values.get(FORFEIT, {}).items():
            yield from ((place, outcome) for outcome in outcomes.held)


def measure_robustness(store: Store, conditions: Sequence[Condition], guard: Guard = "reask") -> Iterator[Metric]:
    """Yield all numbers of a run: curves and trends of every judge first, then what needs none.

    Args:
        store: What the run left.
        conditions: Kinds and rates of noise, in order.
        guard: What the guard did about faulty turns.
    """
    facts, chains = _Facts(rates=RoleRates(guard, skip=_is_careless)), ChainValues()
    for stored in store.dialogues():
        facts.add(stored)
        chains.add(stored)
    counters = Unread(), Agreements(), Controls()
    judged = with_forfeits(points_of(store, 1, _place, counters), facts.forfeits(), store.plan.judges)
    noises = [(condition.kind, condition.rated) for condition in conditions]
    for key in in_order(judged):
        yield from _curve("noisy_win_rate", judged[key], noises, store.plan, key)
    for key in in_order(judged):
        yield from _trends("robustness_trend", judged[key], {}, noises, store.plan, key)
    yield from _plain(facts, noises, store.plan)
    differences = Differences(COMPARED)
    for score in chains.scores():
        differences.add(score)
    yield from differences.metrics(store.plan)
    for counter in counters:
        yield from counter.metrics()


def _arms(plan: Plan) -> list[_Arm]:
    return [(user, system) for user in plan.users for system in plan.systems]


def _curve(
    name: str, places: Mapping[_Place, Outcomes], noises: Sequence[Noise], plan: Plan, key: Key | None = None
) -> Iterator[Metric]:
    """Yield one metric by arm and noise; a judge's names the judge and the criterion, too."""
    for arm in _arms(plan):
        for noise in noises:
            if (arm, noise) in places:
                yield _metric(name, _group(arm, noise, key), places[arm, noise].estimate(plan.seed), plan)


def _trends(
    name: str,
    places: Mapping[_Place, Outcomes],
    starts: Mapping[_Place, Outcomes],
    noises: Sequence[Noise],
    plan: Plan,
    key: Key | None = None,
) -> Iterator[Metric]:
    """Yield the trend of a curve by arm and kind of noise; it starts at the clean value, else at one half."""
    for arm in _arms(plan):
        start = starts.get((arm, CLEAN), EVEN)
        for kind in dict.fromkeys(kind for kind, rate in noises if rate):
            rated = [
                (float(rate), places.get((arm, (named, rate)))) for named, rate in noises if named == kind and rate
            ]
            known = [(rate, outcomes) for rate, outcomes in rated if outcomes is not None and outcomes.held]
            if known:
                yield _metric(name, _group(arm, (kind, ""), key), curve_trend(known, start, plan.seed), plan)


def _plain(facts: _Facts, noises: Sequence[Noise], plan: Plan) -> Iterator[Metric]:
    values = facts.values
    clean = values.get("wanted_shown", {})
    for arm in _arms(plan):
        if (arm, CLEAN) in clean:
            group = {"user": arm[0], "system": arm[1]}
            yield _metric("wanted_shown", group, clean[arm, CLEAN].estimate(plan.seed), plan)
    yield from _curve("wanted_shown_noisy", values.get("wanted_shown_noisy", {}), noises, plan)
    yield from _trends("wanted_shown_trend", values.get("wanted_shown_noisy", {}), clean, noises, plan)
    for name in ("items_kept", "intent_findable", "query_changed", "unmade"):
        yield from _curve(name, values.get(name, {}), noises, plan)
    for (user, system), counts in facts.queries.items():
        found = mean([count for count, _ in counts], [root for _, root in counts])
        yield _metric("queries", {"user": user, "system": system}, found, plan)
    yield from facts.rates.metrics()
    for user, kept in facts.roles.items():
        for detector, fired in kept.shares():
            share = proportion(fired, kept.clusters)
            yield _metric("flagged_turns", {"user": user, "detector": detector}, share, plan)


def _metric(name: str, group: Mapping[str, str], found: Estimate, plan: Plan) -> Metric:
    control = "system" in group and plan.is_control(group["system"])
    better: Literal["higher", "lower"] | None = BETTER.get(name, "higher")
    return Metric(name, group, found, DEFINITIONS[name], control, better)


def _group(arm: _Arm, noise: Noise, key: Key | None) -> dict[str, str]:
    kind, rate = noise
    judge = {} if key is None else {"judge": key[0], "criterion": key[1]}
    return {**judge, "user": arm[0], "system": arm[1], "noise": kind} | ({"rate": rate} if rate else {})


def _place(case: Case) -> _Place:
    data = case.data
    return (str(data["user"]), str(data["systems"][0])), (str(data["noise"]), str(data["rate"]))


def _is_careless(node: Node) -> bool:
    """Whether a turn of the user is a query that was made careless, and not its own."""
    return "noise" in node.turn_data
