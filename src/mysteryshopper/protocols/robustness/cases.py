"""What judges see of robustness: the clean query, with the reply to it and the reply to its careless form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mysteryshopper.core import Case, Node, Store, StoredDialogue
from mysteryshopper.protocols.branching import NOBODY, Fork, history_of, pair_case
from mysteryshopper.protocols.branching.controls import Controls


def robustness_cases(store: Store, controls: int) -> Iterator[Case]:
    """Yield all cases of a run: every careless query that was answered, in planned order; controls last.

    Args:
        store: The run.
        controls: How many controls of each sort.
    """
    held = Controls.of(store.plan, controls)
    for stored in store.dialogues():
        nodes = {node.id: node for node in stored.dialogue.nodes}
        seen: set[str] = set()
        for probe in stored.dialogue.data["probes"]:
            if set(probe["faults"]) != {"none"}:
                continue
            fork = _fork(stored, probe, nodes)
            replies = (fork.replies[0], nodes[probe["reply"]])
            told = {"noise": probe["noise"], "rate": probe["rate"]}
            name = f"pair|{stored.unit.key}|{probe['node']}"
            yield pair_case(fork, name, control="", replies=replies, data=told)
            if fork.node not in seen:
                seen.add(fork.node)
                held.keep(fork)
    yield from held.cases()


def _fork(stored: StoredDialogue, probe: Mapping[str, Any], nodes: Mapping[str, Node]) -> Fork:
    """Return a clean query with its reply, as controls take it."""
    dialogue, clean = stored.dialogue, str(probe["clean"])
    reply = nodes[f"{clean}.0"]
    system = stored.unit.system
    return Fork(
        stored.unit,
        dialogue.id,
        dialogue.root,
        (system, system),
        clean,
        int(probe["depth"]),
        NOBODY,
        history_of(dialogue, clean),
        (reply, reply),
        dialogue.data,
    )
