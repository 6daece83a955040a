"""`ievalm`, iEvaLM's seeker as it should have been; and `ievalm-published`, as it was: it is given its targets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Self

from mysteryshopper.core import (
    ChatMessage,
    ChatModel,
    ChatRequest,
    InsiderView,
    Item,
    Message,
    Parts,
    Scenario,
    State,
    UserTurn,
    UserView,
)
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.users.field import Field
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, cut_notes, out_of_patience
from mysteryshopper.users.showing import just_shown, wanted
from mysteryshopper.users.styles import style_notes

_TEMPLATE = "users/ievalm"
_STOP = "Recommender"
_LONGEST = 128
_ALIKE = 90
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class IEvaLMUserOptions(PromptedOptions):
    """Options of `ievalm` and `ievalm-published`."""


class IEvaLMUser(PromptedUser):
    """A seeker of any domain, after iEvaLM (Wang et al., 2023), that knows attributes of what it wants, and no title.

    It tells what it hopes for when asked or when something else is recommended, and takes what the loop marks as wanted
    once it was shown; then the dialogue is over. The wording is ours. After its profile's `patience` of system turns it
    leaves without a word. Asked after the dialogue, it rates it.
    """

    options: ClassVar[type[IEvaLMUserOptions]] = IEvaLMUserOptions

    def __init__(
        self,
        model: ChatModel,
        options: IEvaLMUserOptions = IEvaLMUserOptions(),  # noqa: B008
        *,
        field: Field = Field(),  # noqa: B008
    ) -> None:
        """Make it from a model, its options and the words of its domain."""
        super().__init__(model, options, _TEMPLATE)
        self._field = field

    @classmethod
    def build(cls, options: IEvaLMUserOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options, field=Field.of(parts))

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Write the next message."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        turn = await self._turn(view, self._request(view, state, field=self._field))
        return replace(turn, notes={**style_notes(view.scenario.profile.style), **turn.notes}), state

    async def _turn(self, view: UserView, request: ChatRequest) -> UserTurn:
        reply = await self._model.chat(request, view.address)
        said, cut = strip_reasoning(reply.text or "")
        text = said.strip()
        takes = wanted(just_shown(view))
        return UserTurn(
            text=text,
            thought=reply.reasoning or "",
            accepts=takes,
            end="done" if takes else None,
            notes=cut_notes(reply, cut),
            prompt=self._prompt.label,
            calls=(reply.call,) if reply.call else (),
            raw=reply.text if reply.text != text else None,
        )


class PublishedIEvaLMUser(IEvaLMUser):
    """iEvaLM's seeker as its authors coded it, for parity: it is given its targets and told not to name them.

    What it is told has their order, the wording is ours; temperature 0, 128 tokens, and `Recommender` as what stops
    it, unless options say otherwise. Two transcripts are kept, as published: the system reads every reply as it came,
    while the seeker's own transcript loses the sentences that look like a target (its title in quotation marks, with
    and without the year, at a partial ratio above 90) and has an apology in front of the rest. Its state holds the own
    transcript (`said`). It knows attributes only if its model does. Not to be trusted: what it gives away, the system
    reads.
    """

    sees_targets: ClassVar[bool] = True

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: nothing said yet."""
        return {**super().start(scenario, rng), "said": []}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Write the next message, and note in the own transcript what is left of it."""
        targets = view.targets if isinstance(view, InsiderView) else ()
        turn = await self._turn(view, self._published(view, targets, state["said"]))
        kept = " ".join(part for part in _SENTENCE.split(turn.text) if part.strip() and not _gives_away(part, targets))
        own = kept if turn.accepts or not kept else f"{self._prompt.render('sorry')['sorry']} {kept}"
        return turn, {**state, "said": [*state["said"], own]}

    def _published(self, view: UserView, targets: Sequence[Item], said: Sequence[str]) -> ChatRequest:
        lines = as_lines(_own_transcript(view.history.messages, said), limit=PROMPT_LIMIT, last=None)
        text = self._prompt.render("published", targets=[_quoted(item) for item in targets], lines=lines)["published"]
        sampling: dict[str, Any] = {name: value for name, value in self._sampling.items() if value is not None}
        request = ChatRequest(
            messages=() if self._model.form == "completion" else (ChatMessage("user", text),),
            completion=text if self._model.form == "completion" else None,
            max_tokens=_LONGEST,
            temperature=0,
            stop=(_STOP,),
            prompt=self._prompt.label,
        )
        return request._replace(**sampling)


def _own_transcript(messages: Sequence[Message], said: Sequence[str]) -> list[Message]:
    """Return the dialogue with the seeker's own lines as it remembers them."""
    own = iter(said)
    return [
        replace(message, text=next(own, message.text))
        if message.side == "user" and message.author == "simulated"
        else message
        for message in messages
    ]


def _quoted(item: Item) -> str:
    return f'"{item.title} ({item.year})"' if item.year else f'"{item.title}"'


def _gives_away(sentence: str, targets: Sequence[Item]) -> bool:
    """Whether the published filter drops a sentence; it misses many, as its targets keep their quotation marks."""
    from rapidfuzz import fuzz

    forms = {form for item in targets for form in (_quoted(item), f'"{item.title}"')}
    return any(round(fuzz.partial_ratio(form, sentence)) > _ALIKE for form in forms)
