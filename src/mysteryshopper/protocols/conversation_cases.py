"""What judges see of conversations: each whole dialogue by itself, and every two systems' dialogues as a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from mysteryshopper.core import Address, Case, Exhibit, Message, Store, StoredDialogue, Unit
from mysteryshopper.protocols.conversation_controls import Controls
from mysteryshopper.protocols.conversation_people import wish_of


@dataclass
class _Group:
    """Dialogues of one scenario and repeat with one user, by system: what pairs are made of."""

    open: int
    shown: dict[str, Shot] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shot:
    """One dialogue as judges get to see it.

    Attributes:
        unit: Its unit.
        dialogue: Its id.
        node: Path of its last node.
        messages: All that was said.
        wish: What the person wanted, in words.
        data: What rules need beside the words.
        cluster: What dialogues depend on each other by.
        success: Whether the wish was met.
    """

    unit: Unit
    dialogue: str
    node: str
    messages: tuple[Message, ...]
    wish: str
    data: Mapping[str, Any]
    cluster: str
    success: bool | None

    @classmethod
    def of(cls, stored: StoredDialogue) -> Shot:
        """Return what is shown of a stored dialogue."""
        dialogue = stored.dialogue
        data = wish_of(dialogue.data)
        return cls(
            stored.unit,
            dialogue.id,
            dialogue.nodes[-1].id,
            tuple(message for node in dialogue.nodes for message in node.messages),
            str(data.pop("wish")),
            data,
            dialogue.root,
            dialogue.success,
        )


def conversation_cases(store: Store, controls: int, seed: int) -> Iterator[Case]:
    """Yield all cases of a run: graded ones and pairs in planned order of their dialogues, controls last.

    Dialogues with a fault, those in which the system never spoke, and those of units that a resume will run again are
    not judged. Only the dialogues of a scenario and repeat that wait for another system's are held.

    Args:
        store: The run.
        controls: How many controls of each sort.
        seed: Draws the controls.
    """
    open_: Counter[tuple[str, str, int]] = Counter()
    again: set[str] = set()
    for record in store.units():
        unit = record.unit
        if record.status == "complete":
            open_[unit.id, unit.user, unit.repeat] += 1
        elif record.fault == "infra":
            again.add(unit.key)
    chosen = Controls.choose(store, controls, seed)
    groups: dict[tuple[str, str, int], _Group] = {}
    for stored in store.dialogues():
        unit = stored.unit
        if stored.dialogue.fault != "none" or unit.key in again:
            continue
        shot = Shot.of(stored)
        key = (unit.id, unit.user, unit.repeat)
        group = groups.setdefault(key, _Group(open_[key]))
        group.open -= 1
        if _has_answer(stored):
            yield graded_case(shot)
            group.shown[unit.system] = shot
            chosen.keep(stored, shot)
        if group.open <= 0:
            yield from _pairs(groups.pop(key).shown, store.plan.systems)
    for group in groups.values():  # a unit that was planned but left no dialogue
        yield from _pairs(group.shown, store.plan.systems)
    yield from chosen.cases(graded_case, pair_case)


def graded_case(shot: Shot, name: str = "", **more: Any) -> Case:
    """Return the case of one dialogue.

    Args:
        shot: The dialogue.
        name: Id of the case, where it is not that of the dialogue's own.
        more: `control` and further `data`.
    """
    name = name or f"one|{shot.unit.key}"
    data = {**_data(shot), "systems": [shot.unit.system], "success": shot.success, **more.pop("data", {})}
    return Case(name, shot.unit.key, (_exhibit("A", shot),), (), _context(shot), data, address=_at(shot, name), **more)


def pair_case(first: Shot, second: Shot, name: str = "", **more: Any) -> Case:
    """Return the case of two dialogues over one scenario; arguments as in `graded_case`.

    Its id names the two systems in alphabetical order, so that it is the same whatever the order of the file.
    """
    unit = first.unit
    systems = [first.unit.system, second.unit.system]
    name = name or "|".join(("pair", unit.id, unit.user, *sorted(systems), str(unit.repeat)))
    outcomes = [first.success, second.success]
    data = {**_data(first), "systems": systems, "success": outcomes, **more.pop("data", {})}
    exhibits = (_exhibit("A", first), _exhibit("B", second))
    return Case(name, unit.key, exhibits, (), _context(first), data, address=_at(first, name), **more)


def _pairs(shown: Mapping[str, Shot], systems: Sequence[str]) -> Iterator[Case]:
    for first, second in combinations([shown[system] for system in systems if system in shown], 2):
        yield pair_case(first, second)


def _data(shot: Shot) -> dict[str, Any]:
    return {**shot.data, "user": shot.unit.user, "cluster": shot.cluster}


def _exhibit(label: str, shot: Shot) -> Exhibit:
    return Exhibit(label, shot.dialogue, shot.node, shot.messages)


def _context(shot: Shot) -> tuple[Message, ...]:
    """Return what the person wanted, which a judge needs to know."""
    return (Message("system", shot.wish, author="simulated"),) if shot.wish else ()


def _at(shot: Shot, name: str) -> Address:
    return Address(unit=shot.unit.id, repeat=shot.unit.repeat, path=name, role="judge")


def _has_answer(stored: StoredDialogue) -> bool:
    return any(node.side == "system" and node.turn > 0 and node.messages for node in stored.dialogue.nodes)
