"""Cases whose right verdict is known: a dialogue against itself, and against one that was made worse."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from itertools import chain, cycle, islice
from typing import TYPE_CHECKING, Any

from mysteryshopper.core import Case, Message, Node, Store, StoredDialogue, Unit
from mysteryshopper.dialogue.marks import Find
from mysteryshopper.items import meets

if TYPE_CHECKING:
    from mysteryshopper.protocols.conversation_cases import Shot

MakeCase = Callable[..., Case]


_DONORS = 3  # tried in turn for each planted case


@dataclass(frozen=True, slots=True)
class _Held:
    """A dialogue that a control is made of."""

    shot: Shot
    nodes: tuple[Node, ...]
    goal: Any

    @property
    def shown(self) -> dict[str, bool]:
        """The items that were shown, by id: whether one was wanted."""
        return {item.item.id: bool(item.mine) for node in self.nodes for item in node.items if item.item.id is not None}


@dataclass
class Controls:
    """The controls of a run; of its dialogues only those are held that a control needs.

    Attributes:
        same: Keys of the two units that are shown against each other; the same one twice without repeats.
        worse: Keys of a unit, and of those whose system turns may be planted in it; more than are used, as not all fit.
        most: How many are made worse at most.
        find: Looks items up, so that nothing that serves the wish is planted; None where there is no catalogue.
    """

    same: tuple[tuple[str, str], ...] = ()
    worse: tuple[tuple[str, tuple[str, ...]], ...] = ()
    most: int = 0
    find: Find | None = None
    _held: dict[str, _Held] = field(default_factory=dict)

    @cached_property
    def _needed(self) -> frozenset[str]:
        pairs = [*self.same, *((key, *donors) for key, donors in self.worse)]
        return frozenset(key for pair in pairs for key in pair)

    @classmethod
    def choose(cls, store: Store, most: int, seed: int) -> Controls:
        """Draw up to `most` controls of each sort by a hash of the complete units: a run that grows keeps most.

        With repeats, a system is held against itself over the first two repeats of one scenario; without, a dialogue
        is shown twice. What is made worse is a dialogue that served the wish (where there is no goal: any of a system
        that is no control), since what was no good can't be made worse; what is planted comes from another scenario of
        the same system and user, of another cluster.
        """
        if most < 1:
            return cls()
        complete: list[Unit] = []
        good: list[Unit] = []
        for stored in store.dialogues(nodes=False):
            if stored.dialogue.fault == "none":
                complete.append(stored.unit)
                if _is_good(stored, store.plan.is_control(stored.unit.system)):
                    good.append(stored.unit)
        keys = {unit.key for unit in complete}
        again = [unit for unit in complete if unit.repeat == 1 and replace(unit, repeat=0).key in keys]
        repeats = any(unit.repeat for unit in complete)
        chosen = nsmallest(most, again if repeats else complete, key=lambda unit: draw(seed, "same", unit.key))
        same = tuple((replace(unit, repeat=0).key if repeats else unit.key, unit.key) for unit in chosen)
        donors = Donors(complete, seed)
        worse = tuple(
            (unit.key, donors.of(unit))
            for unit in nsmallest(2 * most, good, key=lambda unit: draw(seed, "worse", unit.key))
        )
        dataset = store.plan.dataset()
        return cls(same, worse, most, dataset.catalog().find if dataset is not None else None)

    def keep(self, stored: StoredDialogue, shot: Shot) -> None:
        """Hold a dialogue if a control needs it."""
        if stored.unit.key in self._needed:
            data = stored.dialogue.data
            goal = data.get("targets") or data.get("constraints") or data.get("wish")
            self._held[stored.unit.key] = _Held(shot, stored.dialogue.nodes, goal)

    def cases(self, graded: MakeCase, pair: MakeCase) -> Iterator[Case]:
        """Yield the controls; what is planted is the first of the drawn ones that serves the wish worse."""
        for first, second in self.same:
            if first in self._held and second in self._held:
                shots = self._held[first].shot, self._held[second].shot
                yield pair(*shots, name=f"same|{second}", control="same")
        planted = 0
        for key, donors in self.worse:
            if planted == self.most or (real := self._held.get(key)) is None:
                continue
            fit = (self._held[name] for name in donors if name in self._held and self._spoils(real, self._held[name]))
            if (donor := next(fit, None)) is not None:
                planted += 1
                yield from _worse(real, donor, graded, pair)

    def _spoils(self, real: _Held, donor: _Held) -> bool:
        """Whether the system's turns of `donor` serve the wish of `real` worse than its own."""
        if _planted(real.nodes, donor.nodes) == real.shot.messages or real.goal == donor.goal:
            return False
        wanted = {name for name, mine in real.shown.items() if mine}
        if wanted & donor.shown.keys():
            return False
        constraints = real.shot.data["constraints"]
        if self.find is None or not constraints:
            return True
        items = (self.find(name) for name in donor.shown)
        return not any(meets(item, constraints) for item in items if item is not None)


def _worse(real: _Held, donor: _Held, graded: MakeCase, pair: MakeCase) -> Iterator[Case]:
    # It is no dialogue of the run, so it has no id and no node in it.
    shot = replace(real.shot, dialogue="", node="", messages=_planted(real.nodes, donor.nodes), success=None)
    key = real.shot.unit.key
    yield pair(real.shot, shot, name=f"worse|{key}", control="worse")
    yield graded(shot, name=f"worse-one|{key}", control="worse", data={"real": f"one|{key}"})


def _planted(nodes: tuple[Node, ...], donor: tuple[Node, ...]) -> tuple[Message, ...]:
    """Return a dialogue's messages with the system's turns of another in the place of its own, from its first on."""
    turns = cycle([node.messages for node in donor if node.side == "system" and node.turn > 0 and node.messages])
    said: list[Message] = []
    for node in nodes:
        said += next(turns) if node.side == "system" and node.turn > 0 else node.messages
    return tuple(said)


def _is_good(stored: StoredDialogue, control: bool) -> bool:
    return stored.dialogue.success is True or (stored.dialogue.success is None and not control)


class Donors:
    """Complete units in a ring by their hashes, one for each system with each user: donors are the next in it."""

    def __init__(self, complete: Iterable[Unit], seed: int) -> None:
        """Make it of the units that may give; `seed` draws them."""
        self._seed = seed
        self._rings: dict[tuple[str, str], list[tuple[bytes, Unit]]] = {}
        for unit in complete:
            place = draw(seed, "donor", unit.key)
            self._rings.setdefault((unit.user, unit.system), []).append((place, unit))
        for ring in self._rings.values():
            ring.sort(key=_place)

    def of(self, unit: Unit) -> tuple[str, ...]:
        """Return the keys of units of another scenario and cluster whose turns may be planted in this one."""
        ring = self._rings[unit.user, unit.system]
        start = bisect_left(ring, draw(self._seed, unit.key), key=_place)
        others = (other for _, other in chain(ring[start:], ring[:start]))
        fit = (other.key for other in others if other.id != unit.id and _cluster(other) != _cluster(unit))
        return tuple(islice(fit, _DONORS))


def _place(entry: tuple[bytes, Unit]) -> bytes:
    return entry[0]


def _cluster(unit: Unit) -> str:
    return unit.cluster or unit.id


def draw(seed: int, *names: str) -> bytes:
    """Return a hash by which units are drawn: the smallest are taken, so that a run that grows keeps most."""
    return hashlib.blake2b("\n".join((str(seed), *names)).encode("utf-8", "replace"), digest_size=16).digest()
