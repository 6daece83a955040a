"""One history with two replies to it, and the case that judges see of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mysteryshopper.core import Address, Case, Dialogue, Exhibit, Message, Node, Unit
from mysteryshopper.protocols.conversation_people import wish_of

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
