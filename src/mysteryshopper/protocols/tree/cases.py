"""What judges see of trees: both replies to one history, behind that history and the person's wish."""

from __future__ import annotations

from collections.abc import Iterator

from mysteryshopper.core import Case, Store, StoredDialogue
from mysteryshopper.protocols.branching import BOTH, NOBODY, Fork, history_of, pair_case
from mysteryshopper.protocols.branching.controls import Controls


def tree_cases(store: Store, controls: int) -> Iterator[Case]:
    """Yield all cases of a run: every history that both systems answered, in planned order; controls last.

    A root's trees stream by; of earlier ones only what controls need is held.

    Args:
        store: The run.
        controls: How many controls of each sort.
    """
    held = Controls.of(store.plan, controls)
    for stored in store.dialogues():
        for fork in forks(stored):
            yield pair_case(fork)
            held.keep(fork)
    yield from held.cases()


def forks(stored: StoredDialogue) -> Iterator[Fork]:
    """Yield the histories of a root that both systems answered, breadth first."""
    dialogue = stored.dialogue
    nodes = {node.id: node for node in dialogue.nodes}
    first, second = stored.unit.data["pair"]
    for one in dialogue.data["comparisons"]:
        if set(one["faults"]) != {"none"}:
            continue
        name = str(one["node"])
        yield Fork(
            stored.unit,
            dialogue.id,
            dialogue.root,
            (first, second),
            name,
            int(one["depth"]),
            holds_of(one["holds"]),
            history_of(dialogue, name),
            (nodes[f"{name}.0"], nodes[f"{name}.1"]),
            dialogue.data,
        )


def holds_of(names: list[str]) -> str:
    """Return whose replies a history holds, in a word."""
    return NOBODY if not names else names[0] if len(names) == 1 else BOTH
