"""`base-crs`: a chat model with one prompt as a recommender, on a catalogue or free."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import ChatModel, History, Item, Opening, Parts, SystemReply
from mysteryshopper.prompts import Prompt
from mysteryshopper.systems.grounding import Grounding, facts
from mysteryshopper.systems.prompting import dialogue_request, made_by, spoken
from mysteryshopper.systems.recommender import mentioned, query
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
        self._options = options
        self._domain = domain
        self._seed = seed
        self._prompt = Prompt.load("systems/base-crs")
        self._ground = Grounding(catalog, searched=options.grounding == "catalogue")

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
        named = self._ground.named(history)
        candidates = self._candidates(history, named)
        grounded = self._ground.index is not None
        values = {
            "domain": self._domain,
            "grounded": grounded,
            "items": [{"title": item.title, "year": item.year, "facts": facts(item)} for item in candidates],
            "most": self._options.show,
        }
        closing = "stock" if grounded else ""
        request = dialogue_request(self._prompt, self._model.form, history, self._seed, values, closing=closing)
        answer = await self._model.chat(request, history.address)
        text = spoken(answer)
        items = tuple(item for item in self._ground.shown(text, candidates) if item.id not in named)
        return SystemReply(messages=(text,), items=items, usage=answer.usage, calls=made_by(answer))

    def _candidates(self, history: History, named: set[str]) -> list[Item]:
        """Return the items that match the person's words best, without those shown or named before."""
        held = {*mentioned(history), *named}
        return self._ground.found(content_words(query(history, "user")), self._options.candidates, held)
