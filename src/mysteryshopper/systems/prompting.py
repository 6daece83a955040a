"""How systems that prompt a model word a request: the dialogue fenced for chat models, as lines for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mysteryshopper.core import ChatReply, ChatRequest, History, Usage, rng
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines, render
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import strip_reasoning


def dialogue_request(
    prompt: Prompt,
    form: str,
    history: History,
    seed: int,
    values: Mapping[str, Any],
    *,
    system: str = "system",
    closing: str = "",
    completion: str = "completion",
    **asked: Any,
) -> ChatRequest:
    """Return the request that has a model go on with a dialogue, on the system's side.

    What the person said is fenced, with one mark in all requests of a unit, so that requests of sibling branches share
    their beginning byte for byte.

    Args:
        prompt: The template.
        form: What the model takes: `chat` or `completion`.
        history: The dialogue.
        seed: Seed of the fence.
        values: Values of the template, beside `opening` and `closing` (marks of the fence) and `lines`.
        system: Section of the instructions.
        closing: Section of the last word to the model; empty for none.
        completion: Section for models that continue text.
        asked: What else the request says (`choices`, `schema`).
    """
    if form == "completion":
        lines = as_lines(history.messages)
        told = prompt.render(completion, **values, lines=lines, opening="", closing="")
        return ChatRequest(completion=told[completion], stop=("\n",), prompt=prompt.label, **asked)
    address = history.address
    drawn = rng(seed, "fence", address.component, address.unit, address.repeat)
    fence = Fence.draw((message.text for message in history.messages), drawn)
    sections = (system, closing) if closing else (system,)
    told = prompt.render(*sections, **values, opening=fence.opening, closing=fence.closing)
    last = told[closing] if closing else ""
    messages = render(history.messages, "system", told[system], closing=last, frame=fence.around, limit=PROMPT_LIMIT)
    return ChatRequest(messages=messages, prompt=prompt.label, **asked)


def spoken(reply: ChatReply) -> str:
    """Return what a model said, without its reasoning."""
    return strip_reasoning(reply.text or "")[0].strip()


def used(*replies: ChatReply) -> Usage:
    """Return what several replies took together; the cost is unknown where that of one is."""
    costs = [reply.usage.cost for reply in replies]
    return Usage(
        sum(reply.usage.input_tokens for reply in replies),
        sum(reply.usage.output_tokens for reply in replies),
        None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def made_by(*replies: ChatReply) -> tuple[str, ...]:
    """Return the ids of the calls behind replies."""
    return tuple(reply.call for reply in replies if reply.call)
