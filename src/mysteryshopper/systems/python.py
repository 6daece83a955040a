"""`python`: a function beside the experiment file, `def reply(messages, session) -> str | dict`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal, Self

from mysteryshopper.core import History, Json, Keeper, Opening, Parts, SystemReply
from mysteryshopper.systems.options import NoOptions
from mysteryshopper.systems.wire import Resolve, body_messages, read_reply, resolver_of


class PythonSystem:
    """A function, sync or async, that is called with the messages so far and a dict of the session's own.

    A sync function runs in a thread, so that it may take its time. What it raises is the system's fault.
    """

    options: ClassVar[type[NoOptions]] = NoOptions

    def __init__(
        self,
        function: Callable[..., Any],
        resolve: Resolve,
        keeper: Keeper,
        memory: Literal["messages", "session"] = "session",
    ) -> None:
        """Make it.

        Args:
            function: `reply(messages, session)`; gives a text, or a dict as an HTTP system answers.
            resolve: Ties the answer's items to the catalogue (`systems.wire.resolver`).
            keeper: Records its answers.
            memory: `messages` if the function needs nothing but the messages; then dialogues can be branched and
                resumed in the middle. `session` if it keeps something in the session dict or elsewhere.
        """
        self._function = function
        self._resolve = resolve
        self._keeper = keeper
        self.memory: Literal["messages", "session"] = memory

    @classmethod
    def build(cls, options: NoOptions, parts: Parts) -> Self:
        """Build it for an experiment, importing the function."""
        return cls(parts.function(), resolver_of(parts), parts.keeper(), parts.memory or "session")

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[_PythonSession]:
        """Open a conversation with a fresh session dict, which holds the session's `id`."""
        yield _PythonSession(self, opening.session)

    async def reply(self, session: dict[str, Any], history: History) -> SystemReply:
        """Answer one turn of a session."""
        messages = body_messages(history)
        body = {"session": session["id"], "turn": history.turn, "messages": messages}

        async def make() -> Json:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(messages, session)
            answer = await asyncio.to_thread(self._function, messages, session)
            return await answer if inspect.isawaitable(answer) else answer

        answer, call = await self._keeper.keep(body, history.address, make)
        reply = self._resolve(read_reply(answer))
        return SystemReply(reply.messages, reply.items, reply.tool_calls, reply.usage, reply.notes, (call.id,))


class _PythonSession:
    def __init__(self, system: PythonSystem, name: str) -> None:
        self._system = system
        self._session: dict[str, Any] = {"id": name}

    async def reply(self, history: History) -> SystemReply:
        return await self._system.reply(self._session, history)
