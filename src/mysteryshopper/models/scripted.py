"""Models that say what they are told to: for tests, demonstrations and trying out an experiment file offline."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from mysteryshopper.core import Address, ChatReply, ChatRequest, ConfigError, ShopperError, Usage
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.sending import SimpleSender

Said = str | ChatReply | Exception
Script = Sequence[Said] | Mapping[str, "Script"] | Callable[[ChatRequest, Address], "Said | Awaitable[Said]"]


class ScriptedModel:
    """A `ChatModel` for tests, outside any run.

    The script is a list, whose replies are given in turn; a function of request and address, plain or async; or one of
    these for each purpose (of the address), where the purpose `""` serves all others. A reply is a text, a `ChatReply`,
    or an exception to raise.

    Attributes:
        requests: Every request with its address, in order.
    """

    def __init__(self, script: Script, *, form: Literal["chat", "completion"] = "chat") -> None:
        """Make it with a script."""
        self.form: Literal["chat", "completion"] = form
        self.requests: list[tuple[ChatRequest, Address]] = []
        self._script = script
        self._said: dict[str, int] = {}

    async def chat(self, request: ChatRequest, address: Address) -> ChatReply:
        """Say the next thing.

        Raises:
            ShopperError: The script has no more replies, or none for this purpose.
        """
        self.requests.append((request, address))
        said = self._next(self._script, "", request, address)
        if inspect.isawaitable(said):
            said = await said
        if isinstance(said, Exception):
            raise said
        reply = said_reply(said, request) if isinstance(said, str) else said
        return reply._replace(call=f"scripted-{len(self.requests)}")

    def _next(self, script: Any, name: str, request: ChatRequest, address: Address) -> Any:
        if isinstance(script, Mapping):
            purpose = address.purpose if address.purpose in script else ""
            if purpose not in script:
                raise ShopperError(f"the script has no replies for the purpose {address.purpose!r}; add some.")
            return self._next(script[purpose], purpose, request, address)
        if callable(script):
            return script(request, address)
        place = self._said.get(name, 0)
        if place >= len(script):
            raise ShopperError(f"the script's {len(script)} replies are used up; add more or use a function.")
        self._said[name] = place + 1
        return script[place]


class ScriptedProvider(SimpleSender):
    """Provider `scripted`: `params: {replies: [...]}`, or `{replies: {purpose: [...], "": [...]}}`.

    A dialogue's first reply is the first of the list, and so on; the last is said again when they run out. Which one
    it is depends on the request alone (how often this side has spoken), so neither order nor concurrency matter.
    """

    def __init__(self, block: ModelBlock) -> None:
        """Make it from its block.

        Raises:
            ConfigError: `params.replies` is no list of texts, and no mapping of purposes to such lists.
        """
        super().__init__(block)
        given = block.params.get("replies")
        lists = {"": given} if isinstance(given, list) else given
        unknown = sorted(set(block.params) - {"replies"})
        if not isinstance(lists, dict) or not lists or unknown or not all(map(_is_list, lists.values())):
            raise ConfigError(
                "a scripted model takes `replies`: a list of texts, or lists of texts by purpose"
                + (f"; it does not take {', '.join(unknown)}." if unknown else "."),
                key="params",
            )
        self._replies: dict[str, list[str]] = lists

    async def answer(self, request: ChatRequest, address: Address, seed: int | None) -> ChatReply:
        """Say the reply for this turn."""
        replies = self._replies.get(address.purpose, self._replies.get(""))
        if replies is None:
            raise ConfigError(f"has no replies for the purpose {address.purpose!r}; add some.", key="params.replies")
        turn = sum(message.role == "assistant" for message in request.messages)
        return said_reply(replies[min(turn, len(replies) - 1)], request)

    def prepare(self, request: ChatRequest, address: Address, seed: int) -> Any:
        """Make a request ready; the purpose is part of what the reply depends on."""
        prepared = super().prepare(request, address, seed)
        return prepared._replace(material=prepared.material + b"\0" + address.purpose.encode())


def said_reply(text: str, request: ChatRequest) -> ChatReply:
    """Return a text as a reply, with a word counted as a token."""
    asked = sum(len(message.content.split()) for message in request.messages) + len((request.completion or "").split())
    return ChatReply(text, usage=Usage(asked, len(text.split())), model="scripted")


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)
