"""Calls to models: what is asked, what comes back, and the address that names the call.

What is made on every call is a named tuple: a frozen dataclass takes many times as long to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mysteryshopper.core.values import Json, JsonObject

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Address:
    """The name of one call in a run. Equal addresses are the same draw; different ones are drawn apart.

    Attributes:
        unit: Id of the unit (the scenario) the call belongs to.
        repeat: Number of the repeat, from 0.
        path: Path of the dialogue node the call makes, e.g. `0.1.0`; empty outside dialogues.
        role: On whose behalf: `user`, `system`, `judge`, `optimizer` …
        component: Name of the block that calls (a user, system or judge of the experiment).
        purpose: What for, where one component makes several calls (`reply`, `stop`, `rating` …).
        attempt: 0 first; 1 for the one re-ask with what was wrong. Transport retries keep the number.
    """

    unit: str = ""
    repeat: int = 0
    path: str = ""
    role: str = ""
    component: str = ""
    purpose: str = ""
    attempt: int = 0

    def to(
        self,
        *,
        path: str | None = None,
        role: str | None = None,
        component: str | None = None,
        purpose: str | None = None,
        attempt: int | None = None,
    ) -> Address:
        """Return this address with some parts changed."""
        return Address(
            self.unit,
            self.repeat,
            self.path if path is None else path,
            self.role if role is None else role,
            self.component if component is None else component,
            self.purpose if purpose is None else purpose,
            self.attempt if attempt is None else attempt,
        )

    def __str__(self) -> str:
        """Return the parts joined by `/`, for people and for the `calls` table."""
        parts = (self.unit, self.repeat, self.path, self.role, self.component, self.purpose, self.attempt)
        return "/".join(str(part) for part in parts)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that one side may call: its name, what it does, and the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool."""

    id: str
    name: str
    arguments: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered; `error` marks an answer that says why it could not."""

    id: str
    text: str
    error: bool = False


class ChatMessage(NamedTuple):
    """One message of a request to a model."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class ChatRequest(NamedTuple):
    """What is asked of a chat model. What is None is left to the model's block of the experiment file.

    Attributes:
        messages: The conversation. A model whose `form` is `completion` takes `completion` instead.
        completion: Raw text to be continued (few-shot prompts of the local model).
        max_tokens: Upper limit of new tokens.
        temperature: Sampling temperature; 0 makes equal requests one call.
        stop: Texts that end the reply.
        schema: JSON Schema that the reply must follow, sent where the endpoint can bind output to it.
        choices: The reply is one of these texts; a model that can constrain its output does.
        top_logprobs: How many alternatives with log-probabilities to return for each token.
        tools: Tools the model may call.
        prompt: Name and hash of the template the messages came from; recorded, never sent.
    """

    messages: tuple[ChatMessage, ...] = ()
    completion: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    schema: JsonObject | None = None
    choices: tuple[str, ...] = ()
    top_logprobs: int | None = None
    tools: tuple[Tool, ...] = ()
    prompt: str = ""


class Usage(NamedTuple):
    """Tokens and money of one call, all attempts together. `cost` is None where the price is unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class ChatReply(NamedTuple):
    """What a chat model answered.

    Attributes:
        text: The answer as it came; None where the endpoint gave none.
        finish: Why it stopped: `stop`, `length`, `content_filter`, `tool_calls`, or what the endpoint said.
        reasoning: Text of a separate reasoning field; never shown to the other side.
        refusal: Text of a separate refusal field.
        tool_calls: Tools the model wants to call.
        logprobs: For each token the alternatives' natural log-probabilities, best first; empty if not asked or absent.
        usage: Tokens and cost.
        model: The model's name as the endpoint reported it.
        call: Id of the recorded call, the `call` column of the tables.
        cached: It came from the cache, nothing was sent.
        flags: What had to be mended to read it, e.g. `lone_surrogate`.
    """

    text: str | None
    finish: str = "stop"
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    logprobs: tuple[Mapping[str, float], ...] = ()
    usage: Usage = Usage()
    model: str = ""
    call: str = ""
    cached: bool = False
    flags: tuple[str, ...] = ()


class Call(NamedTuple):
    """One recorded call: a row of the `calls` table.

    Attributes:
        id: Row id, unique in the run.
        key: Cache key: the whole request and a sample number.
        address: Who called for what.
        model: Name of the model or system block.
        status: `ok` (reply is complete and good), `bad` (came, but empty, refused or cut) or `error`.
        reply: The reply as JSON for `ok` and `bad`; None for `error`.
        finish: Finish reason, or the error in a few words.
        cached: Served from the shared cache; nothing was sent.
        attempts: Requests sent, transport retries included.
        usage: Tokens and cost of all attempts.
        ms: Milliseconds from the first request sent to the answer, waits included.
        prompt: Name and hash of the prompt template.
    """

    id: str
    key: str
    address: Address
    model: str
    status: Literal["ok", "bad", "error"]
    reply: Json = None
    finish: str = ""
    cached: bool = False
    attempts: int = 1
    usage: Usage = Usage()
    ms: float = 0.0
    prompt: str = ""
