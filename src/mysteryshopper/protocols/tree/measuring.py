"""What `tree` measures: who wins on the same histories, by the judges; a ranking; and what needs no judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from mysteryshopper.core import Case, Metric, Plan, Store, StoredDialogue
from mysteryshopper.judges.tallies import measure_verdicts
from mysteryshopper.metrics import mean, proportion
from mysteryshopper.protocols.branching import BOTH, NOBODY, Outcome, Outcomes
from mysteryshopper.protocols.branching.verdicts import Key, points_of, with_forfeits
from mysteryshopper.protocols.conversation_arms import Roles
from mysteryshopper.protocols.differences import Differences
from mysteryshopper.protocols.role_rates import Guard, RoleRates
from mysteryshopper.protocols.tree.cases import holds_of
from mysteryshopper.protocols.tree.facts import forfeits, replies
from mysteryshopper.protocols.tree.ranking import measure_ranking
from mysteryshopper.protocols.tree.scoring import COMPARED, RootValues
from mysteryshopper.protocols.tree.words import DEFINITIONS

_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an outcome belongs: user, pair, level, whose words."""

    user: str
    pair: _Pair
    depth: int
    holds: str


@dataclass
class _Facts:
    """What trees tell without a judge."""

    forfeits: list[tuple[_Place, Outcome]] = field(default_factory=list)
    shown: dict[tuple[str, str], Outcomes] = field(default_factory=dict)
    compared: dict[tuple[str, _Pair], list[tuple[float, str]]] = field(default_factory=dict)
    ended: dict[tuple[str, _Pair], list[tuple[str, str]]] = field(default_factory=dict)
    roles: dict[str, Roles] = field(default_factory=dict)
    rates: RoleRates = field(default_factory=RoleRates)
    clusters: dict[str, int] = field(default_factory=dict)

    def add(self, stored: StoredDialogue) -> None:
        """Count one root in."""
        dialogue, unit = stored.dialogue, stored.unit
        user, root = unit.user, dialogue.root
        first, second = unit.data["pair"]
        pair = (first, second)
        comparisons = dialogue.data["comparisons"]
        self.compared.setdefault((user, pair), []).append((float(len(comparisons)), root))
        self.ended.setdefault((user, pair), []).extend((one["ended"], root) for one in dialogue.data["branches"])
        for one, points in forfeits(stored):
            place = _Place(user, pair, int(one["depth"]), holds_of(one["holds"]))
            self.forfeits.append((place, Outcome(points, root)))
        for system, hit in replies(stored):
            self.shown.setdefault((user, system), Outcomes()).add(Outcome(hit, root))
        self.rates.add(user, dialogue)
        number = self.clusters.setdefault(root, len(self.clusters))
        for node in dialogue.nodes:
            if node.side == "user" and node.turn > 0:
                self.roles.setdefault(user, Roles()).add(node, number)


def measure_trees(store: Store, guard: Guard = "reask") -> Iterator[Metric]:
    """Yield all numbers of a run: headline and ranking of every judge first, then what judges are worth.

    Dialogues and verdicts are read once each, streaming; a few numbers are kept of each history.

    Args:
        store: What the run left.
        guard: What the guard did about faulty turns.
    """
    facts, roots = _Facts(rates=RoleRates(guard)), RootValues()
    for stored in store.dialogues():
        facts.add(stored)
        roots.add(stored)
    judged = with_forfeits(points_of(store, 0, _place), facts.forfeits, store.plan.judges)
    yield from _wins(judged, store.plan)
    yield from measure_ranking(
        {(*key, user): _by_pair(places, user) for key, places in judged.items() for user in store.plan.users},
        store.plan,
    )
    yield from _plain(facts, store.plan)
    differences = Differences(COMPARED)
    for score in roots.scores():
        differences.add(score)
    yield from differences.metrics(store.plan)
    yield from measure_verdicts(store)


