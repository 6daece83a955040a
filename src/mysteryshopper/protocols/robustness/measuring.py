"""What `robustness` measures: by kind and rate of noise, how the judges see it and what needs no judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from mysteryshopper.core import Case, Estimate, Metric, Node, Plan, Store, StoredDialogue, StoredVerdict
from mysteryshopper.judges.agreements import Agreements
from mysteryshopper.judges.controls import Controls
from mysteryshopper.judges.observing import Observation, observe
from mysteryshopper.judges.outcomes import Unread
from mysteryshopper.metrics import mean, proportion
from mysteryshopper.metrics.trend import within_slope
from mysteryshopper.protocols.conversation_arms import Roles
from mysteryshopper.protocols.robustness.options import Condition
from mysteryshopper.protocols.robustness.words import DEFINITIONS
from mysteryshopper.protocols.tree.outcomes import Outcome, Outcomes

_Arm = tuple[str, str]  # user, system
_Noise = tuple[str, str]  # kind, rate
_EVEN = 0.5


def _table() -> dict[tuple[_Arm, _Noise], Outcomes]:
    return defaultdict(Outcomes)


@dataclass
class _Facts:
    """What chains tell without a judge."""

    forfeits: dict[tuple[_Arm, _Noise], Outcomes] = field(default_factory=_table)
    wanted_shown: dict[_Arm, Outcomes] = field(default_factory=dict)
    wanted_shown_noisy: dict[tuple[_Arm, _Noise], Outcomes] = field(default_factory=_table)
    items_kept: dict[tuple[_Arm, _Noise], Outcomes] = field(default_factory=_table)
    intent_findable: dict[tuple[_Arm, _Noise], Outcomes] = field(default_factory=_table)
    query_changed: dict[tuple[_Arm, _Noise], Outcomes] = field(default_factory=_table)
    queries: dict[_Arm, list[tuple[float, str]]] = field(default_factory=dict)
    roles: dict[str, Roles] = field(default_factory=dict)
    clusters: dict[str, int] = field(default_factory=dict)

    def add(self, stored: StoredDialogue) -> None:
        """Count one chain in."""
        dialogue, unit = stored.dialogue, stored.unit
        arm, root = (unit.user, unit.system), dialogue.root
        nodes = {node.id: node for node in dialogue.nodes}
        clean: set[str] = set()
        for probe in dialogue.data["probes"]:
            noise = (str(probe["noise"]), str(probe["rate"]))
            self._add_probe(arm, noise, probe, nodes, root, goal=bool(dialogue.data["goal"]))
            if probe["clean"] not in clean:
                clean.add(probe["clean"])
                if dialogue.data["goal"]:
                    hit = _hit(nodes.get(f"{probe['clean']}.0"), probe["faults"][0])
                    self.wanted_shown.setdefault(arm, Outcomes()).add(Outcome(hit, root))
        answered = sum(f"{name}.0" in nodes for name in clean)
        self.queries.setdefault(arm, []).append((float(answered), root))
        number = self.clusters.setdefault(root, len(self.clusters))
        for node in dialogue.nodes:
            if node.side == "user" and "noise" not in node.turn_data:
                self.roles.setdefault(unit.user, Roles()).add(node, number)

    def _add_probe(
        self, arm: _Arm, noise: _Noise, probe: Mapping[str, Any], nodes: Mapping[str, Node], root: str, *, goal: bool
    ) -> None:
        key = arm, noise
        first, second = probe["faults"]
        if (first, second) != ("none", "none"):
            self.forfeits[key].add(Outcome(0.0 if (first, second) == ("none", "system") else None, root))
        if not probe["node"]:
            return
        self.query_changed[key].add(Outcome(float(probe["changed"]), root))
        if probe["named"]:
            self.intent_findable[key].add(Outcome(probe["found"] / probe["named"], root))
        reply = nodes.get(probe["reply"])
        if goal and first == "none":
            self.wanted_shown_noisy[key].add(Outcome(_hit(reply, second), root))
        before = _items(nodes.get(f"{probe['clean']}.0"))
        if before and reply is not None:
            self.items_kept[key].add(Outcome(len(before & _items(reply)) / len(before), root))


def measure_robustness(store: Store, conditions: Sequence[Condition]) -> Iterator[Metric]:
    """Yield all numbers of a run: curves and trends of every judge first, then what needs none.

    Args:
        store: What the run left.
        conditions: Kinds and rates of noise, in order.
    """
    facts = _Facts()
    for stored in store.dialogues():
        facts.add(stored)
    unread, agreements, controls = Unread(), Agreements(), Controls()
    judged: dict[tuple[str, str], dict[tuple[_Arm, _Noise], Outcomes]] = defaultdict(_table)
    for _, verdicts in groupby(store.verdicts(messages=False), key=_case_of):
        seen = [(stored.case, one) for stored in verdicts for one in observe(stored)]
        for counter in (unread, agreements, controls):
            counter.add([one for _, one in seen])
        for case, one in seen:
            _count(judged, case, one)
    for failed in store.unjudged():
        if not failed.case.control and failed.repeat == 0 and len(failed.case.exhibits) == 2:
            for criterion in failed.case.criteria:
                judged[failed.judge, criterion.name][_place(failed.case)].add(Outcome(None, _root(failed.case)))
    for places in judged.values():
        for place, lost in facts.forfeits.items():
            places[place].held.extend(lost.held)
    noises = [(condition.kind, condition.rated) for condition in conditions]
    yield from _curves(judged, noises, store.plan)
    yield from _plain(facts, noises, store.plan)
    for counter in (unread, agreements, controls):
        yield from counter.metrics()


def _count(
    judged: Mapping[tuple[str, str], dict[tuple[_Arm, _Noise], Outcomes]], case: Case, seen: Observation
) -> None:
    if not case.control and seen.sort == "pair":
        lead = seen.outcome
        judged[seen.judge, seen.criterion.name][_place(case)].add(Outcome(lead, _root(case)))


def _curves(
    judged: Mapping[tuple[str, str], dict[tuple[_Arm, _Noise], Outcomes]], noises: Sequence[_Noise], plan: Plan
) -> Iterator[Metric]:
    arms = [(user, system) for user in plan.users for system in plan.systems]
    for (judge, criterion), places in judged.items():
        for arm in arms:
            for noise in noises:
                if (arm, noise) in places:
                    group = {"judge": judge, "criterion": criterion} | _group(arm, noise)
                    yield _metric("noisy_win_rate", group, places[arm, noise].estimate(plan.seed), plan)
    for (judge, criterion), places in judged.items():
        for arm in arms:
            for kind in dict.fromkeys(kind for kind, rate in noises if rate):
                rated = [(float(rate), places[arm, (kind, rate)]) for name, rate in noises if name == kind and rate]
                if any(outcomes.held for _, outcomes in rated):
                    group = {"judge": judge, "criterion": criterion} | _group(arm, (kind, ""))
                    yield _metric("robustness_trend", group, _trend(rated, plan.seed), plan)


def _trend(rated: Sequence[tuple[float, Outcomes]], seed: int) -> Estimate:
    """Return the mean of the chains' slopes over rates, from one half at rate 0; each rate counts once a chain."""
    points: list[tuple[float, float | None, str]] = []
    for rate, outcomes in rated:
        by_root: dict[str, list[float]] = {}
        for outcome in outcomes.held:
            if outcome.value is not None:
                by_root.setdefault(outcome.root, []).append(outcome.value)
        points += [(rate, sum(values) / len(values), root) for root, values in by_root.items() if rate > 0]
    points += [(0.0, _EVEN, root) for root in dict.fromkeys(root for _, _, root in points)]
    return within_slope(points, seed=seed)


