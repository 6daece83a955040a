"""`http`: any recommender behind a URL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar, Literal, Self

from mysteryshopper.core import (
    Choice,
    History,
    ItemRef,
    Json,
    Opening,
    Option,
    Parts,
    Poster,
    Scored,
    SystemReply,
)
from mysteryshopper.systems.options import NoOptions
from mysteryshopper.systems.wire import Resolve, body_messages, read_reply, resolver_of


class HttpSystem:
    """A recommender that answers `POST {"session", "turn", "messages", "want"?}`; see the reference for the form.

    It can rank and choose too, where its answers to `want` do; one that ignores `want` is read as far as it answers.
    """

    options: ClassVar[type[NoOptions]] = NoOptions

    def __init__(self, poster: Poster, resolve: Resolve, memory: Literal["messages", "session"] = "messages") -> None:
        """Make it from its endpoint and what ties its items to the catalogue."""
        self._poster = poster
        self._resolve = resolve
        self.memory: Literal["messages", "session"] = memory

    @classmethod
    def build(cls, options: NoOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must have a `url`."""
        return cls(parts.poster(), resolver_of(parts), parts.memory or "messages")

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[_HttpSession]:
        """Open a conversation: nothing is sent before the first turn."""
        yield _HttpSession(self, opening.session)

    async def ask(self, session: str, history: History, want: Json = None) -> tuple[Json, str]:
        """Post one turn; returns the JSON answer and the id of the recorded call."""
        body = {"session": session, "turn": history.turn, "messages": body_messages(history)}
        if want is not None:
            body["want"] = want
        answer, call = await self._poster.post(body, history.address)
        return answer, call.id

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Ask for k items; their order is the ranking, unknown ones keep their place under an id of their own."""
        answer, _ = await self.ask(_session_of(history), history, {"k": k})
        items = self._resolve(read_reply(answer, silent=True)).items[:k]
        return [Scored(_known(item, place), float(-place)) for place, item in enumerate(items)]

    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        """Ask for one of the options."""
        want = {"choices": [{"id": option.id, "text": option.text} for option in options]}
        answer, call = await self.ask(_session_of(history), history, want)
        chosen = answer.get("choice") if isinstance(answer, dict) else None
        known = {option.id for option in options}
        if not isinstance(chosen, str) or chosen not in known:
            return Choice(None, "invalid" if chosen is not None else "empty", str(chosen or ""), (call,))
        return Choice(chosen, "ok", chosen, (call,))

    async def reply(self, session: str, history: History) -> SystemReply:
        """Answer one turn of a session."""
        answer, call = await self.ask(session, history)
        reply = self._resolve(read_reply(answer))
        return SystemReply(reply.messages, reply.items, reply.tool_calls, reply.usage, reply.notes, (call,))


class _HttpSession:
    def __init__(self, system: HttpSystem, session: str) -> None:
        self._system = system
        self._session = session

    async def reply(self, history: History) -> SystemReply:
        return await self._system.reply(self._session, history)


def _session_of(history: History) -> str:
    """Return the session of a question outside a dialogue; blocks that share an endpoint don't share it."""
    address = history.address
    parts = (address.unit, address.component, address.repeat, address.path)
    return "-".join(str(part) for part in parts if part != "")


def _known(item: ItemRef, place: int) -> str:
    return item.id if item.id is not None else f"?{place}:{item.title}"
