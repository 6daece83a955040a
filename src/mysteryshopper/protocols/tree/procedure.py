"""The `tree` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any, ClassVar

from mysteryshopper.core import Case, ConfigError, Dialogue, Metric, Opening, Plan, RunContext, Store, Unit, digest
from mysteryshopper.dialogue import Policy, Scene
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.scenarios import Scenarios
from mysteryshopper.protocols.tree.cases import tree_cases
from mysteryshopper.protocols.tree.growing import Branch, Grown, Root
from mysteryshopper.protocols.tree.measuring import measure_trees
from mysteryshopper.protocols.tree.options import DEFAULT_DEPTH, TreeOptions, most_at_levels, reactions
from mysteryshopper.protocols.tree.words import METRICS

Pair = tuple[str, str]


class TreeComparison:
    """Two systems on the same ground: both answer every history, the user goes on from both, a judge compares."""

    options: ClassVar[type[TreeOptions]] = TreeOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS
    forks: ClassVar[bool] = True

    def __init__(self, options: TreeOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._scenarios: Scenarios | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario of every user with every pair of systems: one root each."""
        scenarios = self._load(plan)
        pairs = self._pairs(plan)
        for user in plan.users:
            for place, (name, cluster) in enumerate(scenarios.ids(user)):
                for first, second in self._of_root(pairs, place):
                    yield Unit(name, user, f"{first} vs {second}", cluster=cluster, data={"pair": [first, second]})

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Grow one root."""
        scenario, goal = self._load(context.plan).make(unit.user, unit.id, context.rng("scenario"))
        dataset = context.plan.dataset()
        depth = context.plan.turns or DEFAULT_DEPTH
        opening = Opening(
            session=digest(context.plan.seed, unit.key)[:16],
            domain=scenario.domain,
            language=scenario.profile.language,
            catalog=dataset.name if dataset is not None else "",
            user=digest(context.plan.seed, unit.user, scenario.profile.id)[:12],
        )
        first, second = unit.data["pair"]
        scene = Scene(
            scenario,
            opening,
            goal,
            Policy(closing_turn=False, max_system_turns=depth, stop_on="user", guard=self._options.guard),
            address=context.address,
            user=unit.user,
            system=first,
            find=dataset.catalog().find if dataset is not None else None,
        )
        systems = ((first, context.system(first)), (second, context.system(second)))
        user = context.user(unit.user)
        root = Root(scene, user, systems, self._options, depth, context.rng("frontier"))
        grown = await root.grow(context.rng("user"))
        data = {**person_of(scenario.profile), "goal": scene.has_goal, "pair": [first, second], **_told(grown)}
        last = _outcome(grown.branches)
        cluster = unit.cluster or unit.id
        context.save(
            Dialogue(
                unit.key,
                scenario.profile.id,
                grown.tree.nodes,
                last.ended,
                last.fault,
                last.detail,
                None,
                cluster,
                data,
            )
        )

    def cases(self, store: Store) -> Iterable[Case]:
        """Both replies to every history as a pair, and controls."""
        return tree_cases(store, self._options.controls, store.plan.seed)

    def measure(self, store: Store) -> Iterable[Metric]:
        """Who wins, in all, by depth and by whose words the branch holds; a ranking; what the judges are worth."""
        return measure_trees(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one root by role, and pairs for judges (`judge_pairs`).

        The least is a tree whose branches all end after the first level, the expected one that grows to its limits.
        An opening is counted with every pair, though pairs of one user share it.
        """
        levels = most_at_levels(self._options, plan.turns or DEFAULT_DEPTH)
        histories, most = sum(levels), 1 + reactions(levels, self._options.final_reaction)
        least = 1 + reactions(levels[:1], self._options.final_reaction or len(levels) > 1)
        calls = {"user": (least, most, 2 * most)}
        for name, share in _shares(unit.data["pair"]).items():
            calls[f"system {name}"] = (share, share * histories, 2 * share * histories)
        if plan.judges:
            planted = 2 * int(self._options.controls > 0) * 2 * histories
            calls["judge_pairs"] = (0, histories, histories + planted)
        return calls

    def _pairs(self, plan: Plan) -> list[Pair]:
        pairs = list(combinations(plan.systems, 2))
        if self._options.against_self:
            pairs += [(name, name) for name in plan.systems]
        if not pairs:
            raise ConfigError(
                "a tree compares two systems; name a second one (or set `against_self: true`, to see how one fares"
                " against itself).",
                key="systems",
            )
        return pairs

    def _of_root(self, pairs: list[Pair], place: int) -> Iterator[Pair]:
        if self._options.pairs == "all":
            yield from pairs
        else:
            yield pairs[place % len(pairs)]

    def _load(self, plan: Plan) -> Scenarios:
        if self._scenarios is None:
            self._scenarios = Scenarios(plan, self._options.start == "prefix")
        return self._scenarios


def _shares(pair: list[str]) -> dict[str, int]:
    """Return how many replies to one history each system of a pair gives."""
    return {name: pair.count(name) for name in pair}


def _told(grown: Grown) -> dict[str, Any]:
    """Return what a root's dialogue keeps of its growth, as JSON."""
    return {
        "comparisons": [
            {**asdict(one), "holds": list(one.holds), "faults": list(one.faults)} for one in grown.comparisons
        ],
        "branches": [
            {"node": branch.node, "depth": branch.depth, "ended": branch.ended, "fault": branch.fault}
            for branch in grown.branches
        ],
    }


def _outcome(branches: tuple[Branch, ...]) -> Branch:
    """Return how a root ended: as its first faulty branch did, else at its depth, else as its first branch."""
    faulty = next((branch for branch in branches if branch.fault != "none"), None)
    if faulty is not None:
        return replace(faulty, detail=f"at node {faulty.node}: {faulty.detail}" if faulty.detail else "")
    deep = next((branch for branch in branches if branch.ended == "depth"), None)
    return deep or branches[0]
