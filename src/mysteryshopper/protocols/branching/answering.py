"""One reply to one history, in a session of its own; and who has read what in the tree."""

from __future__ import annotations

from dataclasses import replace

from mysteryshopper.core import StopRun, System
from mysteryshopper.dialogue import Scene, Step, Tree, failure, system_turn


async def answer(scene: Scene, system: System, tree: Tree, leaf: str, name: str) -> Step:
    """Ask a system for one reply, in a session of its own.

    Args:
        scene: The dialogue's setting; its opening names the session.
        system: The system.
        tree: The dialogue so far.
        leaf: Path of the node to answer.
        name: Path of the new node.

    Raises:
        StopRun: Nothing more can be asked in this run.
    """
    history = tree.history(leaf, "system", scene.at(name, "system"))
    step: Step | None = None
    try:
        async with system.open(scene.opening, history) as session:
            step = await system_turn(scene, session, tree, leaf, name=name)
    except StopRun:
        raise
    except Exception as error:  # a plug-in may raise anything; one that only fails to hang up has still answered
        return step or failure("system", leaf, error)
    return step


def read_by_all(tree: Tree) -> Tree:
    """Return the tree with every node marked as read by all who spoke after it on a branch."""
    readers: dict[str, dict[str, None]] = {node.id: dict.fromkeys(node.seen_by) for node in tree.nodes}
    for node in reversed(tree.nodes):
        if node.parent is not None:
            for name in readers[node.id]:
                readers[node.parent].setdefault(name)
    return Tree(tuple(replace(node, seen_by=tuple(readers[node.id])) for node in tree.nodes))
