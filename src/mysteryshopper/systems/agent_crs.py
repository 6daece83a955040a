"""`agent-crs`: a chat model that keeps notes, plans a step, and then asks, recommends or answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatModel,
    ChatReply,
    ChatRequest,
    History,
    Item,
    Message,
    Opening,
    Parts,
    Status,
    SystemReply,
)
from mysteryshopper.dialogue import shorten
from mysteryshopper.items import item_text
from mysteryshopper.prompts import Prompt
from mysteryshopper.reading import Reading, more_room, read_json
from mysteryshopper.systems.agent_crs_plan import Notes, Plan, WrittenPlan, plan_of, plan_schema
from mysteryshopper.systems.grounding import Grounding, facts
from mysteryshopper.systems.prompting import dialogue_request, made_by, spoken, used
from mysteryshopper.systems.recommender import mentioned, query
from mysteryshopper.systems.words import content_words

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_POOL = 10
"""So many times the candidates are looked up by words, before the notes put them in order."""
_EXAMPLES = 6
"""Values of an attribute that the prompt names."""
_LATELY = 5
"""Items under discussion that the prompt tells about when the agent answers."""
_TEXT = 300


class AgentCRSOptions(BaseModel):
    """Options of `agent-crs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    candidates: int = Field(default=10, ge=1, le=200, description="How many items of the catalogue the prompt holds.")
    show: int = Field(default=3, ge=1, le=50, description="How many items the model is asked to name at most.")


@dataclass(frozen=True, slots=True)
class _Planned:
    """A plan, and the replies behind it."""

    plan: Plan | None
    reading: Reading[WrittenPlan]
    replies: tuple[ChatReply, ...]


class AgentCRS:
    """An agent in two calls a turn: it plans, with notes on the person brought up to date, and then acts.

    After the AgentCRS of AdaptSim (planning, memory, action), whose prompts are not published; the wording is ours. The
    first call (`plan`) writes the notes anew (constraints, likes, dislikes, what was rejected) and names the next step:
    ask, recommend or answer. To recommend, items are looked up by the notes (BM25), those first that have what must be
    and nothing of what must not, without what was shown or named before. The second call (`reply`) words the step.
    Items shown are those that the reply names, as of `base-crs`.

    It lives in the messages: the notes before a turn are those it wrote in its turn before, which is asked for again by
    the same call at the same place, and so is met in the record. A tree can branch it, and no branch knows of another.
    An earlier turn whose notes could not be read leaves them as they were. This turn's plan is asked for once more if
    it can't be read (with more room if it was cut), and then the turn is the system's fault. A failing model is
    infrastructure.
    """

    options: ClassVar[type[AgentCRSOptions]] = AgentCRSOptions
    memory: Literal["messages"] = "messages"
    calls_a_turn: ClassVar[tuple[int, int, int]] = (2, 2, 3)

    def __init__(
        self,
        model: ChatModel,
        catalog: Catalog,
        options: AgentCRSOptions = AgentCRSOptions(),  # noqa: B008
        *,
        domain: str = "",
        seed: int = 0,
    ) -> None:
        """Make it.

        Args:
            model: Plans and speaks.
            catalog: What can be recommended.
            options: Its options.
            domain: What the items are, in a word.
            seed: Seed of the fences.
        """
        self._model = model
        self._options = options
        self._seed = seed
        self._prompt = Prompt.load("systems/agent-crs")
        self._ground = Grounding(catalog)
        self._words: dict[str, frozenset[str]] = {}
        self._unread: dict[Address, tuple[Status, int | None]] = {}
        self._about: dict[str, Any] = {"domain": domain, "known": _known(catalog), "most": options.show}

    @classmethod
    def build(cls, options: AgentCRSOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model, and the experiment a data set."""
        dataset = parts.dataset()
        return cls(parts.model(), dataset.catalog(), options, domain=dataset.domain, seed=parts.seed)

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[_AgentSession]:
        """Open a conversation; what it remembers it finds again in the messages."""
        yield _AgentSession(self)

    async def reply(self, history: History, notes: Notes) -> tuple[SystemReply, Notes]:
        """Answer a history.

        Args:
            history: The dialogue.
            notes: Notes before this turn.

        Returns:
            The reply, and the notes after it.

        Raises:
            CallFailed: The model failed, or its plan could not be read, twice (`unreadable`, the system's fault).
        """
        planned = await self.plan(history, notes)
        if planned.plan is None:
            why = f"the agent's plan can't be read ({planned.reading.status}). {planned.reading.hint}"
            raise CallFailed(why, ended="unreadable", fault="system")
        plan = planned.plan
        named = self._ground.named(history)
        items = self._items(plan, history, named)
        values = {
            **self._values(plan.notes),
            "action": plan.action,
            "aim": plan.aim,
            "items": [self._told(item, plan) for item in items],
        }
        request = dialogue_request(
            self._prompt, self._model.form, history, self._seed, values, closing="act", completion="act-completion"
        )
        answer = await self._model.chat(request, history.address.to(purpose="reply"))
        text = spoken(answer)
        replies = (*planned.replies, answer)
        shown = tuple(item for item in self._ground.shown(text, items) if item.id not in named)
        told = {"action": plan.action, "aim": plan.aim, "plan": plan.plan, "memory": plan.notes.lists}
        reply = SystemReply((text,), shown, usage=used(*replies), notes=told, calls=made_by(*replies))
        return reply, plan.notes

    async def plan(self, history: History, notes: Notes) -> _Planned:
        """Bring the notes up to date and plan the next step; what can't be read is asked for once more."""
        address = history.address.to(purpose="plan", attempt=0)  # words asked for again change no plan
        first: tuple[ChatReply, ...] = ()
        if (failed := self._unread.get(address)) is None:
            reply = await self._model.chat(self._plan_request(history, notes), address)
            reading = read_json(reply, WrittenPlan)
            if reading.value is not None:
                return _Planned(plan_of(reading.value), reading, (reply,))
            first = (reply,)
            room = more_room(reply) if reading.status == "truncated" else None
            failed = self._unread[address] = reading.status, room  # in no record if cut: later turns would ask anew
        second = await self._model.chat(self._plan_request(history, notes, *failed), address.to(attempt=1))
        reading = read_json(second, WrittenPlan)
        return _Planned(None if reading.value is None else plan_of(reading.value), reading, (*first, second))

    def _plan_request(self, history: History, notes: Notes, unread: str = "", room: int | None = None) -> ChatRequest:
        return dialogue_request(
            self._prompt,
            self._model.form,
            history,
            self._seed,
            {**self._values(notes), "unread": unread},
            closing="plan",
            completion="plan-completion",
            schema=plan_schema(self._model.form),
            max_tokens=room,
        )

    def _values(self, notes: Notes) -> dict[str, Any]:
        return {**self._about, "notes": json.dumps(notes.lists, ensure_ascii=False)}

    def _items(self, plan: Plan, history: History, named: set[str]) -> list[Item]:
        """Return the items that the next step is about."""
        catalog = self._ground.catalog
        if catalog is None or plan.action == "ask":
            return []
        shown = mentioned(history)
        if plan.action == "answer":
            spoken_of = [*shown, *catalog.mentions(query(history, "user")), *catalog.mentions(plan.aim)]
            lately = (catalog.find(name) for name in dict.fromkeys(reversed(spoken_of)))
            return [item for item in lately if item is not None][:_LATELY]
        rejected = {name for title in plan.notes.rejected for name in catalog.mentions(title)}
        words = content_words(" ".join((*plan.notes.constraints, *plan.notes.likes, plan.aim)))
        found = self._ground.found(words, self._options.candidates * _POOL, {*shown, *named, *rejected})
        return fitting(found, plan.notes, self._words_of)[: self._options.candidates]

    def _words_of(self, item: Item) -> frozenset[str]:
        if (words := self._words.get(item.id)) is None:  # read once: the same items are looked up again and again
            words = self._words[item.id] = words_of(item)
        return words

    @staticmethod
    def _told(item: Item, plan: Plan) -> dict[str, Any]:
        text = shorten(item.text, _TEXT) if plan.action == "answer" else ""
        return {"title": item.title, "year": item.year, "facts": facts(item), "text": text}


class _AgentSession:
    """One conversation, which remembers the notes of its last turn so as not to go through the earlier ones again."""

    def __init__(self, agent: AgentCRS) -> None:
        self._agent = agent
        self._after: tuple[tuple[Message, ...], Notes] = ((), Notes())

    async def reply(self, history: History) -> SystemReply:
        notes = await self._notes(history)
        reply, after = await self._agent.reply(history, notes)
        self._after = (history.messages, after)
        return reply

    async def _notes(self, history: History) -> Notes:
        """Return the notes before this turn, gone through turn by turn with the calls that were made then."""
        before, notes = self._after
        known = len(before)
        if not 0 < known < len(history.messages) or history.messages[:known] != before:
            known, notes = 0, Notes()
        for earlier in earlier_turns(history):
            if len(earlier.messages) > known:
                planned = await self._agent.plan(earlier, notes)
                notes = notes if planned.plan is None else planned.plan.notes
        return notes


def earlier_turns(history: History) -> list[History]:
    """Return the histories that the system was to answer before this one, oldest first, each with its own address.

    Each ends with a turn of the person; its address is that of the reply it got, or would have got, in the same place
    among its siblings. What people said before the dialogue has no such place: it is told apart by number.
    """
    messages = history.messages
    ends = [place for place, (one, two) in enumerate(pairwise(messages), 1) if one.side == "user" != two.side]
    found = []
    for number, end in enumerate(ends):
        address = _address_before(history.address, len(ends) - number, number)
        found.append(History(messages[:end], max(1, history.turn - (len(ends) - number)), address))
    return found


def _address_before(address: Address, back: int, number: int) -> Address:
    *leaf, place = address.path.split(".")
    parts = leaf[: -2 * back] if len(leaf) > 2 * back else [f"before{number}"]
    return address.to(path=".".join([*parts, place] if place else parts))


def words_of(item: Item) -> frozenset[str]:
    """Return the words of an item's title, attributes and text that tell something."""
    return _words(item_text(item))


def fitting(items: Sequence[Item], notes: Notes, told: Callable[[Item], frozenset[str]] = words_of) -> list[Item]:
    """Return items in the order in which they fit notes; equal ones stay in order.

    First come those with the fewest of the dislikes, then those with the most of the constraints. An item has what an
    entry says if all the words of the entry that tell something are among its own.

    Args:
        items: The items.
        notes: What they shall fit.
        told: Gives the words of an item.
    """
    wanted, unwanted = [_words(entry) for entry in notes.constraints], [_words(entry) for entry in notes.dislikes]

    def key(item: Item) -> tuple[int, int]:
        words = told(item)
        return _held(unwanted, words), -_held(wanted, words)

    return sorted(items, key=key)


def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text).split())


def _held(entries: Sequence[frozenset[str]], told: frozenset[str]) -> int:
    return sum(bool(words) and words <= told for words in entries)


def _known(catalog: Catalog) -> list[tuple[str, list[str]]]:
    """Return the attributes of a catalogue with their most frequent values."""
    counts: dict[str, Counter[str]] = {}
    for item in catalog:
        for name, values in item.attributes.items():
            counts.setdefault(name, Counter()).update(values)
    return [(name, [value for value, _ in found.most_common(_EXAMPLES)]) for name, found in counts.items()]
