"""A system that is watched in `free`: its ranking is taken before each reply, and some of its items count as shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from mysteryshopper.core import History, ItemRef, Opening, Ranker, Scored, Session, System, SystemReply
from mysteryshopper.metrics import order_by_id
from mysteryshopper.prompts import Prompt
from mysteryshopper.protocols.ievalm.rankings import in_order


@dataclass(frozen=True, slots=True)
class ReadOut:
    """The published habit of reading the whole ranking out at a hit and in the last turn.

    Attributes:
        targets: Ids of the targets.
        last: Number of the last system turn.
        find: Makes the reference to an item, by its id.
    """

    targets: frozenset[str]
    last: int
    find: Callable[[str], ItemRef]

    def extend(self, reply: SystemReply, order: Sequence[str], turn: int) -> SystemReply:
        """Return the reply, with the ranking in front of it and as what it shows, where it is read out."""
        if not self.targets.intersection(order) and turn < self.last:
            return reply
        items = tuple(self.find(name) for name in order)
        if not items:
            return reply
        told = Prompt.load("protocols/ievalm-read-out").render(items=items).text
        return replace(reply, messages=(told, *reply.messages), items=items)


@dataclass
class Watched:
    """A system as the loop gets it.

    Attributes:
        system: The system.
        k: Depth of the rankings that are taken; 0 takes none.
        show: How many items of a reply count as shown; None is all.
        read_out: The published habit, where it is kept.
        rankings: The ranking before each reply, by number of the turn.
        memory: As the system's.
    """

    system: System
    k: int
    show: int | None = None
    read_out: ReadOut | None = None
    rankings: dict[int, Sequence[Scored]] = field(default_factory=dict)
    memory: Literal["messages", "session"] = field(init=False)

    def __post_init__(self) -> None:
        """Live where the system lives."""
        self.memory = self.system.memory

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[_Session]:
        """Open a conversation."""
        async with self.system.open(opening, history) as session:
            yield _Session(self, session)

    async def ask(self, session: Session, history: History) -> SystemReply:
        """Take the ranking, and then the reply."""
        if self.k and isinstance(self.system, Ranker):
            asked = replace(history, address=history.address.to(purpose="rank"))
            self.rankings[history.turn] = await self.system.rank(asked, self.k)
        reply = await session.reply(history)
        if self.show is not None:
            reply = replace(reply, items=reply.items[: self.show])
        if self.read_out is None:
            return reply
        ranking = self.rankings.get(history.turn)
        if ranking is None:  # one that can only talk is scored by the items of its reply
            ranking = self.rankings[history.turn] = in_order(reply.items)
        return self.read_out.extend(reply, order_by_id(ranking)[: self.k or None], history.turn)


class _Session:
    def __init__(self, watched: Watched, session: Session) -> None:
        self._watched = watched
        self._session = session

    async def reply(self, history: History) -> SystemReply:
        return await self._watched.ask(self._session, history)
