"""What judges see of trees: both replies to one history, behind that history and the person's wish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mysteryshopper.core import Address, Case, Dialogue, Exhibit, Message, Node, Store, StoredDialogue, Unit
from mysteryshopper.protocols.conversation_people import wish_of
from mysteryshopper.protocols.tree.controls import Controls

NOBODY, BOTH = "nobody", "both"


@dataclass(frozen=True, slots=True)
class Fork:
    """One history with its two replies.

    Attributes:
        unit: The root's unit.
        dialogue: Id of the root's dialogue.
        root: Cluster.
        pair: The two systems.
        node: Path of the history's last node.
        depth: Level, from 1.
        holds: Whose replies the history holds: a system's name, `both`, or `nobody`.
        context: The history.
        replies: The two replies' nodes.
        person: What the dialogue keeps of the person.
    """

    unit: Unit
    dialogue: str
    root: str
    pair: tuple[str, str]
    node: str
    depth: int
    holds: str
    context: tuple[Message, ...]
    replies: tuple[Node, Node]
    person: Mapping[str, Any]


def tree_cases(store: Store, controls: int, seed: int) -> Iterator[Case]:
    """Yield all cases of a run: every history that both systems answered, in planned order; controls last.

    A root's trees stream by; of earlier ones only what controls need is held.

    Args:
        store: The run.
        controls: How many controls of each sort.
        seed: Draws the controls.
    """
    dataset = store.plan.dataset()
    held = Controls(controls, seed, dataset.catalog().find if controls and dataset is not None else None)
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


def history_of(dialogue: Dialogue, name: str) -> tuple[Message, ...]:
    """Return all messages up to a node."""
    ids = {name[:end] for end, sign in enumerate(f"{name}.") if sign == "."}
    return tuple(message for node in dialogue.nodes if node.id in ids for message in node.messages)


def pair_case(fork: Fork, name: str = "", **more: Any) -> Case:
    """Return the case of two replies to one history.

    Args:
        fork: The history and its replies.
        name: Id of the case, where it is not the fork's own.
        more: What differs: `control`, `replies` (nodes), `systems`, and further `data`.
    """
    name = name or f"pair|{fork.unit.key}|{fork.node}"
    person = wish_of(fork.person)
    wish = str(person.pop("wish"))
    systems = list(more.pop("systems", fork.pair))
    control = more.pop("control", "same" if fork.pair[0] == fork.pair[1] else "")
    replies: tuple[Node, Node] = more.pop("replies", fork.replies)
    known = [any(item.mine for item in node.items) if fork.person.get("goal") else None for node in replies]
    return Case(
        name,
        fork.unit.key,
        tuple(_exhibit(label, fork, node) for label, node in zip("AB", replies, strict=True)),
        (),
        ((Message("system", wish, author="simulated"),) if wish else ()) + fork.context,
        {
            **person,
            "user": fork.unit.user,
            "systems": systems,
            "cluster": fork.root,
            "success": known,
            "depth": fork.depth,
            "holds": fork.holds,
            "pair": list(fork.pair),
            **more.pop("data", {}),
        },
        control=control,
        address=Address(unit=fork.unit.id, repeat=fork.unit.repeat, path=name, role="judge"),
    )


def _exhibit(label: str, fork: Fork, node: Node) -> Exhibit:
    # What is planted comes from another tree, and has no node in this one.
    return Exhibit(label, fork.dialogue if node.id else "", node.id, node.messages)
