"""What a root tells without a judge: comparisons that were forfeited, and replies that show what was wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mysteryshopper.core import Node, StoredDialogue
from mysteryshopper.protocols.branching import shows_wanted

Comparison = Mapping[str, Any]
"""One history of a root, as its dialogue keeps it."""


def forfeits(stored: StoredDialogue) -> Iterator[tuple[Comparison, float | None]]:
    """Yield the comparisons in which a reply is missing, with the points of the first system.

    One that failed by its own fault has lost to one that did not; both failing is a tie. None where it was no system's
    fault. Nothing is forfeited in the trees of one system against itself.
    """
    first, second = stored.unit.data["pair"]
    for one in stored.dialogue.data["comparisons"]:
        if set(one["faults"]) != {"none"} and first != second:
            yield one, _points(one["faults"])


def replies(stored: StoredDialogue) -> Iterator[tuple[str, float | None]]:
    """Yield each reply's system, and whether it shows what was wanted; nothing of users without a goal."""
    dialogue = stored.dialogue
    if not dialogue.data["goal"]:
        return
    nodes: dict[str, Node] = {node.id: node for node in dialogue.nodes}
    for one in dialogue.data["comparisons"]:
        for side, system in enumerate(stored.unit.data["pair"]):
            yield system, shows_wanted(nodes.get(f"{one['node']}.{side}"), one["faults"][side])


def _points(faults: Sequence[str]) -> float | None:
    if set(faults) - {"none", "system"}:
        return None
    return {("system", "none"): 0.0, ("none", "system"): 1.0, ("system", "system"): 0.5}[faults[0], faults[1]]
