"""`openai`: a chat endpoint as the system under test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import CallFailed, ChatModel, ChatRequest, History, Opening, Parts, SystemReply
from mysteryshopper.dialogue import render
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.systems.wire import Resolve, resolver_of


class OpenAIOptions(BaseModel):
    """Options of `openai`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instructions: str = Field(default="", description="System message that the endpoint gets first; empty sends none.")


class OpenAISystem:
    """A chat endpoint that is itself what is tested: its model block names it, its reply is what it says.

    Items are what its text mentions. Its failures count against it, except 429, which is infrastructure.
    """

    options: ClassVar[type[OpenAIOptions]] = OpenAIOptions
    memory: Literal["messages"] = "messages"

    def __init__(self, model: ChatModel, resolve: Resolve, instructions: str = "") -> None:
        """Make it from a model and what ties its items to the catalogue."""
        self._model = model
        self._resolve = resolve
        self._instructions = instructions

    @classmethod
    def build(cls, options: OpenAIOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), resolver_of(parts), options.instructions)

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[OpenAISystem]:
        """Open a conversation; all of it is in the messages."""
        yield self

    async def reply(self, history: History) -> SystemReply:
        """Answer the history."""
        messages = render(history.messages, "system", self._instructions)
        try:
            answer = await self._model.chat(ChatRequest(messages=messages), history.address)
        except CallFailed as failure:
            if failure.fault == "infra" and failure.status != 429 and failure.ended != "budget":
                raise CallFailed(str(failure), ended=failure.ended, fault="system", status=failure.status) from failure
            raise
        text, _ = strip_reasoning(answer.text or "")
        return self._resolve(SystemReply(messages=(text,), usage=answer.usage, calls=(answer.call,)))
