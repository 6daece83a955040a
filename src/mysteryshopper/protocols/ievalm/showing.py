"""What judges see of chats: the dialogues, with what persuasiveness is judged by, and pairs of seekers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from mysteryshopper.core import Address, Case, Exhibit, Message, Node, Store, StoredDialogue
from mysteryshopper.datasets import Dataset, RecTurn
from mysteryshopper.protocols.conversation_cases import conversation_cases
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.slices import Slice

PEOPLE = "people"
"""Name of the arm that is the person in the data."""


def chat_cases(store: Store, turns: Mapping[str, RecTurn], options: IEvaLMOptions) -> Iterator[Case]:
    """Yield the cases of `free`: every dialogue, every two systems', and if wanted every two seekers'.

    A case about systems also holds the targets (`targets`, pairs of title and year) and whether one was shown (`hit`).

    Args:
        store: The run.
        turns: Recommending turns by id.
        options: The protocol's options.
    """
    chats = Slice(store, "free")
    dataset: Dataset = store.plan.dataset()
    hits = {
        stored.unit.key: (stored.unit.data["turn"], stored.dialogue.data.get("first_hit") is not None)
        for stored in chats.dialogues(nodes=False)
    }
    for case in conversation_cases(chats, 0, store.plan.seed):
        turn, hit = hits[case.unit]
        items = [dataset.catalog().get(name) for name in turns[turn].targets]
        yield replace(case, data={**case.data, "targets": [[item.title, item.year] for item in items], "hit": hit})
    if options.compare_users:
        yield from _seekers(chats, turns, options.start == "prefix")


@dataclass(frozen=True, slots=True)
class _Seeker:
    """One side's words in one unit."""

    name: str
    dialogue: str
    node: str
    messages: tuple[Message, ...]


def _seekers(store: Slice, turns: Mapping[str, RecTurn], prefix: bool) -> Iterator[Case]:
    """Yield every two users' words to one system over one turn, and every user's against the person's in the data.

    What the person said there after the turn is only known where the data has a later turn of the same dialogue.
    """
    people = _people(turns) if prefix else {}
    waiting: dict[tuple[str, str, int], list[tuple[StoredDialogue, _Seeker]]] = {}
    for stored in store.dialogues():
        dialogue, unit = stored.dialogue, stored.unit
        said = _said(dialogue.nodes)
        if dialogue.fault != "none" or not any(message.side == "user" for message in said):
            continue
        seeker = _Seeker(unit.user, dialogue.id, dialogue.nodes[-1].id, said)
        turn = turns[unit.data["turn"]]
        if (person := people.get(turn.id)) is not None:
            yield _pair(stored, turn, seeker, person, prefix)
        before = waiting.setdefault((unit.id, unit.system, unit.repeat), [])
        before.append((stored, seeker))
        if len(before) == len(store.plan.users):
            for (one, first), (_, second) in combinations(before, 2):
                yield _pair(one, turn, first, second, prefix)
            del waiting[unit.id, unit.system, unit.repeat]


def _pair(stored: StoredDialogue, turn: RecTurn, first: _Seeker, second: _Seeker, prefix: bool) -> Case:
    unit = stored.unit
    name = "|".join(("users", unit.id, unit.system, first.name, second.name, str(unit.repeat)))
    exhibits = (
        Exhibit("A", first.dialogue, first.node, first.messages),
        Exhibit("B", second.dialogue, second.node, second.messages),
    )
    data = {"about": "users", "user": "", "systems": [first.name, second.name], "cluster": stored.dialogue.root}
    address = Address(unit=unit.id, repeat=unit.repeat, path=name, role="judge")
    return Case(name, unit.key, exhibits, (), turn.history if prefix else (), data, address=address)


def _said(nodes: tuple[Node, ...]) -> tuple[Message, ...]:
    """Return what was said after the prefix, without the items behind it: seekers are judged by words."""
    said = (message for node in nodes if node.turn > 0 for message in node.messages)
    return tuple(replace(message, items=(), entities=()) for message in said)


def _people(turns: Mapping[str, RecTurn]) -> dict[str, _Seeker]:
    """Return what was really said from each turn on, as far as the last known turn of its dialogue goes."""
    last: dict[str, RecTurn] = {}
    for turn in turns.values():
        if turn.dialogue not in last or len(turn.history) > len(last[turn.dialogue].history):
            last[turn.dialogue] = turn
    found = {}
    for turn in turns.values():
        rest = last[turn.dialogue].history[len(turn.history) :]
        said = tuple(replace(message, items=(), entities=()) for message in rest)
        if any(message.side == "user" for message in said):
            found[turn.id] = _Seeker(PEOPLE, "", "", said)
    return found