def _place(case: Case) -> _Place:
    data = case.data
    first, second = data["pair"]
    return _Place(str(data["user"]), (first, second), int(data["depth"]), str(data["holds"]))


def _wins(judged: Mapping[Key, Mapping[_Place, Outcomes]], plan: Plan) -> Iterator[Metric]:
    for name in ("root_win_rate", "win_rate_by_depth", "win_rate_by_words"):
        for key, places in judged.items():
            for user in plan.users:
                for pair in combinations(plan.systems, 2):
                    of_pair = {place: one for place, one in places.items() if (place.user, place.pair) == (user, pair)}
                    for part, outcomes in _split(name, of_pair, pair):
                        group = _group(key, user, pair) | part
                        yield _metric(name, group, outcomes, plan, pair)


def _split(
    name: str, places: Mapping[_Place, Outcomes], pair: tuple[str, str]
) -> Iterator[tuple[dict[str, str], Outcomes]]:
    """Yield the parts of a pair's histories that a number is told for; those that hold nothing are left out."""
    parts: list[tuple[dict[str, str], list[Outcomes]]]
    if name == "root_win_rate":
        parts = [({}, list(places.values()))]
    elif name == "win_rate_by_depth":
        levels = sorted({place.depth for place in places})
        parts = [({"depth": str(level)}, [one for at, one in places.items() if at.depth == level]) for level in levels]
    else:
        words = (NOBODY, *pair, BOTH)
        parts = [({"holds": word}, [one for at, one in places.items() if at.holds == word]) for word in words]
    for part, held in parts:
        if held:
            yield part, Outcomes.joined(held)


def _group(key: Key, user: str, pair: tuple[str, str]) -> dict[str, str]:
    return {"judge": key[0], "criterion": key[1], "user": user, "system": pair[0], "versus": pair[1]}


def _metric(name: str, group: Mapping[str, str], outcomes: Outcomes, plan: Plan, pair: Sequence[str]) -> Metric:
    control = any(plan.is_control(system) for system in pair)
    return Metric(name, group, outcomes.estimate(plan.seed), DEFINITIONS[name], control, "higher")


def _by_pair(places: Mapping[_Place, Outcomes], user: str) -> dict[tuple[str, str], Outcomes]:
    found: dict[tuple[str, str], list[Outcomes]] = {}
    for place, outcomes in places.items():
        if place.user == user:
            found.setdefault(place.pair, []).append(outcomes)
    return {pair: Outcomes.joined(held) for pair, held in found.items()}


def _plain(facts: _Facts, plan: Plan) -> Iterator[Metric]:
    for user in plan.users:
        for system in plan.systems:
            if (shown := facts.shown.get((user, system))) is not None:
                group = {"user": user, "system": system}
                found = shown.estimate(plan.seed)
                yield Metric(
                    "wanted_shown", group, found, DEFINITIONS["wanted_shown"], plan.is_control(system), "higher"
                )
    for (user, (first, second)), counts in facts.compared.items():
        group = {"user": user, "pair": f"{first} vs {second}"}
        found = mean([count for count, _ in counts], [root for _, root in counts])
        yield Metric("comparisons", group, found, DEFINITIONS["comparisons"])
    for (user, (first, second)), ends in facts.ended.items():
        clusters = [root for _, root in ends]
        for ended, _ in sorted(Counter(end for end, _ in ends).items(), key=lambda pair: (-pair[1], pair[0])):
            share = proportion([end == ended for end, _ in ends], clusters)
            group = {"user": user, "pair": f"{first} vs {second}", "ended": ended}
            yield Metric("ended", group, share, DEFINITIONS["ended"])
    yield from facts.rates.metrics()
    for user, kept in facts.roles.items():
        for detector, fired in kept.shares():
            group = {"user": user, "detector": detector}
            share = proportion(fired, kept.clusters)
            yield Metric("flagged_turns", group, share, DEFINITIONS["flagged_turns"], better="lower")
