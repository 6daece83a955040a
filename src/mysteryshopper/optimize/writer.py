"""The model that writes prompts and reviews dialogues: what it is asked, and how its answers are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import Address, ChatModel, ChatReply, ChatRequest, Message, rng
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines, one_line, shorten
from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.story import Problem
from mysteryshopper.optimize.texts import Fitted, fit
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import Reading, read_json, strip_reasoning
from mysteryshopper.users.adaptsim.instruction import general_instruction

MOST_PROBLEMS = 5
"""Problems of one dialogue that are heard."""

_MOST_TRIED = 2
_SHORT = 700  # characters of a text that a model which continues text can take in
_TRIES = 2
_NOTHING = frozenset({"nothing", "none", "no problem", "no"})

T = TypeVar("T", bound=BaseModel)


class _Instruction(BaseModel):
    model_config = ConfigDict(extra="ignore")

    instruction: str = Field(min_length=1)


class _Problems(BaseModel):
    model_config = ConfigDict(extra="ignore")

    problems: list[str] = Field(max_length=40)


@dataclass(frozen=True, slots=True)
class About:
    """What is known of the domain.

    Attributes:
        field: What there is in it, in a word or two.
        nouns: Words for one of them.
        description: A page about it.
        attributes: Names of what things have, each with what it is about.
    """

    field: str = ""
    nouns: tuple[str, ...] = ()
    description: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """Who was to be played in a dialogue."""

    persona: str = ""
    wish: str = ""
    style: tuple[tuple[str, str], ...] = ()


class Writer:
    """Asks one model to write prompts and to review dialogues.

    Texts of others stand in fences, and an answer that can't be read is asked for once more. A model that continues
    text gets examples in place of instructions, and answers with a line.
    """

    def __init__(self, model: ChatModel, options: OptimisationOptions, address: Address, seed: int) -> None:
        """Make it.

        Args:
            model: Who answers.
            options: How it is asked.
            address: Where in the run its calls lie.
            seed: Draws the marks of the fences.
        """
        self._model = model
        self._options = options
        self._address = address.to(role="optimise", component=options.model)
        self._seed = seed
        self._raw = model.form == "completion"

    async def initial(self, about: About) -> Fitted | None:
        """Return the general instruction fitted to a domain; None where no answer could be read.

        Raises:
            CallFailed: A call failed for good.
        """
        limit = {"limit": _SHORT} if self._raw else {}
        values = {
            "general": general_instruction(),
            "field": about.field,
            "nouns": about.nouns,
            "description": shorten(about.description, **limit),
            "attributes": about.attributes,
            "longest": self._options.longest,
        }
        return await self._text("initial", values, self._address.to(path="initial"))

    async def improve(
        self, number: int, instruction: str, problems: Sequence[Problem], reviewed: int, attempts: Sequence[str]
    ) -> Fitted | None:
        """Return an instruction written anew; None where no answer could be read.

        Args:
            number: Number of the round it is for.
            instruction: The text so far.
            problems: What went wrong with it.
            reviewed: How many dialogues were looked at.
            attempts: Earlier texts from the same instruction that did not help, empty where there was none that could
                be read; the last ones are shown.

        Raises:
            CallFailed: A call failed for good.
        """
        values = {
            "instruction": shorten(instruction, _SHORT) if self._raw else instruction,
            "problems": [(problem.text, problem.dialogues) for problem in problems],
            "reviewed": reviewed,
            "attempts": len(attempts),
            "tried": [text for text in attempts if text][-_MOST_TRIED:],
            "longest": self._options.longest,
        }
        return await self._text("improve", values, self._address.to(path=f"round {number}"))

    async def review(self, dialogue: str, messages: Sequence[Message], person: Person) -> tuple[str, ...] | None:
        """Return what the player did badly in one dialogue, the worst first; None where no answer could be read.

        Raises:
            CallFailed: A call failed for good.
        """
        limits: dict[str, Any] = {} if self._raw else {"limit": PROMPT_LIMIT, "last": None}
        values = {
            "persona": person.persona,
            "wish": person.wish,
            "style": person.style,
            "lines": as_lines(messages, **limits),
            "most": MOST_PROBLEMS,
        }
        reading = await self._ask("review", values, _Problems, self._address.to(path=dialogue), _as_problems)
        if reading is None:
            return None
        told = [one_line(shorten(text, 400)) for text in reading.problems]
        return tuple(text for text in dict.fromkeys(told) if text)[:MOST_PROBLEMS]

    async def _text(self, part: str, values: Mapping[str, Any], address: Address) -> Fitted | None:
        found = await self._ask(part, values, _Instruction, address, _as_instruction)
        if found is None:
            return None
        fitted = fit(found.instruction, self._options.longest)
        return fitted if fitted.text else None

    async def _ask(
        self,
        part: str,
        values: Mapping[str, Any],
        answer: type[T],
        address: Address,
        line: Callable[[str], T | None],
    ) -> T | None:
        fault = ""
        for attempt in range(_TRIES):
            request = self._request(part, values, answer, fault, attempt)
            reply = await self._model.chat(request, address.to(purpose=part, attempt=attempt))
            if self._raw:
                found = line(_first_line(reply))
                if found is not None:
                    return found
                fault = "empty"
                continue
            reading: Reading[T] = read_json(reply, answer)
            if reading.value is not None:
                return reading.value
            fault = reading.status
        return None

    def _request(
        self, part: str, values: Mapping[str, Any], answer: type[BaseModel], fault: str, attempt: int
    ) -> ChatRequest:
        prompt = Prompt.load(f"optimize/{part}")
        options = self._options
        if self._raw:
            told = prompt.render("completion", **values, opening="", closing="", fault="")
            return ChatRequest(
                completion=told["completion"],
                stop=("\n",),
                temperature=options.temperature if attempt == 0 else None,  # the same question would get the same
                max_tokens=min(options.max_tokens, 160),
                prompt=prompt.label,
            )
        fence = Fence.draw(_texts(values), rng("optimise", self._seed, part, attempt))
        told = prompt.render("system", "user", **values, opening=fence.opening, closing=fence.closing, fault=fault)
        return ChatRequest(
            messages=told.messages,
            schema=answer.model_json_schema(),
            temperature=options.temperature,
            max_tokens=options.max_tokens * (1 + (fault == "truncated")),
            prompt=prompt.label,
        )


def _first_line(reply: ChatReply) -> str:
    return strip_reasoning(reply.text or "")[0].strip().partition("\n")[0].strip()


def _as_instruction(text: str) -> _Instruction | None:
    return _Instruction(instruction=text) if text else None


def _as_problems(text: str) -> _Problems | None:
    if not text:
        return None
    return _Problems(problems=[] if text.casefold().strip(" .") in _NOTHING else [text])


def _texts(values: object) -> list[str]:
    """Return every text in some values, however deep."""
    if isinstance(values, str):
        return [values]
    if isinstance(values, Mapping):
        return [text for inner in values.values() for text in _texts(inner)]
    if isinstance(values, (list, tuple)):
        return [text for inner in values for text in _texts(inner)]
    return []
