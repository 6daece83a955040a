"""What setting up and keeping a unit has in common, where dialogues branch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from mysteryshopper.core import Dialogue, Ended, Fault, Plan, RunContext, Unit
from mysteryshopper.dialogue import Policy, Scene, Tree
from mysteryshopper.protocols.branching.options import BranchingOptions
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.scenarios import Scenarios
from mysteryshopper.protocols.staging import stage

DEFAULT_DEPTH = 3
"""Levels of a tree, or queries of a chain, where `limits.turns` does not say."""

Options = TypeVar("Options", bound=BranchingOptions)


class Branching(Generic[Options]):
    """A protocol in which several replies follow one history: it needs systems that live in the messages they get."""

    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    forks: ClassVar[bool] = True

    def __init__(self, options: Options) -> None:
        """Make it with its options."""
        self._options = options
        self._scenarios: Scenarios | None = None

    @property
    def _goes_on(self) -> bool:
        """Whether a dialogue starts from what people said before."""
        return False

    def _load(self, plan: Plan) -> Scenarios:
        if self._scenarios is None:
            self._scenarios = Scenarios(plan, self._goes_on)
        return self._scenarios

    def _stage(self, unit: Unit, context: RunContext, system: str) -> Scene:
        """Return the scene of a unit: no closing turns, and only the user ends a branch before its depth."""
        policy = Policy(
            closing_turn=False,
            max_system_turns=depth_of(context.plan),
            stop_on="user",
            guard=self._options.guard,
        )
        return stage(self._load(context.plan), unit, context, policy, system=system)


def depth_of(plan: Plan) -> int:
    """Return how many levels, or queries, a root has at most."""
    return plan.turns or DEFAULT_DEPTH


def kept(unit: Unit, scene: Scene, tree: Tree, end: tuple[Ended, Fault, str], data: Mapping[str, Any]) -> Dialogue:
    """Return what is kept of a root: its tree, how it ended, who the person was, and what the protocol measures from.

    Args:
        unit: Its unit.
        scene: Its scene.
        tree: All its nodes.
        end: How it ended, by whose fault, and a sentence on it.
        data: What the protocol measures from.
    """
    ended, fault, detail = end
    person = {**person_of(scene.scenario.profile), "goal": scene.has_goal}
    profile = scene.scenario.profile.id
    cluster = unit.cluster or unit.id
    return Dialogue(unit.key, profile, tree.nodes, ended, fault, detail, None, cluster, {**person, **data})
