"""`base-crs`: a chat model with one prompt as a recommender, on a catalogue or free."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import ChatModel, ChatRequest, History, Item, ItemRef, Opening, Parts, SystemReply, rng
from mysteryshopper.dialogue import PROMPT_LIMIT, as_lines, render
from mysteryshopper.items import LexicalIndex
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.systems.recommender import mentioned, query, reference
from mysteryshopper.systems.words import content_words

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class BaseCRSOptions(BaseModel):
    """Options of `base-crs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grounding: Literal["catalogue", "free"] = Field(
        default="catalogue",
        description="`catalogue`: items that may fit are put in the prompt; `free`: the model names what it knows.",
    )
    candidates: int = Field(default=20, ge=1, le=200, description="How many items of the catalogue the prompt holds.")
    show: int = Field(default=3, ge=1, le=50, description="How many items the model is asked to name at most.")


class BaseCRS:
    """A chat model that is told to recommend, and gets the dialogue; it lives in the messages.

    On a catalogue, the items that match the person's words best (BM25) and were not shown before stand in the prompt.
    Items shown are the catalogued titles that its reply names, without those that the person had named: a title that
    the catalogue does not hold counts for nothing, and neither does an echo. Free, and without a data set, its replies
    show no items. What the person says is fenced. A failing model is infrastructure.
    """

    options: ClassVar[type[BaseCRSOptions]] = BaseCRSOptions
    memory: Literal["messages"] = "messages"

    def __init__(
        self,
        model: ChatModel,
        catalog: Catalog | None,
        options: BaseCRSOptions = BaseCRSOptions(),  # noqa: B008
        *,
        domain: str = "",
        seed: int = 0,
    ) -> None:
        """Make it.

        Args:
            model: Writes the replies.
            catalog: Where titles are looked up; needed for `grounding: catalogue`.
            options: Its options.
            domain: What the items are, in a word.
            seed: Seed of the fences.
        """
        self._model = model
        self._catalog = catalog
        self._options = options
        self._domain = domain
        self._seed = seed
        self._prompt = Prompt.load("systems/base-crs")
        grounded = options.grounding == "catalogue" and catalog is not None
        self._index = LexicalIndex(catalog.items) if grounded and catalog is not None else None

    @classmethod
    def build(cls, options: BaseCRSOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model, and the data set must have items to be grounded."""
        needed = options.grounding == "catalogue" or parts.has_dataset
        dataset = parts.dataset() if needed else None
        catalog = dataset.catalog() if dataset is not None else None
        domain = dataset.domain if dataset is not None else ""
        return cls(parts.model(), catalog, options, domain=domain, seed=parts.seed)

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[BaseCRS]:
        """Open a conversation; all of it is in the messages."""
        yield self

    async def reply(self, history: History) -> SystemReply:
        """Answer the history."""
        named = self._named(history)
        candidates = self._candidates(history, named)
        answer = await self._model.chat(self._request(history, candidates), history.address)
        text = strip_reasoning(answer.text or "")[0].strip()
        items = tuple(item for item in self._shown(text, candidates) if item.id not in named)
        calls = (answer.call,) if answer.call else ()
        return SystemReply(messages=(text,), items=items, usage=answer.usage, calls=calls)

    def _request(self, history: History, candidates: list[Item]) -> ChatRequest:
        values: dict[str, Any] = {
            "domain": self._domain,
            "grounded": self._index is not None,
            "items": [{"title": item.title, "year": item.year, "facts": _facts(item)} for item in candidates],
            "most": self._options.show,
        }
        if self._model.form == "completion":
            lines = as_lines(history.messages)
            told = self._prompt.render("completion", **values, lines=lines, opening="", closing="")
            return ChatRequest(completion=told["completion"], stop=("\n",), prompt=self._prompt.label)
        address = history.address
        drawn = rng(self._seed, "fence", address.component, address.unit, address.repeat)
        fence = Fence.draw((message.text for message in history.messages), drawn)
        told = self._prompt.render("system", **values, opening=fence.opening, closing=fence.closing)
        messages = render(history.messages, "system", told["system"], frame=fence.around, limit=PROMPT_LIMIT)
        return ChatRequest(messages=messages, prompt=self._prompt.label)

    def _named(self, history: History) -> set[str]:
        """Return the ids of the items that the person has named."""
        if self._catalog is None:
            return set()
        spoken = (message for message in history.messages if message.side == "user")
        return {name for message in spoken for name in self._catalog.mentions(message.text)}

    def _candidates(self, history: History, named: set[str]) -> list[Item]:
        """Return the items that match the person's words best, without those shown or named before."""
        if self._index is None or self._catalog is None:
            return []
        held = {*mentioned(history), *named}
        found = self._index.search(content_words(query(history, "user")), self._options.candidates + len(held))
        fresh = [scored.id for scored in found if scored.id not in held]
        return [self._catalog.get(name) for name in fresh[: self._options.candidates]]

    def _shown(self, text: str, candidates: list[Item]) -> list[ItemRef]:
        """Return the catalogued items that a reply names, each once; of several of one title, a candidate is meant."""
        if self._catalog is None:
            return []
        offered = {item.id for item in candidates}
        ids: dict[str, None] = {}
        for found in self._catalog.found(text):
            if found.match.item_id is not None:
                ids[found.match.item_id] = None
            elif len(meant := offered.intersection(found.ids)) == 1:
                ids[meant.pop()] = None
        return [reference(self._catalog.get(name)) for name in ids]


def _facts(item: Item) -> str:
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in item.attributes.items() if values)
