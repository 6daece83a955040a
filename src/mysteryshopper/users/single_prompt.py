"""`single-prompt`: one model, one prompt, one call a turn."""

from __future__ import annotations

from itertools import groupby
from random import Random
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    Parts,
    Scenario,
    State,
    UserTurn,
    UserView,
    rng,
)
from mysteryshopper.dialogue import PROMPT_LIMIT, one_line, read_end_marker, render, shorten
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.users.showing import just_shown, taken, titles

_TEMPLATE = "users/single-prompt"
_LINE_LIMIT = 600
_LAST_LINES = 12


class SinglePromptOptions(BaseModel):
    """Options of `single-prompt`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    end_marker: str = Field(default="[END]", min_length=1, description="What the model puts at its end when content.")
    give_up_marker: str = Field(default="[GIVE UP]", min_length=1, description="The same when it gives up.")
    max_tokens: int | None = Field(default=None, ge=1, description="Longest turn; default as the model's block says.")
    temperature: float | None = Field(default=None, ge=0, description="Default as the model's block says.")


class SinglePromptUser:
    """A user that is told who it is and what it wants, and writes the next message.

    Which of the items shown are what it wanted it is told in words, once they are shown. What the system says is
    fenced: it is talk to be answered, no instruction. After its profile's `patience` of system turns it leaves without
    a word. Its state is the seed of its fence.
    """

    options: ClassVar[type[SinglePromptOptions]] = SinglePromptOptions

    def __init__(self, model: ChatModel, options: SinglePromptOptions = SinglePromptOptions()) -> None:  # noqa: B008
        """Make it from a model.

        Args:
            model: Writes the turns; a model of form `completion` gets examples instead of instructions.
            options: Its options.
        """
        self._model = model
        self._options = options
        self._prompt = Prompt.load(_TEMPLATE)
        self.instructions = _sentences(self._prompt)

    @classmethod
    def build(cls, options: SinglePromptOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options)

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: the seed of the fence around what the system says."""
        return {"fence": rng.getrandbits(32)}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Write the next message."""
        if _lost_patience(view):
            return UserTurn("", end="gave_up", notes={"patience": view.scenario.profile.patience}), state
        request = self._completion(view) if self._model.form == "completion" else self._chat(view, state)
        reply = await self._model.chat(request, view.address)
        return self._read(view, reply), state

    def _chat(self, view: UserView, state: State) -> ChatRequest:
        said = [message.text for message in view.history.messages]
        fence = Fence.draw(said, rng("fence", state.get("fence", 0)))
        prompt = self._prompt.render("system", "user", **self._values(view, fence))
        messages = render(
            view.history.messages,
            "user",
            prompt["system"],
            closing=prompt["user"],
            frame=fence.around,
            limit=PROMPT_LIMIT,
        )
        return self._request(messages=messages)

    def _completion(self, view: UserView) -> ChatRequest:
        values = self._values(view, Fence(""))
        prompt = self._prompt.render("completion", **values, lines=_lines(view.history.messages))
        return self._request(completion=prompt["completion"], stop=("\n",))

    def _request(self, **parts: Any) -> ChatRequest:
        options = self._options
        return ChatRequest(
            **parts, max_tokens=options.max_tokens, temperature=options.temperature, prompt=self._prompt.label
        )

    def _values(self, view: UserView, fence: Fence) -> dict[str, Any]:
        shown = just_shown(view)
        return {
            "profile": view.scenario.profile,
            "domain": view.scenario.domain,
            "opening": fence.opening,
            "closing": fence.closing,
            "end": self._options.end_marker,
            "give_up": self._options.give_up_marker,
            "first": not view.history.messages,
            "wanted": titles(shown, mine=True),
            "unwanted": titles(shown, mine=False),
            "complaint": view.complaint or "",
        }

    def _read(self, view: UserView, reply: ChatReply) -> UserTurn:
        said, cut = strip_reasoning(reply.text or "")
        text, done = read_end_marker(said, self._options.end_marker)
        text, hopeless = read_end_marker(text, self._options.give_up_marker)
        text = text.strip()
        notes = {"finish": reply.finish} if cut or reply.finish not in ("stop", "") else {}
        return UserTurn(
            text=text,
            thought=reply.reasoning or "",
            accepts=taken(view, text) if done else (),
            end="done" if done else "gave_up" if hopeless else None,
            notes=notes,
            prompt=self._prompt.label,
            calls=(reply.call,) if reply.call else (),
            raw=reply.text if reply.text != text else None,
        )


def _lost_patience(view: UserView) -> bool:
    patience = view.scenario.profile.patience
    if patience is None or any(shown.mine for shown in just_shown(view)):
        return False
    runs = groupby(view.history.messages, lambda message: (message.side, message.author))
    answers = sum(speaker == ("system", "system") for speaker, _ in runs)
    return answers >= patience


def _lines(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """Return a dialogue as lines for a model that continues it: no line can look like another speaker's.

    The user's opening and the last lines are kept, so that the prompt stays short.
    """
    lines = [
        {"own": side == "user", "text": one_line(shorten(" ".join(message.text for message in run), _LINE_LIMIT))}
        for side, run in groupby(messages, lambda message: message.side)
    ]
    spoken = [line for line in lines if line["text"]]
    opening = next((place for place, line in enumerate(spoken) if line["own"]), 0)
    start = max(0, len(spoken) - _LAST_LINES)
    return ([spoken[opening]] if opening < start else []) + spoken[start:]


def _sentences(prompt: Prompt) -> tuple[str, ...]:
    """Return the fixed lines of the instructions, which no person would say."""
    body = prompt.source.partition("--- system ---")[2].partition("--- completion ---")[0]
    lines = (line.strip(" -") for line in body.splitlines())
    return tuple(line for line in lines if line and "{%" not in line)
