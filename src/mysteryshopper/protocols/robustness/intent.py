"""What a query still says of the wish once it was made careless: by rule, and by asking a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from mysteryshopper.core import Address, ChatMessage, ChatModel, ChatReply, ChatRequest, ConfigError
from mysteryshopper.dialogue import clean
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import read_yes_no, strip_reasoning

_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TRIES = 2


def findable(query: str, careless: str, wish: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """Return how many values of a wish that a query names are still found in its careless form, and how many it names.

    A value is found where its words stand one behind the other, letter case aside.
    """
    values = {_folded(value) for held in wish.values() for value in held} - {""}
    before, after = (f" {_folded(text)} " for text in (query, careless))
    named = [value for value in values if f" {value} " in before]
    return sum(f" {value} " in after for value in named), len(named)


def _folded(text: str) -> str:
    return " ".join(_WORDS.findall(unicodedata.normalize("NFC", text).casefold()))


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A query as a model made it careless; the text is None where it kept changing what was asked for."""

    text: str | None
    calls: tuple[str, ...]
    prompt: str


class Rewriter:
    """A chat model that writes a query carelessly, and is asked whether that still asks for the same thing."""

    def __init__(self, model: ChatModel) -> None:
        """Make it.

        Raises:
            ConfigError: The model continues raw text, and follows no instructions.
        """
        if model.form != "chat":
            raise ConfigError(
                "noise by a model needs a chat model, and this one continues raw text.", key="options.model"
            )
        self._model = model
        self._prompt = Prompt.load("protocols/careless")

    async def rewrite(self, query: str, address: Address, rng: Random) -> Rewritten:
        """Return a query made careless; tried once more where the intent check fails or nothing came.

        Args:
            query: The clean query.
            address: Where in the run its calls lie.
            rng: Draws the fence around the query.
        """
        calls: list[str] = []
        for attempt in range(_TRIES):
            fence = Fence.draw((query,), rng)
            given = {"query": query, "opening": fence.opening, "closing": fence.closing, "again": attempt > 0}
            asked = self._request("rewrite", **given, careless="")
            reply = await self._model.chat(asked, address.to(purpose="rewrite", attempt=attempt))
            text = clean(strip_reasoning(reply.text or "")[0])[0].strip()
            calls += _call(reply)
            if not text:
                continue
            fence = Fence.draw((query, text), rng)
            given |= {"opening": fence.opening, "closing": fence.closing}
            checked = await self._model.chat(
                self._request("check", **given, careless=text), address.to(purpose="check", attempt=attempt)
            )
            calls += _call(checked)
            if read_yes_no(checked).value is True:
                return Rewritten(text, tuple(calls), self._prompt.label)
        return Rewritten(None, tuple(calls), self._prompt.label)

    def _request(self, part: str, **values: object) -> ChatRequest:
        names = (f"{part}-system", f"{part}-user")
        told = self._prompt.render(*names, **values)
        messages = (ChatMessage("system", told[names[0]]), ChatMessage("user", told[names[1]]))
        choices = ("yes", "no") if part == "check" else ()
        return ChatRequest(messages=messages, choices=choices, prompt=self._prompt.label)


def _call(reply: ChatReply) -> Iterable[str]:
    return (reply.call,) if reply.call else ()
