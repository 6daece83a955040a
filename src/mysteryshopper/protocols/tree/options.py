"""Options of `tree`, and what they let a root grow to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mysteryshopper.protocols.branching import BranchingOptions


class TreeOptions(BranchingOptions):
    """Options of `tree`."""

    start: Literal["fresh", "prefix"] = Field(
        default="fresh", description="`prefix`: go on from what people said before, where the data has it."
    )
    pairs: Literal["all", "rotate"] = Field(
        default="all",
        description="With more than two systems: every two on every root (`all`), or one pair a root, in turn"
        " (`rotate`), which costs no more than two systems do.",
    )
    frontier: int | None = Field(
        default=None, ge=1, description="Most histories of one level that are compared, drawn by the seed; null is all."
    )
    max_nodes: int | None = Field(
        default=None, ge=1, description="Most histories of one root that are compared, upper levels first; null is all."
    )
    final_reaction: bool = Field(default=False, description="The user also answers the replies of the last level.")
    against_self: bool = Field(
        default=False, description="Compare each system with itself as well, in trees of its own: a control."
    )


def most_at_levels(options: TreeOptions, depth: int) -> list[int]:
    """Return how many histories of each level are compared at most, level 1 first."""
    left = options.max_nodes
    found: list[int] = []
    possible = 1
    for _ in range(depth):
        here = min(possible, options.frontier or possible, possible if left is None else left)
        found.append(here)
        left = None if left is None else left - here
        possible = 2 * here
    return found


def reactions(levels: list[int], final: bool) -> int:
    """Return how many user turns such levels bring, openings not counted."""
    return sum(2 * here for here in (levels if final else levels[:-1]))
