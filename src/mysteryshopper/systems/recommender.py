"""What all reference recommenders share: they rank, and talk by showing the best few of their ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import ConfigError, History, Item, ItemRef, Opening, Parts, Scored, SystemReply
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
        """Make a recommender over a catalogue that shows `show` items in a reply.

        Raises:
            ConfigError: The catalogue is empty.
        """
        if not catalog.items:
            raise ConfigError(
                f"{catalog.name or 'the data set'} has no items, so there is nothing to recommend; name another data"
                " set, or a system that only talks",
                key="data",
            )
        self.catalog = catalog
        self.show = show
        self._wording = Prompt.load("systems/recommend")
        self._lines: dict[str, str] = {}

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
        return self.showing(items, again=bool(held))

    def showing(self, items: Sequence[Item], *, again: bool) -> SystemReply:
        """Return the reply that shows some items; `again` says that it is no first try."""
        text = self._wording.render("reply", lines=[self._line(item) for item in items], again=again)["reply"]
        return SystemReply(messages=(text,), items=tuple(reference(item) for item in items))

    def _line(self, item: Item) -> str:
        if (line := self._lines.get(item.id)) is None:  # rendered once: few items are shown again and again
            line = self._lines[item.id] = self._wording.render("item", item=item)["item"]
        return line


def mentioned(history: History) -> list[str]:
    """Return ids of all catalogued items of a history, in order of mention, repeats included."""
    return [item.id for message in history.messages for item in message.items if item.id is not None]


def reference(item: Item) -> ItemRef:
    """Return the reference to a catalogued item."""
    return ItemRef(item.id, item.title, item.year)


def query(history: History, side: Literal["user", "both"] = "both") -> str:
    """Return the words of a history as one query, oldest first."""
    return "\n".join(message.text for message in history.messages if side == "both" or message.side == side)
