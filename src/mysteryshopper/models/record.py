"""The recording layer every call goes through: key, seed, one call for equal ones, budget, record, then the reply."""

from __future__ import annotations

import asyncio
import hashlib
import secrets as random_names
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, NamedTuple, TypeVar

from mysteryshopper.core import (
    Address,
    Call,
    CallFailed,
    CallLog,
    ChatReply,
    ChatRequest,
    Json,
    ShopperError,
    StopRun,
    Usage,
)
from mysteryshopper.models.budget import Budget, cost
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.replies import quality
from mysteryshopper.models.sending import Prepared, Sender, Tally
from mysteryshopper.models.stored import reply_json, reply_of

T = TypeVar("T")

ONE_RUN = "run:"
"""What the key of a call starts with that only its own run may meet again, such as one to a system under test."""


class Draw(NamedTuple):
    """What names one draw: the sample number in the cache key, and the seed sent."""

    sample: str
    seed: int


class Received(NamedTuple, Generic[T]):
    """What came back: the value to hand on, and what is recorded of it."""

    value: T
    reply: Json
    status: Literal["ok", "bad"]
    finish: str


class Job(NamedTuple, Generic[T]):
    """One call to be made and recorded.

    Attributes:
        key: Cache key.
        address: Who calls for what.
        model: Name of the block.
        prompt: Name and hash of the prompt.
        worst: The most it can cost; None where that has no bound.
        charge: The price of what the tally counted; None where unknown. Lost attempts are not in it (the budget counts
            them at their worst).
        exchange: Makes the call.
    """

    key: str
    address: Address
    model: str
    prompt: str
    worst: float | None
    charge: Callable[[Tally], float | None]
    exchange: Callable[[Tally], Awaitable[Received[T]]]


class Recorder:
    """Makes each call once, within the budget, and hands its answer on only when it is committed."""

    def __init__(
        self, log: CallLog, *, seed: int = 0, budget: Budget | None = None, secrets: Secrets | None = None
    ) -> None:
        """Make it for one run.

        Args:
            log: Where calls are kept and found.
            seed: Seed of the run.
            budget: What may be spent; by default without limit.
            secrets: What is masked in records.
        """
        self._log = log
        self._seed = seed
        self._budget = budget or Budget()
        self._secrets = secrets or Secrets({})
        self._flights: dict[str, list[asyncio.Future[Call | CallFailed | StopRun | None]]] = {}

    def draw(self, address: Address) -> Draw:
        """Return sample number and seed (31 bits) of an address in this run."""
        parts = (
            self._seed,
            address.unit,
            address.repeat,
            address.path,
            address.role,
            address.component,
            address.purpose,
            address.attempt,
        )
        sample = hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Draw(sample, int(sample[:8], 16) & 0x7FFFFFFF)

    def mask(self, text: str) -> str:
        """Return a text without secrets."""
        return self._secrets.mask(text)

    @staticmethod
    def key(material: bytes, sample: str, *, shared: bool = True) -> str:
        """Return the cache key of a request; `shared` says whether other runs may meet it."""
        made = hashlib.blake2b(material, digest_size=16)
        made.update(b"\0" + sample.encode())
        name = made.hexdigest()
        return name if shared else ONE_RUN + name

    async def record(self, job: Job[T]) -> tuple[Call, T | None]:
        """Answer from the log, from an equal call that is out already, or by making the call.

        Returns:
            The recorded call, and the value received if this very call made it.

        Raises:
            CallFailed: It failed for good, or the budget does not allow it.
            StopRun: Nothing sent there can succeed, or the record can't be written.
        """
        while (flight := self._flights.get(job.key)) is not None:
            turn: asyncio.Future[Call | CallFailed | StopRun | None] = asyncio.get_running_loop().create_future()
            flight.append(turn)
            outcome = await turn
            if isinstance(outcome, Call):
                return outcome, None
            if outcome is not None:
                raise _again(outcome)
            # the one that made the call was cancelled: the next in line makes it
        waiting = self._flights[job.key] = []
        told: Call | CallFailed | StopRun | None = None
        try:
            answered = await self._once(job)
            told = answered[0]
            return answered
        except (CallFailed, StopRun) as error:
            told = error
            raise
        finally:
            del self._flights[job.key]
            for turn in waiting:
                if not turn.done():
                    turn.set_result(told)

    async def _once(self, job: Job[T]) -> tuple[Call, T | None]:
        found = await self._log.find(job.key)
        if found is not None:
            return await self._adopt(job, found), None
        reservation = self._budget.reserve(job.worst)
        tally = Tally(reservation)
        spent: float | None = None  # cancelled in the middle: perhaps all of it
        try:
            try:
                received = await job.exchange(tally)
            except (CallFailed, StopRun) as error:
                charged = job.charge(tally)
                spent = charged or 0.0
                if tally.attempts:
                    await self._log.commit(self._call(job, tally, "error", None, self.mask(str(error)), charged))
                raise
            spent = job.charge(tally) if tally.known else None
            call = self._call(job, tally, received.status, received.reply, received.finish, spent)
            await self._log.commit(call)
        finally:
            reservation.settle(spent)  # only now: what is neither set aside nor recorded, a kill would forget
        return call, received.value

    async def _adopt(self, job: Job[T], found: Call) -> Call:
        if found.id:
            return found
        usage = Usage(found.usage.input_tokens, found.usage.output_tokens, 0.0)
        call = found._replace(
            id=job.key,
            key=job.key,
            address=job.address,
            model=job.model,
            cached=True,
            attempts=0,
            usage=usage,
            ms=0.0,
            prompt=job.prompt,
        )
        await self._log.commit(call)
        return call

    @staticmethod
    def _call(
        job: Job[T], tally: Tally, status: Literal["ok", "bad", "error"], reply: Json, finish: str, spent: float | None
    ) -> Call:
        # a key has one good call, which its name can stand for; of others there may be many
        name = job.key if status == "ok" else f"{job.key}.{random_names.token_hex(4)}"
        return Call(
            id=name,
            key=job.key,
            address=job.address,
            model=job.model,
            status=status,
            reply=reply,
            finish=finish,
            attempts=tally.attempts,
            usage=Usage(tally.input_tokens, tally.output_tokens, spent),
            ms=round(tally.ms, 3),
            prompt=job.prompt,
        )


