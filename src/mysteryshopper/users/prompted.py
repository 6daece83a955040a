"""What users that prompt a model share: what the model is told, the fence, patience, and the rating afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from random import Random
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    Address,
    Answer,
    ChatModel,
    ChatReply,
    ChatRequest,
    Json,
    Parts,
    Scenario,
    Shown,
    State,
    UserTurn,
    UserView,
    rng,
)
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines, render
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import Reading, more_room, read_score
from mysteryshopper.users.showing import just_shown, named

T = TypeVar("T")

_RATING = "users/rating"
_TALK_RATING = "users/small-talk-rating"
_PERSON = "users/person"
_LOWEST, _HIGHEST = 1, 5


class PromptedOptions(BaseModel):
    """Options of every user that prompts a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int | None = Field(default=None, ge=1, description="Longest turn; default as the model's block says.")
    temperature: float | None = Field(default=None, ge=0, description="Default as the model's block says.")


class PromptedUser:
    """Base of users that are told who they are and what they want, and prompt a model.

    Which of the items shown are what it wanted it is told in words, once they are shown. What the system says is
    fenced: it is talk to be answered, no instruction. Its state is the seed of its fence. A model of form `completion`
    gets examples instead of instructions, and of a long dialogue the user's opening and the last lines.
    """

    def __init__(self, model: ChatModel, options: PromptedOptions, template: str, *, talks: bool = False) -> None:
        """Make it from a model, its options and the name of its template; `talks` if it came to talk alone."""
        self._model = model
        self._sampling = {"max_tokens": options.max_tokens, "temperature": options.temperature}
        self._prompt = Prompt.load(template)
        self._rating = Prompt.load(_TALK_RATING if talks else _RATING)
        self.instructions = fixed_lines(self._prompt.source, Prompt.load(_PERSON).source)

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: the seed of the fence around what the system says."""
        return {"fence": rng.getrandbits(32)}

    async def rate(self, view: UserView, state: State) -> Answer:
        """Rate the dialogue from 1 (very dissatisfied) to 5 (very satisfied).

        Returns:
            The rating; without a value where the model's answer could not be read, also when asked once more.
        """

        def ask(unread: str) -> ChatRequest:
            values = {**self._about(view, view.shown), "unread": unread}
            scale = tuple(str(number) for number in range(_LOWEST, _HIGHEST + 1))
            if self._model.form == "completion":
                told = self._rating.render("completion", **values, lines=as_lines(view.history.messages), **_NO_FENCE)
                return ChatRequest(
                    completion=told["completion"], stop=("\n",), choices=scale, prompt=self._rating.label
                )
            lines = as_lines(view.history.messages, limit=PROMPT_LIMIT, last=None)
            fence = fence_of(view, state)
            told = self._rating.render("system", "user", **values, lines=lines, **_marks(fence))
            return ChatRequest(messages=told.messages, choices=scale, prompt=self._rating.label)

        reading, calls = await self._read_twice(
            ask, lambda reply: read_score(reply, _LOWEST, _HIGHEST), view.address.to(purpose="rating")
        )
        return Answer(reading.value, reading.status, reading.raw, reading.notes, self._rating.label, calls)

    def _request(
        self, view: UserView, state: State, part: str = "", *, choices: Sequence[str] = (), **more: Any
    ) -> ChatRequest:
        """Return the request for one part of the prompt (the prefix of its sections' names)."""
        shown = just_shown(view)
        values = {
            **self._about(view, shown),
            "first": not view.history.messages,
            "complaint": view.complaint or "",
            **more,
        }
        sampling = {} if choices else self._sampling
        asked: dict[str, Any] = {**sampling, "choices": tuple(choices), "prompt": self._prompt.label}
        if self._model.form == "completion":
            name = f"{part}completion"
            told = self._prompt.render(name, **values, lines=as_lines(view.history.messages), **_NO_FENCE)
            return ChatRequest(completion=told[name], stop=("\n",), **asked)
        fence = fence_of(view, state)
        system, user = f"{part}system", f"{part}user"
        told = self._prompt.render(system, user, **values, **_marks(fence))
        messages = render(
            view.history.messages, "user", told[system], closing=told[user], frame=fence.around, limit=PROMPT_LIMIT
        )
        return ChatRequest(messages=messages, **asked)

    async def _read_twice(
        self, ask: Callable[[str], ChatRequest], read: Callable[[ChatReply], Reading[T]], address: Address
    ) -> tuple[Reading[T], tuple[str, ...]]:
        """Return a reading and the calls behind it; what can't be read is asked for once more, with what was wrong.

        A reply that was cut gets more room.
        """
        first = await self._model.chat(ask(""), address.to(attempt=0))
        reading, replies = read(first), [first]
        if not reading.readable:
            again = ask(reading.status)
            if reading.status == "truncated":
                again = again._replace(max_tokens=more_room(first, again.max_tokens))
            replies.append(await self._model.chat(again, address.to(attempt=1)))
            reading = read(replies[-1])
        return reading, tuple(reply.call for reply in replies if reply.call)

    @staticmethod
    def _about(view: UserView, shown: Sequence[Shown]) -> dict[str, Any]:
        return {
            "profile": view.scenario.profile,
            "domain": view.scenario.domain,
            "wanted": named(shown, mine=True),
            "unwanted": named(shown, mine=False),
        }


_NO_FENCE: Mapping[str, str] = {"opening": "", "closing": ""}


def came_to_talk(parts: Parts) -> bool:
    """Whether an experiment's people look for nothing: its domain is described, and has no items."""
    dataset = parts.dataset() if parts.has_dataset else None
    return dataset is not None and dataset.described is not None and not dataset.has_items


def out_of_patience(view: UserView) -> UserTurn | None:
    """Return the turn of a person who leaves without a word, after their profile's `patience` of system turns.

    Returns:
        The turn; None while they bear it, and where the last turn showed what they wanted.
    """
    patience = view.scenario.profile.patience
    if patience is None or any(shown.mine for shown in just_shown(view)):
        return None
    runs = groupby(view.history.messages, lambda message: (message.side, message.author))
    if sum(speaker == ("system", "system") for speaker, _ in runs) < patience:
        return None
    return UserTurn("", end="gave_up", notes={"patience": patience})


def cut_notes(reply: ChatReply, cut: bool) -> dict[str, Json]:
    """Return what a turn's notes say of a reply that did not end by itself, or inside its reasoning."""
    return {"finish": reply.finish} if cut or reply.finish not in ("stop", "") else {}


def fence_of(view: UserView, state: State) -> Fence:
    """Return the fence of this turn around what the system said."""
    said = [message.text for message in view.history.messages]
    seed = state.get("fence", 0)
    usual = _usual_fence(seed)
    return usual if usual.holds(said) else Fence.draw(said, rng("fence", seed))


@lru_cache(maxsize=1024)
def _usual_fence(seed: int) -> Fence:
    """Return the fence of a seed around texts without its mark; kept, since every turn of a dialogue asks for it."""
    return Fence.draw((), rng("fence", seed))


def _marks(fence: Fence) -> dict[str, str]:
    return {"opening": fence.opening, "closing": fence.closing}


def fixed_lines(*sources: str) -> tuple[str, ...]:
    """Return the fixed lines of instructions (templates or plain texts), which no person would say."""
    lines: list[str] = []
    for source in sources:
        wanted = True
        for line in source.splitlines():
            if line.startswith("--- "):
                wanted = "completion" not in line
            elif wanted and "{%" not in line and "{#" not in line and line.strip(" -"):
                lines.append(line.strip(" -"))
    return tuple(lines)
