"""A small language model in this process (llama.cpp through xllamacpp, extra `[local]`).

The default model, SmolLM2-135M, proves the plumbing with real tokens. It follows examples (raw completions), not
instructions, and does not simulate people. It is deterministic on one machine at a given seed; other processors may
round otherwise. Bound output is valid; that does not make it sensible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatReply,
    ChatRequest,
    ConfigError,
    Json,
    JsonObject,
    Usage,
    note_read,
)
from mysteryshopper.models.grammar import choice_grammar, strict_schema
from mysteryshopper.models.local_server import Door, LocalServer, LocalServers, LocalSettings
from mysteryshopper.models.sending import SimpleSender
from mysteryshopper.models.weights import CATALOG

if TYPE_CHECKING:
    from mysteryshopper.models.block import ModelBlock
    from mysteryshopper.models.pool import Models

DEFAULT_MAX_TOKENS = 128
"""Limit of new tokens where neither request nor block names one; llama.cpp itself knows no limit."""

_SYSTEM = "You are a helpful assistant."  # without one the model's template puts in its own, which is worse


class LocalModel(SimpleSender):
    """A small model in this process: `completion` as raw text, else `messages` through the model's chat template.

    Of the block it takes `path` (a GGUF file, or a name that `models pull` knows; default `smollm2`), `concurrency`
    (requests worked on at once, default 4), `temperature` (default 0), `max_tokens` (default 128), `reply_format`, and
    `params`: `context` (tokens a request may take, default 2048), `threads` (default 1), and what llama.cpp knows
    (`top_p`, `repeat_penalty` …), where null removes a default.

    `choices` and `schema` bind the output by a grammar; log-probabilities are those before the grammar.
    """

    default_form: ClassVar[Literal["chat", "completion"]] = "completion"

    def __init__(self, block: ModelBlock, server: LocalServer) -> None:
        """Make it from its block and the loaded model."""
        filled = {
            "temperature": 0.0 if block.temperature is None else block.temperature,
            "max_tokens": block.max_tokens or DEFAULT_MAX_TOKENS,
        }
        super().__init__(block.model_copy(update=filled))
        self.name = block.name or server.file.stem
        self._server = server
        self._params = {key: value for key, value in block.params.items() if key not in ("context", "threads")}

    @classmethod
    def build(cls, name: str, block: ModelBlock, models: Models) -> Self:
        """Build the model for a run; all local models of a run share one server.

        Raises:
            ConfigError: The weights or xllamacpp are missing, or another local model is in use already.
        """
        servers = models.resource("local", LocalServers)
        server = servers.get(settings_of(block))
        if block.path is not None and block.path not in CATALOG:
            note_read(server.file, server.digest)
        return cls(block, server)

    def identity(self) -> JsonObject:
        """Return the weights' digest and the block's own settings."""
        return {**super().identity(), "name": self.name, "weights": self._server.digest}

    async def answer(self, request: ChatRequest, address: Address, seed: int | None) -> ChatReply:
        """Answer one request; `seed` is taken modulo 2**31, and None draws anew unless the temperature is 0.

        Raises:
            CallFailed: The prompt does not fit the context (`context_exceeded`), or llama.cpp refused the request.
            ConfigError: The request brings tools, or neither messages nor a completion.
        """
        door, body = self.body(request, seed)
        answer = await self._server.ask(door, body)
        if "error" in answer:
            raise _failure(self.name, answer["error"])
        return _read(answer, self.name, bound=bool(request.choices))

    def body(self, request: ChatRequest, seed: int | None = None) -> tuple[Door, JsonObject]:
        """Return what is sent for a request: the door of llama.cpp and the JSON body.

        Raises:
            ConfigError: The request brings tools, or neither messages nor a completion.
        """
        if request.tools:
            raise ConfigError(f"the local model {self.name!r} can't call tools; use an endpoint that can")
        temperature = self.block.temperature if request.temperature is None else request.temperature
        body: dict[str, Json] = {
            "max_tokens": request.max_tokens or self.block.max_tokens,
            "temperature": temperature,
            "seed": 0 if temperature == 0 else None if seed is None else seed % 2**31,
            "stop": [_clean(text) for text in request.stop] or None,
        }
        raw = request.completion is not None
        if request.completion is not None:
            body |= {"prompt": _clean(request.completion), "logprobs": request.top_logprobs}
        elif request.messages:
            asked = None if request.top_logprobs is None else True
            body |= {"messages": _messages(request), "logprobs": asked, "top_logprobs": request.top_logprobs}
        else:
            raise ConfigError(f"the local model {self.name!r} was asked nothing: no messages and no completion")
        if request.choices:
            space = raw and not str(request.completion)[-1:].isspace()
            body["grammar"] = choice_grammar([_clean(choice) for choice in request.choices], space=space)
        elif request.schema is not None and self.block.reply_format == "json":
            schema = strict_schema(dict(request.schema))
            wrapped = {"type": "json_schema", "json_schema": {"schema": schema}}
            body |= {"json_schema": schema} if raw else {"response_format": wrapped}
        body |= self._params
        return "completions" if raw else "chat", {key: value for key, value in body.items() if value is not None}


def settings_of(block: ModelBlock) -> LocalSettings:
    """Return how a block wants its model loaded.

    Raises:
        ConfigError: `context` or `threads` in `params` is no whole number above 0.
    """
    values = {}
    for key in ("context", "threads"):
        if (value := block.params.get(key)) is not None:
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(f"expected a whole number above 0, got {value!r}", key=f"params.{key}")
            values[key] = value
    defaults = LocalSettings()
    return LocalSettings(block.path or defaults.path, block.concurrency or defaults.slots, **values)


def _messages(request: ChatRequest) -> list[Json]:
    messages = [{"role": message.role, "content": _clean(message.content)} for message in request.messages]
    if messages[0]["role"] != "system":
        messages.insert(0, {"role": "system", "content": _SYSTEM})
    return messages


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # llama.cpp refuses lone surrogates


def _failure(name: str, error: Json) -> CallFailed:
    details: Mapping[str, Json] = error if isinstance(error, dict) else {"message": str(error)}
    if details.get("type") == "exceed_context_size_error":
        return CallFailed(
            f"the prompt of {details.get('n_prompt_tokens')} tokens does not fit the {details.get('n_ctx')} tokens of "
            f"{name!r}; shorten it or raise `params.context`",
            ended="context_exceeded",
            fault=None,
            status=400,
        )
    return CallFailed(f"{name!r} refused the request: {details.get('message')}", ended="http_error", status=400)


def _read(answer: Mapping[str, Json], name: str, *, bound: bool) -> ChatReply:
    choice = answer["choices"][0]
    text = choice["message"].get("content") if "message" in choice else choice.get("text")
    usage = answer.get("usage") or {}
    return ChatReply(
        text=text.removeprefix(" ") if bound and text else text,
        finish=choice.get("finish_reason") or "stop",
        logprobs=_logprobs(choice.get("logprobs")),
        usage=Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0), 0.0),
        model=name,
    )


def _logprobs(found: Json) -> tuple[Mapping[str, float], ...]:
    tokens = []
    for token in (found or {}).get("content") or ():
        if not token["token"]:  # the end of the text, which other endpoints don't list
            continue
        alternatives: dict[str, float] = {}
        for other in token.get("top_logprobs") or (token,):
            alternatives.setdefault(other["token"], other["logprob"])
        tokens.append(alternatives)
    return tuple(tokens)
