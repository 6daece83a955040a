"""What all reference recommenders share: they rank, and talk by showing the best few of their ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import History, Item, ItemRef, Opening, Parts, Scored, SystemReply
from mysteryshopper.prompts import Prompt

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog


class RecommenderOptions(BaseModel):
    """Options of every reference recommender."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    show: int = Field(default=3, ge=1, le=50, description="How many items one reply shows.")


class Recommender(ABC):
    """A recommender that lives in the messages: it ranks for a history and shows the best items not shown before.

    Subclasses implement `rank`. They are built from the catalogue of the experiment's data set.
    """

    options: ClassVar[type[RecommenderOptions]] = RecommenderOptions
    memory: Literal["messages"] = "messages"
    control: ClassVar[bool] = False

    def __init__(self, catalog: Catalog, show: int = 3) -> None:
        """Make a recommender over a catalogue that shows `show` items in a reply."""
        self.catalog = catalog
        self.show = show
        self._wording = Prompt.load("systems/recommend")

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have items."""
        return cls(parts.dataset().catalog(), options.show)

    @abstractmethod
    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the best k items, best first, and all that tie with the k-th."""

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[Recommender]:
        """Open a conversation; there is nothing to keep, so the recommender is its own session."""
        yield self

    async def reply(self, history: History) -> SystemReply:
        """Show the best items that the dialogue has not held yet."""
        held = set(mentioned(history))
        ranked = await self.rank(history, self.show + len(held))
        items = [self.catalog.get(scored.id) for scored in ranked if scored.id not in held][: self.show]
        text = self._wording.render(items=items, again=bool(held)).text
        return SystemReply(messages=(text,), items=tuple(reference(item) for item in items))


def mentioned(history: History) -> list[str]:
    """Return ids of all catalogued items of a history, in order of mention, repeats included."""
    return [item.id for message in history.messages for item in message.items if item.id is not None]


def reference(item: Item) -> ItemRef:
    """Return the reference to a catalogued item."""
    return ItemRef(item.id, item.title, item.year)


def query(history: History, side: Literal["user", "both"] = "both") -> str:
    """Return the words of a history as one query, oldest first."""
    return "\n".join(message.text for message in history.messages if side == "both" or message.side == side)
