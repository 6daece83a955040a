"""The dialogues of one person with one system, one a simulator: what a comparison is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from mysteryshopper.core import Fault, JsonObject, Message, Node, Store, StoredDialogue, Unit

Key = tuple[str, str, int]
"""Scenario, system and repeat."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One dialogue, as comparisons take it.

    Attributes:
        unit: Its unit.
        dialogue: Its id.
        nodes: All turns; people's own before the first, where it went on from them.
        person: What the dialogue keeps of the person.
        cluster: What dialogues depend on each other by: the person.
        fault: Whose fault it was that it failed.
    """

    unit: Unit
    dialogue: str
    nodes: tuple[Node, ...]
    person: JsonObject
    cluster: str
    fault: Fault

    @classmethod
    def of(cls, stored: StoredDialogue) -> Talk:
        """Return a stored dialogue."""
        found = stored.dialogue
        return cls(stored.unit, found.id, found.nodes, found.data, found.root, found.fault)

    @property
    def before(self) -> tuple[Message, ...]:
        """What people had said before."""
        return tuple(message for node in self.nodes if node.turn == 0 for message in node.messages)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the two sides said."""
        return tuple(message for node in self.nodes if node.turn > 0 for message in node.messages)

    @property
    def spoke(self) -> bool:
        """Whether the simulated user said anything."""
        return any(node.side == "user" and node.turn > 0 and node.messages for node in self.nodes)


def key_of(unit: Unit) -> Key:
    """Return what the simulators that are compared share."""
    return unit.id, unit.system, unit.repeat


def met(store: Store, watch: Callable[[StoredDialogue], None] = lambda stored: None) -> Iterator[Mapping[str, Talk]]:
    """Yield the dialogues of each scenario, system and repeat by simulator, streaming, in planned order.

    Those of units that a resume will run again are left out. Only dialogues that wait for another simulator's are held.

    Args:
        store: The run.
        watch: Called with every dialogue.
    """
    open_: Counter[Key] = Counter()
    again: set[str] = set()
    for record in store.units():
        if record.status == "planned":
            continue
        open_[key_of(record.unit)] += 1
        if record.status == "failed" and record.fault == "infra":
            again.add(record.unit.key)
    groups: dict[Key, dict[str, Talk]] = {}
    for stored in store.dialogues():
        watch(stored)
        key = key_of(stored.unit)
        group = groups.setdefault(key, {})
        open_[key] -= 1
        if stored.unit.key not in again:
            group[stored.unit.user] = Talk.of(stored)
        if open_[key] <= 0:
            yield groups.pop(key)
    yield from groups.values()  # a unit that failed without leaving a dialogue


def pairs(talks: Mapping[str, Talk], users: Sequence[str]) -> Iterator[tuple[Talk, Talk]]:
    """Yield every two dialogues of a group, in the order of the experiment's users."""
    yield from combinations([talks[user] for user in users if user in talks], 2)


def is_judged(first: Talk, second: Talk) -> bool:
    """Whether a judge is shown a pair: neither failed, and in both the user spoke."""
    return first.fault == second.fault == "none" and first.spoke and second.spoke


def decided(first: Talk, second: Talk) -> float | None:
    """Return what a pair that no judge is shown comes to for its first: 1 won, 0 lost, 0.5 if both simulators failed.

    Returns:
        None where a judge is shown it, or something else than the simulators spoilt it.
    """
    faults = first.fault, second.fault
    if is_judged(first, second) or "user" not in faults or not set(faults) <= {"user", "none"}:
        return None
    return 0.5 if faults == ("user", "user") else float(faults[1] == "user")
