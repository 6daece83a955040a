"""The dialogues held with one prompt: read from their run, and kept in the parent under names of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mysteryshopper.core import Dialogue, Fault, Store, Unit
from mysteryshopper.optimize.story import name_of
from mysteryshopper.protocols.conversation_cases import Shot
from mysteryshopper.protocols.conversation_people import wish_of

_OURS = "optimise"

Place = tuple[str, str]
"""Which dialogue of a batch: scenario and system."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The dialogues of one round.

    Attributes:
        number: Number of the prompt.
        shots: Those that went well, by place, as judges get to see them.
        faults: The others: whose fault it was.
    """

    number: int
    shots: Mapping[Place, Shot]
    faults: Mapping[Place, Fault]

    @property
    def lost(self) -> dict[str, int]:
        """Dialogues that did not go well, by fault."""
        return dict(Counter(self.faults.values()))


def read_batch(store: Store, number: int, parent: Unit) -> tuple[Batch, list[Dialogue]]:
    """Return the batch that a child run holds, and its good dialogues as the parent keeps them.

    Args:
        store: The child's.
        number: Number of the prompt.
        parent: The unit of the parent's run.
    """
    faults: dict[Place, Fault] = {}
    for record in store.units():
        if record.fault != "none":
            faults[record.unit.id, record.unit.system] = record.fault
    shots: dict[Place, Shot] = {}
    kept: list[Dialogue] = []
    for stored in store.dialogues():
        unit, dialogue = stored.unit, stored.dialogue
        place = (unit.id, unit.system)
        if place in faults or not dialogue.nodes:
            continue
        name = "|".join((parent.key, str(number), unit.id, unit.system))
        label = f"{name_of(number)} · {unit.id} · {unit.system}"
        told = {_OURS: {"round": number, "scenario": unit.id, "system": unit.system}, "label": label}
        kept.append(replace(dialogue, id=name, data={**dialogue.data, **told}))
        shots[place] = _shot(kept[-1], unit.user)
    return Batch(number, shots, faults), kept


def kept_batches(store: Store) -> dict[int, dict[Place, Shot]]:
    """Return all dialogues that a parent keeps, by round and place."""
    found: dict[int, dict[Place, Shot]] = {}
    for stored in store.dialogues():
        ours = stored.dialogue.data.get(_OURS)
        if ours is not None:
            place = (ours["scenario"], ours["system"])
            found.setdefault(ours["round"], {})[place] = _shot(stored.dialogue, stored.unit.user)
    return found


def _shot(dialogue: Dialogue, user: str) -> Shot:
    ours = dialogue.data[_OURS]
    unit = Unit(ours["scenario"], user, ours["system"], cluster=dialogue.root)
    told = wish_of(dialogue.data)
    return Shot(
        unit,
        dialogue.id,
        dialogue.nodes[-1].id,
        tuple(message for node in dialogue.nodes for message in node.messages),
        str(told.pop("wish")),
        {**told, "persona": dialogue.data.get("persona", ""), "style": dialogue.data.get("style", {})},
        dialogue.root,
        dialogue.success,
    )


def shared(one: Mapping[Place, Shot], other: Mapping[Place, Shot]) -> Iterator[tuple[Shot, Shot]]:
    """Yield the dialogues over the same person and system, in the order of the first."""
    for place, shot in one.items():
        if place in other:
            yield shot, other[place]


def places(batches: Iterable[Batch]) -> set[Place]:
    """Return all places of some batches, whether they went well or not."""
    return {place for batch in batches for place in (*batch.shots, *batch.faults)}