class RecordedModel:
    """A provider's model behind the recording layer: the `ChatModel` that users, systems and judges get."""

    def __init__(self, name: str, sender: Sender, recorder: Recorder) -> None:
        """Wrap a sender; `name` is the block's."""
        self.name = name
        self.form: Literal["chat", "completion"] = sender.form
        self._sender = sender
        self._recorder = recorder

    async def chat(self, request: ChatRequest, address: Address) -> ChatReply:
        """Answer one request.

        At temperature 0 equal requests are one call; otherwise every address is a draw of its own, with its own seed.

        Raises:
            CallFailed: It failed for good, after its retries, or the budget does not allow it.
            StopRun: Nothing sent to this endpoint can succeed, or the record can't be written.
        """
        draw = self._recorder.draw(address)
        try:
            prepared = self._sender.prepare(request, address, draw.seed)
        except Exception as error:
            raise self._failure(error) from error
        key = self._recorder.key(
            prepared.material, draw.sample if prepared.sampled else "0", shared=self._sender.shared
        )

        async def exchange(tally: Tally) -> Received[ChatReply]:
            try:
                reply = await self._sender.send(prepared, tally)
            except Exception as error:
                raise self._failure(error) from error
            return Received(reply, reply_json(reply), quality(request, reply), reply.finish)

        worst = self._worst(prepared)
        job = Job(key, address, self.name, request.prompt, worst, self._charge, exchange)
        answered = await self._recorder.record(job)
        call, reply = answered
        if reply is None:
            return reply_of(call, cached=True)
        return ChatReply(  # by hand: `replace` takes several times as long
            reply.text,
            reply.finish,
            reply.reasoning,
            reply.refusal,
            reply.tool_calls,
            reply.logprobs,
            call.usage,
            reply.model,
            call.id,
            reply.cached,
            reply.flags,
        )

    def _failure(self, error: Exception) -> CallFailed | StopRun:
        """Return what an error of the provider means for the caller, whose fault it never is.

        What the provider can't be used for at all stops the run; a bug in it is a failed call.
        """
        if isinstance(error, CallFailed | StopRun):
            return error
        if isinstance(error, ShopperError):
            return StopRun(f"model {self.name!r}: {error}")
        return CallFailed(f"model {self.name!r} failed: {type(error).__name__}: {error}", ended="unreadable")

    def _worst(self, prepared: Prepared) -> float | None:
        if self._sender.free:
            return 0.0
        if prepared.output_bound is None:
            return None
        return cost(self._sender.price, prepared.input_bound, prepared.output_bound)

    def _charge(self, tally: Tally) -> float | None:
        if self._sender.free:
            return 0.0
        return cost(self._sender.price, tally.input_tokens, tally.output_tokens)


def unpriced(tally: Tally) -> None:
    """Charge nothing that is known: what a system under test costs its owner, nobody tells us."""


def _again(error: CallFailed | StopRun) -> CallFailed | StopRun:
    """Return an equal error of its own for each who waited: one raised twice would mix their tracebacks."""
    if isinstance(error, CallFailed):
        return CallFailed(str(error), ended=error.ended, fault=error.fault, status=error.status)
    return StopRun(str(error))
