"""`openai`: a model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Literal, Self

from mysteryshopper.core import Address, ChatReply, ChatRequest
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.caller import Caller, InBody
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.replies import chat_reply, read_chat_body
from mysteryshopper.models.sending import Prepared, Tally
from mysteryshopper.models.wire import body_bytes, is_sampled, output_bound, request_body

if TYPE_CHECKING:
    from mysteryshopper.models.pool import Models


class HttpModel:
    """Any endpoint in the OpenAI-compatible form.

    The cache key is the body as sent, with model, params and seed.
    """

    free = False
    shared = True

    def __init__(self, block: ModelBlock, caller: Caller, secrets: Secrets) -> None:
        """Make it over a caller for the endpoint's URL."""
        self.block = block
        self.form: Literal["chat", "completion"] = block.form or "chat"
        self.price = block.price
        self._caller = caller
        self._secrets = secrets

    @classmethod
    def build(cls, name: str, block: ModelBlock, models: Models) -> Self:
        """Build it for a run."""
        path = "completions" if block.form == "completion" else "chat/completions"
        return cls(block, models.caller(name, block, path), models.secrets)

    def prepare(self, request: ChatRequest, address: Address, seed: int) -> Prepared:
        """Make the body, once, for the key and for the wire."""
        return prepare(request, self.block, address, seed)

    def send(self, prepared: Prepared, tally: Tally) -> Coroutine[Any, Any, ChatReply]:
        """Post the body and read the reply."""

        def read(raw: bytes) -> ChatReply:
            body, flags = read_chat_body(raw, self._secrets)
            InBody.check(body)
            reply = chat_reply(body, flags)
            if reply.usage.input_tokens or reply.usage.output_tokens:
                tally.used(reply.usage.input_tokens, reply.usage.output_tokens)
            return reply

        return self._caller.post(
            prepared.payload,
            tally,
            read=read,
            seed=prepared.seed or 0,
            tokens=len(prepared.payload) // 4 + (prepared.output_bound or 0),
        )


def prepare(request: ChatRequest, block: ModelBlock, address: Address, seed: int) -> Prepared:
    """Make a request ready for an OpenAI-compatible endpoint."""
    body = request_body(request, block, seed)
    payload = body_bytes(body)
    sampled = is_sampled(body)
    return Prepared(
        request=request,
        address=address,
        seed=seed if sampled else None,
        material=b"openai\0" + payload,
        sampled=sampled,
        payload=payload,
        input_bound=len(payload),  # a token is at least a byte
        output_bound=output_bound(body),
    )
