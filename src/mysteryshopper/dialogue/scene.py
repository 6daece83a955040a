"""What stays the same through a dialogue, and what one turn brought."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from mysteryshopper.core import (
    Address,
    CallFailed,
    ConfigError,
    Ended,
    Fault,
    Goal,
    Node,
    Opening,
    Scenario,
    Side,
    StopRun,
)
from mysteryshopper.dialogue.marks import Find, Mark, marker
from mysteryshopper.dialogue.policy import Policy
from mysteryshopper.dialogue.tree import Tree


@dataclass(frozen=True)
class Scene:
    """A dialogue before its first word.

    Attributes:
        scenario: What the user knows, with the prefix that the dialogue goes on from.
        opening: What the system learns.
        goal: What would satisfy the wish; neither side sees it.
        policy: The rules.
        address: Where in the run; each turn's calls are named from here, with the node's path.
        user: Name of the user block.
        system: Name of the system block.
        find: Looks an item of the catalogue up by its id; needed where the goal is constraints, and for what an item
            shown misses.
    """

    scenario: Scenario
    opening: Opening
    goal: Goal = field(default_factory=Goal)
    policy: Policy = field(default_factory=Policy)
    address: Address = field(default_factory=Address)
    user: str = "user"
    system: str = "system"
    find: Find | None = None

    @cached_property
    def mark(self) -> Mark:
        """Marks an item that was shown."""
        return marker(self.goal, self.find, self.scenario.profile)

    @property
    def has_goal(self) -> bool:
        """Whether it can be told of what is shown if it meets the wish: constraints need a catalogue to look it up."""
        return bool(self.goal.targets) or (bool(self.goal.constraints) and self.find is not None)

    def named(self, side: Side) -> str:
        """Return the name of the block that speaks for a side."""
        return self.user if side == "user" else self.system

    def at(self, path: str, side: Side, attempt: int = 0) -> Address:
        """Return the address of the calls that make the node `path`."""
        run = self.address
        return Address(run.unit, run.repeat, path, side, self.named(side), "reply", attempt)


class Step(NamedTuple):
    """One turn of one side: the node it made, and how the dialogue ended with it, if it did.

    Attributes:
        side: Who was asked.
        parent: The leaf they answered; None at the start.
        node: The new node; None where the call failed.
        ended: Why the dialogue can't go on; None if it can.
        fault: Whose fault that is.
        detail: One sentence more.
    """

    side: Side
    parent: str | None
    node: Node | None
    ended: Ended | None = None
    fault: Fault = "none"
    detail: str = ""

    def grow(self, tree: Tree, scene: Scene) -> Tree:
        """Return the tree with this turn, and with what this side got to read marked as read."""
        reader = scene.named(self.side)
        return tree.read_by(self.parent, reader) if self.node is None else tree.add(self.node, reader)


def failure(side: Side, parent: str | None, error: Exception) -> Step:
    """Return the step of a side whose turn ended in an error.

    A `CallFailed` says itself how the dialogue ends; one without a fault is this side's. A `TimeoutError` is a timeout
    and everything else `unreadable`, both this side's fault: what a plug-in raises is what the plug-in did.

    Raises:
        StopRun: The error is one, and is passed on; or it is a `ConfigError`: what can't be used here can't be used in
            any other dialogue.
    """
    if isinstance(error, StopRun):
        raise error
    if isinstance(error, ConfigError):
        raise StopRun(str(error)) from error
    if isinstance(error, CallFailed):
        return Step(side, parent, None, error.ended, error.fault or side, str(error))
    ended: Ended = "timeout" if isinstance(error, TimeoutError) else "unreadable"
    return Step(side, parent, None, ended, side, f"{type(error).__name__}: {error}")
