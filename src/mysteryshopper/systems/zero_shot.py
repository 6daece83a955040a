"""`zero-shot`: a chat model lists and explains what it knows; `zero-shot+embedding`: its words find the items."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Choice,
    Embedder,
    History,
    Opening,
    Option,
    Parts,
    Scored,
    SystemReply,
)
from mysteryshopper.items import VectorIndex, item_text
from mysteryshopper.prompts import Prompt
from mysteryshopper.reading import read_choice, read_titles
from mysteryshopper.systems.grounding import Grounding
from mysteryshopper.systems.prompting import dialogue_request, made_by, spoken
from mysteryshopper.systems.recommender import mentioned, reference

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

Part = Literal["reply", "rank", "choose"]


class ZeroShotOptions(BaseModel):
    """Options of `zero-shot` and `zero-shot+embedding`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    listed: int = Field(default=10, ge=1, le=50, description="How many items the model is asked to list.")


class ZeroShot:
    """A chat model as a recommender that was trained for nothing and gets no catalogue; it lives in the messages.

    Items are the titles in its reply that match the catalogue, in their order, without those that were shown or that
    the person named: what it makes up counts for nothing. To rank, it is asked for a list; to choose, which option it
    takes, and a reply that names none, or several, is no choice. What the person says is fenced. A failing model is
    infrastructure.
    """

    options: ClassVar[type[ZeroShotOptions]] = ZeroShotOptions
    memory: Literal["messages"] = "messages"

    def __init__(
        self,
        model: ChatModel,
        catalog: Catalog,
        options: ZeroShotOptions = ZeroShotOptions(),  # noqa: B008
        *,
        domain: str = "",
        seed: int = 0,
    ) -> None:
        """Make it.

        Args:
            model: Writes the replies.
            catalog: Where titles are looked up.
            options: Its options.
            domain: What the items are, in a word.
            seed: Seed of the fences.
        """
        self._model = model
        self.catalog = catalog
        self._ground = Grounding(catalog, searched=False)
        self._options = options
        self._domain = domain
        self._seed = seed
        self._prompt = Prompt.load("systems/zero-shot")

    @classmethod
    def build(cls, options: ZeroShotOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model, and the data set must have items."""
        dataset = parts.dataset()
        return cls(parts.model(), dataset.catalog(), options, domain=dataset.domain, seed=parts.seed)

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[ZeroShot]:
        """Open a conversation; all of it is in the messages."""
        yield self

    async def reply(self, history: History) -> SystemReply:
        """Answer the history."""
        answer, text = await self._say("reply", history)
        held = {*mentioned(history), *self._ground.named(history)}
        found = dict.fromkeys(name for name in self.catalog.mentions(text) if name not in held)
        items = tuple(reference(self.catalog.get(name)) for name in found)
        return SystemReply(messages=(text,), items=items, usage=answer.usage, calls=made_by(answer))

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the first k titles of the model's list that match the catalogue; there are no ties."""
        _, text = await self._say("rank", history)
        return self._listed(text)[:k]

    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        """Choose one option."""
        texts = [option.text for option in options]
        answer, _ = await self._say("choose", history, options=texts)
        read = read_choice(answer, texts)
        chosen = next((option.id for option in options if option.text == read.value), None)
        return Choice(chosen, read.status, read.raw, made_by(answer))

    async def _say(self, part: Part, history: History, **values: Any) -> tuple[ChatReply, str]:
        request = self._request(part, history, **values)
        answer = await self._model.chat(request, history.address.to(purpose=part))
        return answer, spoken(answer)

    def _request(self, part: Part, history: History, **more: Any) -> ChatRequest:
        values = {"domain": self._domain, "most": self._options.listed, **more}
        return dialogue_request(
            self._prompt,
            self._model.form,
            history,
            self._seed,
            values,
            system=f"{part}-system",
            closing="choose-user" if part == "choose" else "",
            completion=f"{part}-completion",
            choices=tuple(values.get("options", ())),
        )

    def _listed(self, text: str) -> list[Scored]:
        """Return the catalogued titles of a list, each once, best first."""
        ids: dict[str, None] = {}
        one_line = self._model.form == "completion"  # its examples part titles by semicolons
        for title, year in read_titles(text.replace(";", "\n") if one_line else text).value or ():
            match = self.catalog.match(title, year)
            if match.item_id is not None:
                ids[match.item_id] = None
        return [Scored(name, float(-place)) for place, name in enumerate(ids)]


class ZeroShotEmbedding(ZeroShot):
    """A chat model whose words, with the last ones of the dialogue, find the items in an embedding space.

    After the ChatGPT baseline of iEvaLM, with one difference: the query holds the model's own list, which is generated
    first; as published it is made of the last two messages, before there is a reply. What the model names decides, and
    items it did not name can be found. Its replies show the items that the words of the reply find, as many as it was
    asked to list. The index is built at the first question; vectors are cached between runs.
    """

    def __init__(
        self,
        model: ChatModel,
        catalog: Catalog,
        options: ZeroShotOptions = ZeroShotOptions(),  # noqa: B008
        *,
        embedder: Embedder,
        domain: str = "",
        seed: int = 0,
    ) -> None:
        """Make it; nothing is embedded yet."""
        super().__init__(model, catalog, options, domain=domain, seed=seed)
        self._embedder = embedder
        self._index: VectorIndex | None = None
        self._building = asyncio.Lock()

    @classmethod
    def build(cls, options: ZeroShotOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model, and the data set must have items."""
        dataset = parts.dataset()
        return cls(
            parts.model(),
            dataset.catalog(),
            options,
            embedder=parts.embedder(),
            domain=dataset.domain,
            seed=parts.seed,
        )

    async def reply(self, history: History) -> SystemReply:
        """Answer the history; a reply that only asks shows nothing."""
        answer, text = await self._say("reply", history)
        calls = made_by(answer)
        held = {*mentioned(history), *self._ground.named(history)}
        if "?" in text and not self.catalog.mentions(text):
            return SystemReply(messages=(text,), usage=answer.usage, calls=calls)
        found = await self._nearest(history, text, self._options.listed + len(held))
        fresh = [scored.id for scored in found if scored.id not in held][: self._options.listed]
        items = tuple(reference(self.catalog.get(name)) for name in fresh)
        return SystemReply(messages=(text,), items=items, usage=answer.usage, calls=calls)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k items nearest to the model's list and the last two messages, and all that tie with the last."""
        _, text = await self._say("rank", history)
        return await self._nearest(history, text, k)

    async def _nearest(self, history: History, text: str, k: int) -> list[Scored]:
        async with self._building:
            if self._index is None:
                items = list(self.catalog)
                self._index = VectorIndex(items, await self._embedder.embed([item_text(item) for item in items]))
        last = [message.text for message in history.messages[-2:]]
        query = "\n".join(part for part in (*last, text) if part.strip())
        if not query:
            return []
        vectors = await self._embedder.embed([query])
        return self._index.search(vectors[0], k)