def _plain(facts: _Facts, noises: Sequence[_Noise], plan: Plan) -> Iterator[Metric]:
    arms = [(user, system) for user in plan.users for system in plan.systems]
    for arm in arms:
        if arm in facts.wanted_shown:
            group = {"user": arm[0], "system": arm[1]}
            yield _metric("wanted_shown", group, facts.wanted_shown[arm].estimate(plan.seed), plan)
    for name in ("wanted_shown_noisy", "items_kept", "intent_findable", "query_changed"):
        table: dict[tuple[_Arm, _Noise], Outcomes] = getattr(facts, name)
        for arm in arms:
            for noise in noises:
                if (arm, noise) in table:
                    yield _metric(name, _group(arm, noise), table[arm, noise].estimate(plan.seed), plan)
    for (user, system), counts in facts.queries.items():
        found = mean([count for count, _ in counts], [root for _, root in counts])
        yield _metric("queries", {"user": user, "system": system}, found, plan)
    for user, kept in facts.roles.items():
        for detector, fired in kept.shares():
            share = proportion(fired, kept.clusters)
            yield _metric("flagged_turns", {"user": user, "detector": detector}, share, plan)


def _metric(name: str, group: Mapping[str, str], found: Estimate, plan: Plan) -> Metric:
    control = "system" in group and plan.is_control(group["system"])
    better = "lower" if name == "flagged_turns" else None if name in ("query_changed", "queries") else "higher"
    return Metric(name, group, found, DEFINITIONS[name], control, better)  # type: ignore[arg-type]


def _group(arm: _Arm, noise: _Noise) -> dict[str, str]:
    kind, rate = noise
    return {"user": arm[0], "system": arm[1], "noise": kind} | ({"rate": rate} if rate else {})


def _place(case: Case) -> tuple[_Arm, _Noise]:
    data = case.data
    return (str(data["user"]), str(data["systems"][0])), (str(data["noise"]), str(data["rate"]))


def _root(case: Case) -> str:
    return str(case.data["cluster"])


def _case_of(stored: StoredVerdict) -> str:
    return stored.case.id


def _hit(node: Node | None, fault: str) -> float | None:
    if fault not in ("none", "system"):
        return None
    return float(fault == "none" and node is not None and any(item.mine for item in node.items))


def _items(node: Node | None) -> set[str]:
    return set() if node is None else {item.item.id for item in node.items if item.item.id is not None}
