"""The `tree` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import combinations
from typing import Any, ClassVar

from mysteryshopper.core import Case, ConfigError, Ended, Fault, Metric, Plan, RunContext, Score, Store, Unit
from mysteryshopper.protocols.branching import Branching, depth_of, kept
from mysteryshopper.protocols.tree.cases import tree_cases
from mysteryshopper.protocols.tree.growing import Branch, Grown, Root
from mysteryshopper.protocols.tree.measuring import measure_trees
from mysteryshopper.protocols.tree.options import TreeOptions, most_at_levels, reactions
from mysteryshopper.protocols.tree.scoring import tree_scores
from mysteryshopper.protocols.tree.words import METRICS

Pair = tuple[str, str]


class TreeComparison(Branching[TreeOptions]):
    """Two systems on the same ground: both answer every history, the user goes on from both, a judge compares."""

    options: ClassVar[type[TreeOptions]] = TreeOptions
    metrics: ClassVar[tuple[str, ...]] = METRICS
    pairs_systems: ClassVar[bool] = True

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
        first, second = unit.data["pair"]
        scene = self._stage(unit, context, first)
        systems = ((first, context.system(first)), (second, context.system(second)))
        depth = depth_of(context.plan)
        root = Root(scene, context.user(unit.user), systems, self._options, depth, context.rng("frontier"))
        grown = await root.grow(context.rng("user"))
        context.save(kept(unit, scene, grown.tree, _end(grown.branches), {"pair": [first, second], **_told(grown)}))

    def cases(self, store: Store) -> Iterable[Case]:
        """Both replies to every history as a pair, and controls."""
        return tree_cases(store, self._options.controls)

    def measure(self, store: Store) -> Iterable[Metric]:
        """Who wins, in all, by depth and by whose words the branch holds; a ranking; what the judges are worth."""
        return measure_trees(store, self._options.guard)

    def scores(self, store: Store) -> Iterable[Score]:
        """Each system's win rate on a root, by judge and criterion, and its share of replies with a wanted item."""
        return tree_scores(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one root by role, and pairs for judges (`judge_pairs`).

        The least is a tree whose branches all end after the first level, the expected one that grows to its limits.
        An opening is counted with every pair, though pairs of one user share it.
        """
        levels = most_at_levels(self._options, depth_of(plan))
        histories, most = sum(levels), 1 + reactions(levels, self._options.final_reaction)
        least = 1 + reactions(levels[:1], self._options.final_reaction or len(levels) > 1)
        calls = {"user": (least, most, 2 * most)}
        for name, share in _shares(unit.data["pair"]).items():
            calls[f"system {name}"] = (share, share * histories, 2 * share * histories)
        if plan.judges:
            replies = (0, 2 * histories, 2 * histories)  # each of them may become a control
            calls |= {"judge_pairs": (0, histories, histories)}
            calls |= {"control_pairs same": replies, "control_pairs worse": replies}
        return calls

    @property
    def controls(self) -> int:
        """How many controls of each sort judges get at most."""
        return self._options.controls

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

    @property
    def _goes_on(self) -> bool:
        return self._options.start == "prefix"


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


def _end(branches: tuple[Branch, ...]) -> tuple[Ended, Fault, str]:
    """Return how a root ended: as its first faulty branch did, else at its depth, else as its first branch."""
    faulty = next((branch for branch in branches if branch.fault != "none"), None)
    if faulty is not None:
        return faulty.ended, faulty.fault, f"at node {faulty.node}: {faulty.detail}" if faulty.detail else ""
    deep = next((branch for branch in branches if branch.ended == "depth"), branches[0])
    return deep.ended, deep.fault, deep.detail
