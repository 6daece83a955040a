"""Pairs whose right verdict is known: a reply against itself, and against the same system's from another root."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappush, heappushpop

from mysteryshopper.core import Case, Node, Plan
from mysteryshopper.dialogue.marks import Find
from mysteryshopper.items import meets
from mysteryshopper.protocols.branching.forks import Fork, pair_case

_SPARE = 3
"""Real replies held for each planted case, and donors for each real one: not every two fit."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """One reply to one history."""

    fork: Fork
    place: int

    @property
    def node(self) -> Node:
        return self.fork.replies[self.place]

    @property
    def system(self) -> str:
        return self.fork.pair[self.place]

    @property
    def name(self) -> str:
        return f"{self.fork.unit.key}|{self.node.id}"


@dataclass
class Controls:
    """Draws controls by a hash while forks stream by, so that a run that grows keeps most; holds those alone.

    Attributes:
        most: How many of each sort.
        seed: Draws them.
        find: Looks items up, so that nothing that serves the wish is planted; None where there is no catalogue.
    """

    most: int
    seed: int
    find: Find | None = None
    _same: list[tuple[int, str, _Reply]] = field(default_factory=list)
    _real: list[tuple[int, str, _Reply]] = field(default_factory=list)
    _donors: list[tuple[int, str, _Reply]] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan, most: int) -> Controls:
        """Make it for an experiment; `most` of each sort."""
        dataset = plan.dataset()
        return cls(most, plan.seed, dataset.catalog().find if most and dataset is not None else None)

    def keep(self, fork: Fork) -> None:
        """Take a fork in, if the draw takes it."""
        if self.most < 1:
            return
        for place in (0,) if fork.replies[0] is fork.replies[1] else (0, 1):
            reply = _Reply(fork, place)
            self._draw(self._same, "same", reply, self.most)
            self._draw(self._donors, "donor", reply, 2 * _SPARE * self.most)
            if _is_good(reply):
                self._draw(self._real, "worse", reply, _SPARE * self.most)

    def cases(self) -> Iterator[Case]:
        """Yield the controls; what is planted is the first reply drawn that serves the wish worse."""
        for reply in _ordered(self._same):
            twice = (reply.node, reply.node)
            systems = [reply.system] * 2
            yield pair_case(reply.fork, f"same|{reply.name}", control="same", replies=twice, systems=systems)
        planted = 0
        for real in _ordered(self._real):
            if planted == self.most:
                return
            donor = next((donor for donor in _ordered(self._donors) if self._spoils(real, donor)), None)
            if donor is not None:
                planted += 1
                replies = (real.node, _stripped(donor.node))
                systems = [real.system] * 2
                yield pair_case(real.fork, f"worse|{real.name}", control="worse", replies=replies, systems=systems)

    def _draw(self, held: list[tuple[int, str, _Reply]], sort: str, reply: _Reply, most: int) -> None:
        """Hold the replies whose hashes are smallest: a heap with the largest on top."""
        entry = (-_hash(self.seed, sort, reply.name), reply.name, reply)
        if len(held) < most:
            heappush(held, entry)
        else:
            heappushpop(held, entry)

    def _spoils(self, real: _Reply, donor: _Reply) -> bool:
        """Whether a reply from another root serves the wish of the real one's worse."""
        if donor.system != real.system or donor.fork.root == real.fork.root:
            return False
        if donor.fork.unit.user != real.fork.unit.user or donor.node.messages == real.node.messages:
            return False
        wanted = {item.item.id for item in real.node.items if item.mine}
        shown = {item.item.id for item in donor.node.items}
        if wanted & shown:
            return False
        if wanted and not shown:
            return False  # a question, say, may serve anybody
        constraints = real.fork.person.get("constraints") or {}
        if self.find is None or not constraints:
            return True
        items = (self.find(name) for name in shown if name is not None)
        return not any(meets(item, constraints) for item in items if item is not None)


def _is_good(reply: _Reply) -> bool:
    """Whether a reply can be made worse: it shows what is wanted, or, where nothing in particular is, anything."""
    return not reply.fork.person.get("goal") or any(item.mine for item in reply.node.items)


def _stripped(node: Node) -> Node:
    """Return a planted reply without its place in its own tree."""
    return replace(node, id="", parent=None)


def _ordered(held: list[tuple[int, str, _Reply]]) -> list[_Reply]:
    return [reply for _, _, reply in sorted(held, key=lambda entry: (-entry[0], entry[1]))]


def _hash(seed: int, *names: str) -> int:
    text = "\n".join((str(seed), *names)).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())
