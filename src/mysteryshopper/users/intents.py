"""What users share that first make out what the system is doing: asking, recommending, or just talking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mysteryshopper.core import ChatModel, ChatRequest, Json, State, UserTurn, UserView
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import read_choice, strip_reasoning
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, cut_notes, fence_of
from mysteryshopper.users.showing import just_shown, wanted
from mysteryshopper.users.styles import style_notes

Intent = Literal["open", "ask", "recommend", "chat"]
"""What the system is doing; `open` where it has not spoken."""

_NAMES: Mapping[str, Intent] = {"question": "ask", "recommendation": "recommend", "small talk": "chat"}
"""Intents by the name under which the prompt asks for them."""


class IntentUser(PromptedUser):
    """Base of users with one prompt for each intent of the system.

    A turn that shows items recommends, which nobody has to be asked about. Of any other turn the model says what it is
    (a call with the purpose `intent`); what can't be read, also when asked once more, is taken for small talk, which
    the turn's notes tell. When a wanted item was just shown, the user takes it, and the dialogue is over.
    """

    def __init__(self, model: ChatModel, options: PromptedOptions, template: str) -> None:
        """Make it; arguments as of `PromptedUser`."""
        super().__init__(model, options, template)
        self._intents = Prompt.load("users/intents")

    async def _intent(self, view: UserView, state: State) -> tuple[Intent, dict[str, Json], tuple[str, ...]]:
        """Return what the system is doing, what is noted of it, and the calls behind it."""
        if all(message.side == "user" for message in view.history.messages):
            return "open", {}, ()
        if just_shown(view):
            return "recommend", {}, ()
        names = tuple(_NAMES)

        def ask(unread: str) -> ChatRequest:
            prompt = self._intents
            if self._model.form == "completion":
                lines = as_lines(view.history.messages, last=1)
                told = prompt.render("completion", lines=lines, unread=unread, opening="", closing="")
                return ChatRequest(completion=told["completion"], stop=("\n",), choices=names, prompt=prompt.label)
            lines = as_lines(view.history.messages, limit=PROMPT_LIMIT, last=2)
            fence: Fence = fence_of(view, state)
            told = prompt.render(
                "system", "user", lines=lines, unread=unread, opening=fence.opening, closing=fence.closing
            )
            return ChatRequest(messages=told.messages, choices=names, prompt=prompt.label)

        reading, calls = await self._read_twice(
            ask, lambda reply: read_choice(reply, names), view.address.to(purpose="intent")
        )
        intent = _NAMES.get(reading.value or "", "chat")
        return intent, {"intent": {"read": reading.value, "status": reading.status}}, calls

    async def _say(
        self, view: UserView, state: State, intent: Intent, notes: Mapping[str, Json], calls: tuple[str, ...]
    ) -> UserTurn:
        """Return the turn, worded by the prompt of the intent."""
        reply = await self._model.chat(
            self._request(view, state, f"{intent}-", intent=intent), view.address.to(purpose="reply")
        )
        said, cut = strip_reasoning(reply.text or "")
        text = said.strip()
        takes = wanted(just_shown(view))
        return UserTurn(
            text=text,
            action=intent,
            thought=reply.reasoning or "",
            accepts=takes,
            end="done" if takes else None,
            notes={**style_notes(view.scenario.profile.style), **notes, **cut_notes(reply, cut)},
            prompt=self._prompt.label,
            calls=(*calls, reply.call) if reply.call else calls,
            raw=reply.text if reply.text != text else None,
        )
