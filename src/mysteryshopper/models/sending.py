"""How a provider plugs in: it makes a request ready, then sends it. Cache, seeds, budget and records are around it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self

from mysteryshopper.core import Address, ChatReply, ChatRequest, JsonObject, canonical

if TYPE_CHECKING:
    from mysteryshopper.models.block import ModelBlock, Price
    from mysteryshopper.models.budget import Reservation
    from mysteryshopper.models.pool import Models


class Prepared(NamedTuple):
    """A request made ready.

    Attributes:
        request: What was asked.
        address: By whom, for what.
        seed: The seed to sample with; None at temperature 0.
        material: All that the reply depends on, as bytes; together with the sample number it makes the cache key.
        sampled: Whether equal requests may be answered differently (temperature not 0).
        payload: What goes over the wire.
        input_bound: No more input tokens than this.
        output_bound: No more output tokens than this; None where there is no limit.
    """

    request: ChatRequest
    address: Address
    seed: int | None
    material: bytes
    sampled: bool
    payload: bytes = b""
    input_bound: int = 0
    output_bound: int | None = None


class Tally:
    """What one call has taken so far, over all its attempts."""

    __slots__ = ("_reservation", "attempts", "input_tokens", "known", "output_tokens", "started")

    def __init__(self, reservation: Reservation | None = None) -> None:
        """Make an empty tally; `reservation` is the money set aside for the call."""
        self.attempts = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.known = False
        self.started = 0.0
        self._reservation = reservation

    def sent(self) -> None:
        """Count an attempt that goes out now."""
        if not self.attempts:
            self.started = time.monotonic()
        self.attempts += 1

    def used(self, input_tokens: int, output_tokens: int) -> None:
        """Count tokens that an attempt reported."""
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.known = True

    def lost(self) -> None:
        """Note that the attempt may have been charged although no answer came."""
        if self._reservation is not None:
            self._reservation.lose()

    def again(self) -> None:
        """Set money aside for another attempt after a lost one.

        Raises:
            CallFailed: The cost limit could be passed by it.
        """
        if self._reservation is not None:
            self._reservation.again()

    @property
    def ms(self) -> float:
        """Milliseconds since the first attempt went out."""
        return (time.monotonic() - self.started) * 1000 if self.attempts else 0.0


class Sender(Protocol):
    """A provider's model: what the recording layer wraps.

    Attributes:
        form: What it takes.
        price: What tokens cost; None is unknown.
        free: It costs nothing, whatever the price says.
        shared: Its replies may be kept in the cache that runs share.
    """

    form: Literal["chat", "completion"]
    price: Price | None
    free: bool
    shared: bool

    def prepare(self, request: ChatRequest, address: Address, seed: int) -> Prepared:
        """Make a request ready; `seed` is used where it samples."""
        ...

    async def send(self, prepared: Prepared, tally: Tally) -> ChatReply:
        """Send it, count attempts and tokens, return the reply.

        Raises:
            CallFailed: It failed for good.
            StopRun: Nothing sent there can succeed.
        """
        ...


class SimpleSender(ABC):
    """Base of providers that answer one request at a time in this process; a plug-in overrides `answer`.

    The cache key is the whole request and `identity`.
    """

    default_form: ClassVar[Literal["chat", "completion"]] = "chat"
    free: bool = True
    shared: bool = True

    def __init__(self, block: ModelBlock) -> None:
        """Make it from its block."""
        self.block = block
        self.form: Literal["chat", "completion"] = block.form or self.default_form
        self.price = block.price

    @classmethod
    def build(cls, name: str, block: ModelBlock, models: Models) -> Self:
        """Build the provider's model for a run; `models` owns what it shares (`models.resource`)."""
        return cls(block)

    def identity(self) -> JsonObject:
        """Return what replies depend on beside the request; a changed identity is another model for the cache."""
        block = self.block
        return {"provider": block.provider, "name": block.name, "params": block.params, "form": self.form}

    @abstractmethod
    async def answer(self, request: ChatRequest, address: Address, seed: int | None) -> ChatReply:
        """Answer one request, whose temperature and max_tokens are filled in from the block.

        Args:
            request: What is asked.
            address: By whom, for what; the reply must not depend on it beyond `purpose`.
            seed: The seed to sample with; None at temperature 0.

        Raises:
            CallFailed: It failed for good.
        """

    def prepare(self, request: ChatRequest, address: Address, seed: int) -> Prepared:
        """Make a request ready, with the block's temperature and max_tokens where it has none."""
        full = request._replace(
            temperature=self.block.temperature if request.temperature is None else request.temperature,
            max_tokens=self.block.max_tokens if request.max_tokens is None else request.max_tokens,
        )
        sampled = full.temperature != 0
        text = canonical([self.identity(), request_json(full)])
        return Prepared(full, address, seed if sampled else None, text.encode(), sampled)

    async def send(self, prepared: Prepared, tally: Tally) -> ChatReply:
        """Answer, and count one attempt."""
        tally.sent()
        reply = await self.answer(prepared.request, prepared.address, prepared.seed)
        tally.used(reply.usage.input_tokens, reply.usage.output_tokens)
        return reply


def request_json(request: ChatRequest) -> dict[str, Any]:
    """Return all of a request that a reply can depend on as JSON; what is not set is left out."""
    messages = [
        {
            "role": message.role,
            "content": message.content,
            "tool_calls": [[call.id, call.name, call.arguments] for call in message.tool_calls],
            "tool_call_id": message.tool_call_id,
        }
        for message in request.messages
    ]
    tools = [[tool.name, tool.description, tool.parameters] for tool in request.tools]
    values: dict[str, Any] = {
        "messages": messages,
        "completion": request.completion,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stop": list(request.stop),
        "schema": request.schema,
        "choices": list(request.choices),
        "top_logprobs": request.top_logprobs,
        "tools": tools,
    }
    return {name: value for name, value in values.items() if value not in (None, [])}
