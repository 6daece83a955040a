"""`recusersim`: rates what it was given, then decides what to do, then words it, then makes it sound like itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Literal, Self

from pydantic import Field as Option

from mysteryshopper.core import (
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
)
from mysteryshopper.reading import read_choice, read_score, strip_reasoning
from mysteryshopper.users.field import Field
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, cut_notes, out_of_patience
from mysteryshopper.users.recusersim_memory import Memory
from mysteryshopper.users.showing import heard, just_shown, named, wanted
from mysteryshopper.users.styles import style_notes

_TEMPLATE = "users/recusersim"
_LOWEST, _HIGHEST = 1, 5
_POOR, _ENOUGH = 2, 3
"""From the one rating down somebody may leave; from the other up something may be taken, however long it took."""

_OPEN, _ACCEPT, _LEAVE = "open", "accept", "leave"
_ACTIONS = ("answer", "ask", "turn down", "chat")
"""What can always be done once the system has spoken; to accept and to leave have conditions."""

_ENDS: dict[str, Literal["done", "gave_up"]] = {_ACCEPT: "done", _LEAVE: "gave_up"}


class RecUserSimOptions(PromptedOptions):
    """Options of `recusersim`."""

    attention: int = Option(
        default=3, ge=1, description="How many of the items of a reply are looked at, from the top."
    )
    recall: int = Option(default=3, ge=0, description="How many earlier replies are still in mind.")
    content: int = Option(
        default=4, ge=_ENOUGH, le=_HIGHEST, description="The rating from which on something is good enough to take."
    )
    yields: int | None = Option(
        default=3,
        ge=1,
        description="After every so many replies one point less is good enough, down to 3; null never yields.",
    )
    refine: Literal["in-context", "alone", "off"] = Option(
        default="in-context",
        description="How the wording is made the person's own: with the dialogue in view, without it (as the paper has"
        " it, and at the price of falling out of the role), or not at all.",
    )


class RecUserSim(PromptedUser):
    """A user of any domain in three tiers, rating, action and response, whose words are then refined.

    After RecUserSim (2025), from what its abstract and a later paper say of it, in our words: there is no public code,
    and nothing here claims to repeat its results. What we made of it:

    * **Memory.** At first the person knows only what is required and not held back. What else it would want it finds
      out when the system names it, or shows something that lacks it. Of earlier replies the last `recall` are in mind.
    * **Bounded rationality.** Of a reply the first `attention` items are looked at. Something is good enough from the
      rating `content` on, and after every `yields` replies one point less will do, down to 3; the first good enough one
      is taken.
    * **Rating.** A model rates the last reply from 1 to 5; the rating is kept on the turn (`rating`).
    * **Action.** It chooses what to do: answer, ask, turn down or chat; accept, if something wanted or good enough is
      in view; leave, if the rating is 2 or less.
    * **Response.** It words the action.
    * **Refinement.** It makes the words sound like the person, by style and length. It sees the dialogue while it does,
      so that it goes on as the one who is looking; `alone` does not, as published.

    A rating or action that can't be read is asked for once more; then there is no rating, and what the rules would do
    is done, which the turn's notes tell. The calls have the purposes `rating`, `action`, `response` and `refine`; the
    first two stand when the words are asked for once more. After its profile's `patience` of system turns it leaves
    without a word. Asked after the dialogue, it rates it.
    """

    options: ClassVar[type[RecUserSimOptions]] = RecUserSimOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 4, 6)

    def __init__(
        self,
        model: ChatModel,
        options: RecUserSimOptions = RecUserSimOptions(),  # noqa: B008
        *,
        field: Field = Field(),  # noqa: B008
    ) -> None:
        """Make it from a model, its options and the words of its domain."""
        super().__init__(model, options, _TEMPLATE)
        self._options = options
        self._field = field

    @classmethod
    def build(cls, options: RecUserSimOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options, field=Field.of(parts))

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: the fence, and what the person knows to want."""
        return Memory.first(int(super().start(scenario, rng)["fence"]), scenario.profile).write()

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Rate, decide, word and refine."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        looked_at = just_shown(view)[: self._options.attention]
        memory = Memory.read(state).discover(heard(view), looked_at, self._field)
        spoken = any(message.side == "system" for message in view.history.messages)
        told = _Told(self, view, memory, looked_at)
        rating, action = None, _OPEN
        if spoken:
            rating = await self._rate_reply(told)
            action = await self._decide(told, rating)
        text, draft, reply = await self._word(told, rating, action)
        takes = _taken(looked_at) if action == _ACCEPT else ()
        turn = UserTurn(
            text=text,
            action=action,
            thought=draft if draft != text else reply.reasoning or "",
            accepts=takes,
            rating=rating,
            end=_ENDS.get(action),
            notes={**style_notes(view.scenario.profile.style), **told.notes, **cut_notes(reply, False)},
            prompt=self._prompt.label,
            calls=tuple(told.calls),
            raw=reply.text if reply.text != text else None,
        )
        titles = [shown.item.title for shown in looked_at if shown.item.title]
        after = memory.keep(view.turn, titles, rating) if spoken else memory
        return turn, after.write()

    async def _rate_reply(self, told: _Told) -> int | None:
        scale = tuple(str(number) for number in range(_LOWEST, _HIGHEST + 1))
        reading, calls = await self._read_twice(
            lambda unread: told.ask("rating-", choices=scale, unread=unread),
            lambda reply: read_score(reply, _LOWEST, _HIGHEST),
            told.view.address.to(purpose="rating"),
        )
        told.calls += calls
        if reading.value is None:
            told.notes["rating"] = reading.status
            return None
        return round(reading.value)

    async def _decide(self, told: _Told, rating: int | None) -> str:
        choices = self._choices(told, rating)
        reading, calls = await self._read_twice(
            lambda unread: told.ask("action-", choices=choices, unread=unread, rating=rating, actions=list(choices)),
            lambda reply: read_choice(reply, choices),
            told.view.address.to(purpose="action"),
        )
        told.calls += calls
        if reading.value is not None:
            return reading.value
        told.notes["action"] = reading.status
        return _ACCEPT if wanted(told.looked_at) else "turn down" if told.looked_at else "answer"

    def _choices(self, told: _Told, rating: int | None) -> tuple[str, ...]:
        """Return what can be done now."""
        replies = len(told.memory.impressions)
        enough = self._options.content - (0 if self._options.yields is None else replies // self._options.yields)
        served = bool(wanted(told.looked_at)) or (rating is not None and rating >= max(enough, _ENOUGH))
        takes = (_ACCEPT,) if told.looked_at and served and _taken(told.looked_at) else ()
        leaves = (_LEAVE,) if rating is not None and rating <= _POOR else ()
        return (*takes, *_ACTIONS, *leaves)

    async def _word(self, told: _Told, rating: int | None, action: str) -> tuple[str, str, ChatReply]:
        """Return the words, the draft they were made of, and the last reply."""
        address = told.view.address
        asked = told.ask("response-", rating=rating, action=action)
        reply = await self._model.chat(asked, address.to(purpose="response"))
        told.calls += [reply.call] if reply.call else []
        draft = _clean(reply)
        if self._options.refine == "off" or not draft:
            return draft, draft, reply
        alone = self._options.refine == "alone"
        asked = told.ask("refine-", alone=alone, draft=draft, action=action)
        refined = await self._model.chat(asked, address.to(purpose="refine"))
        told.calls += [refined.call] if refined.call else []
        if text := _clean(refined):
            return text, draft, refined
        told.notes["refine"] = "empty"
        return draft, draft, reply


class _Told:
    """One turn's view as the prompts take it, and what came of its calls.

    Attributes:
        view: The view.
        memory: What the person has in mind.
        looked_at: The items that were looked at.
        notes: What is noted of the turn.
        calls: Calls made.
    """

    def __init__(self, user: RecUserSim, view: UserView, memory: Memory, looked_at: Sequence[Shown]) -> None:
        profile = view.scenario.profile
        facts = bool(profile.attributes or profile.prefers)
        known = replace(
            profile, wish="" if facts else profile.wish, attributes=dict(memory.known), prefers={}, hidden=()
        )
        self.view = replace(view, scenario=replace(view.scenario, profile=known))
        self.memory = memory
        self.looked_at = looked_at
        self.notes: dict[str, Json] = {}
        self.calls: list[str] = []
        self._user = user
        if memory.found:
            self.notes["found"] = {name: list(values) for name, values in memory.found.items()}

    def ask(self, part: str, *, choices: Sequence[str] = (), alone: bool = False, **more: Any) -> ChatRequest:
        """Return the request for one tier; `alone` leaves the dialogue out."""
        user, view = self._user, self.view
        if alone:
            view = replace(view, history=replace(view.history, messages=()))
        impressions = self.memory.impressions
        values = {
            "unread": "",
            "rating": None,
            "action": "",
            "actions": [],
            "draft": "",
            **more,
            "alone": alone,
            "wanted": named(self.looked_at, mine=True),
            "unwanted": named(self.looked_at, mine=False),
            "found": [f"{name}: {', '.join(given)}" for name, given in self.memory.found.items()],
            "impressions": impressions[len(impressions) - user._options.recall :] if user._options.recall else (),
            "field": user._field,
        }
        return user._request(view, self.memory.write(), part, choices=choices, **values)


def _taken(items: Sequence[Shown]) -> tuple[str, ...]:
    """Return what is taken of the items looked at: the wanted ones, else the first that is not known to miss."""
    if hits := wanted(items):
        return hits
    fit = (shown.item.id for shown in items if shown.mine is not False and shown.item.id is not None)
    first = next(fit, None) or next((shown.item.id for shown in items if shown.item.id is not None), None)
    return (first,) if first is not None else ()


def _clean(reply: ChatReply) -> str:
    return strip_reasoning(reply.text or "")[0].strip()
