"""Pairs whose right verdict is known: a dialogue against itself, and against one in which the user was spoilt.

Each sort of spoiling harms what some criteria ask about; for those alone the judge's verdict is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from random import Random
from types import MappingProxyType

from mysteryshopper.core import Case, Message, Node, Store, Unit, rng
from mysteryshopper.protocols.conversation_controls import Donors, draw
from mysteryshopper.protocols.simulator_comparison.talks import Talk
from mysteryshopper.users.noise import perturb

SPOILS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "stranger": ("role_play",),
        "moved": ("relevance",),
        "garbled": ("naturalness", "clarity"),
        "stuck": ("adaptability", "realism"),
    }
)
"""What is planted, and which criteria it harms: another person's dialogue; the own turns, each in another's place;
their words out of order; the first of them said again each time."""

MakeCase = Callable[..., Case]

_SPARE = 3
"""Dialogues drawn for each planted case: not every one can be spoilt."""


@dataclass
class Controls:
    """The controls of a run; of its dialogues only those are held that a control needs.

    Attributes:
        same: Keys of the two units that are shown against each other; the same one twice without repeats.
        worse: By sort, keys of units that may be spoilt, each with those whose dialogues may be planted.
        most: How many of each sort.
        seed: Draws what is drawn.
    """

    same: tuple[tuple[str, str], ...] = ()
    worse: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    most: int = 0
    seed: int = 0
    _held: dict[str, Talk] = field(default_factory=dict)

    @classmethod
    def choose(cls, store: Store, most: int, seed: int) -> Controls:
        """Draw up to `most` controls of each sort by a hash of the complete units: a run that grows keeps most.

        Those of one sort are of different people. With repeats, a simulator is held against itself over the first two
        repeats of one scenario; without, a dialogue is shown twice.
        """
        if most < 1:
            return cls()
        complete = [stored.unit for stored in store.dialogues(nodes=False) if stored.dialogue.fault == "none"]
        keys = {unit.key for unit in complete}
        again = [unit for unit in complete if unit.repeat == 1 and replace(unit, repeat=0).key in keys]
        repeats = any(unit.repeat for unit in complete)
        chosen = _drawn(again if repeats else complete, most, seed, "same")
        same = tuple((replace(unit, repeat=0).key if repeats else unit.key, unit.key) for unit in chosen)
        donors = Donors(complete, seed)
        worse = tuple(
            (sort, unit.key, donors.of(unit) if sort == "stranger" else ())
            for sort in SPOILS
            for unit in _drawn(complete, _SPARE * most, seed, sort)
        )
        return cls(same, worse, most, seed)

    @cached_property
    def _needed(self) -> frozenset[str]:
        return frozenset(
            [key for pair in self.same for key in pair]
            + [key for _, real, donors in self.worse for key in (real, *donors)]
        )

    def keep(self, talk: Talk) -> None:
        """Hold a dialogue if a control needs it."""
        if talk.unit.key in self._needed and talk.fault == "none" and talk.spoke:
            self._held[talk.unit.key] = talk

    def cases(self, make: MakeCase) -> Iterator[Case]:
        """Yield the controls; the last exhibit of a `worse` one is the spoilt dialogue."""
        for first, second in self.same:
            if first in self._held and second in self._held:
                yield make(self._held[first], self._held[second], name=f"same|{second}", control="same")
        planted = dict.fromkeys(SPOILS, 0)
        for sort, key, donors in self.worse:
            if planted[sort] == self.most or (real := self._held.get(key)) is None:
                continue
            if (spoilt := self._spoilt(sort, real, donors)) is not None:
                planted[sort] += 1
                data = {"planted": sort, "spoils": list(SPOILS[sort])}
                yield make(real, spoilt, name=f"worse-{sort}|{key}", control="worse", data=data)

    def _spoilt(self, sort: str, real: Talk, donors: tuple[str, ...]) -> Talk | None:
        """Return the dialogue with its user spoilt; None where that changes nothing of weight."""
        if sort == "stranger":
            others = (self._held[key] for key in donors if key in self._held)
            fit = (one for one in others if one.person.get("wish") != real.person.get("wish"))
            donor = next(fit, None)
            nodes = None if donor is None else donor.nodes
        else:
            nodes = _SPOILING[sort](real.nodes, rng("spoilt", self.seed, sort, real.unit.key))
        # It is no dialogue of the run, so it has no id and no node in it.
        return None if nodes is None else replace(real, dialogue="", nodes=nodes)


def _drawn(units: list[Unit], most: int, seed: int, sort: str) -> list[Unit]:
    """Return units of different people, so that what controls show has as many clusters as it can."""
    best: dict[str, tuple[bytes, Unit]] = {}
    for unit in units:
        place = draw(seed, sort, unit.key)
        person = unit.cluster or unit.id
        if person not in best or place < best[person][0]:
            best[person] = place, unit
    return [unit for _, unit in nsmallest(most, best.values(), key=lambda entry: entry[0])]


def _moved(nodes: tuple[Node, ...], _: Random) -> tuple[Node, ...] | None:
    """Put each turn of the user in the place of the one before it, and the first in the last one's."""
    said = _said(nodes)
    if len({_text(turn) for turn in said}) < 2:
        return None
    return _with(nodes, [*said[1:], said[0]])


def _stuck(nodes: tuple[Node, ...], _: Random) -> tuple[Node, ...] | None:
    """Have the user say its first turn again each time."""
    said = _said(nodes)
    if len({_text(turn) for turn in said}) < 2:
        return None
    return _with(nodes, [said[0]] * len(said))


def _garbled(nodes: tuple[Node, ...], random: Random) -> tuple[Node, ...] | None:
    """Move the words of the user's turns about, and leave some out."""
    said = _said(nodes)
    spoilt = [
        tuple(
            replace(message, text=perturb(perturb(message.text, "shuffle", 1.0, random), "drop_word", 0.2, random))
            for message in turn
        )
        for turn in said
    ]
    before = sum(len(_text(turn).split()) for turn in said)
    return _with(nodes, spoilt) if before >= _LEAST_WORDS and spoilt != said else None


_LEAST_WORDS = 8
_SPOILING: Mapping[str, Callable[[tuple[Node, ...], Random], tuple[Node, ...] | None]] = MappingProxyType(
    {"moved": _moved, "garbled": _garbled, "stuck": _stuck}
)


def _said(nodes: tuple[Node, ...]) -> list[tuple[Message, ...]]:
    """Return the user's own turns that have words."""
    return [node.messages for node in nodes if _is_own(node)]


def _with(nodes: tuple[Node, ...], said: list[tuple[Message, ...]]) -> tuple[Node, ...]:
    """Return the dialogue with other turns of the user, in order."""
    turns = iter(said)
    return tuple(replace(node, messages=next(turns)) if _is_own(node) else node for node in nodes)


def _is_own(node: Node) -> bool:
    return node.side == "user" and node.turn > 0 and bool(node.messages)


def _text(turn: tuple[Message, ...]) -> str:
    return "\n".join(message.text for message in turn)
