"""`attribute-asker`: asks for what narrows the catalogue down best, then shows what fits. No model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field

from mysteryshopper.core import Choice, ConfigError, History, Item, Option, Parts, Scored, SystemReply, unknown
from mysteryshopper.datasets import Domain
from mysteryshopper.items import LexicalIndex
from mysteryshopper.prompts import Prompt
from mysteryshopper.systems.attribute_table import AttributeTable, Mask, Pair, held
from mysteryshopper.systems.hearing import Hearing
from mysteryshopper.systems.recommender import Recommender, RecommenderOptions, reference
from mysteryshopper.systems.wanting import Said, Want, reasons, wanting
from mysteryshopper.systems.words import content_words

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_EXAMPLES = 3
_LEAST_GAIN = 1e-9


class AttributeAskerOptions(RecommenderOptions):
    """Options of `attribute-asker`."""

    ask: int = Field(default=2, ge=0, le=20, description="How many questions it asks at most before it shows items.")
    attributes: tuple[str, ...] = Field(
        default=(), description="Attributes it may ask about; without any, all that the items have."
    )


class AttributeAsker(Recommender):
    """Keeps the items that fit what the person said, asks about what splits them best, and then shows the best of them.

    It hears values of the catalogue's attributes in the person's words, wanted or not (`no horror`), and names of
    items. It asks about the attribute whose answer is expected to lower the entropy of which item is wanted most, each
    at most once and `ask` at most, as long as more items are left than it can show. Then it shows those that fit, best
    first by how many of the values they have and by their words (BM25), never one that was shown or named before, and
    says which of the values each has. Where nothing fits, it gives up what was said last, and says so.

    All of that is worked out from the messages alone, so its dialogues can be branched.
    """

    options: ClassVar[type[AttributeAskerOptions]] = AttributeAskerOptions

    def __init__(
        self,
        catalog: Catalog,
        options: AttributeAskerOptions = AttributeAskerOptions(),  # noqa: B008
        domain: Domain | None = None,
    ) -> None:
        """Make it and index the catalogue.

        Args:
            catalog: The items.
            options: Its options.
            domain: How their attributes are asked for, and other words for values.

        Raises:
            ConfigError: The items have no such attribute.
        """
        super().__init__(catalog, options.show)
        self._table = AttributeTable(catalog)
        for name in options.attributes:
            if name not in self._table.names:
                raise ConfigError(unknown("attribute of the items", name, self._table.names), key="attributes")
        self._may_ask = options.attributes or self._table.names
        self._most = options.ask
        self._hearing = Hearing(catalog, self._table, domain.other_words if domain is not None else None)
        asked = domain.attributes.values() if domain is not None else ()
        self._questions = {attribute.name: attribute.question for attribute in asked if attribute.question}
        self._index = LexicalIndex(catalog.items)
        self._words = Prompt.load("systems/attribute-asker")
        everything = self._table.everything()
        self._gains = {name: self._table.gain(name, everything) for name in self._table.names}
        self._decades = "decade" in self._table.names and not any("decade" in item.attributes for item in catalog)

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have items."""
        assert isinstance(options, AttributeAskerOptions)  # noqa: S101 - checked by its own options
        dataset = parts.dataset()
        return cls(dataset.catalog(), options, dataset.described)

    async def reply(self, history: History) -> SystemReply:
        """Ask, or show what fits."""
        want = self._wanting(history)
        left, dropped = want.left(self._table)
        if not dropped and len(want.asked) < self._most and left.sum() > self.show:
            open_names = [name for name in self._may_ask if name not in want.asked and (name,) not in want.wanted]
            if (name := self._best(open_names, left)) is not None:
                return SystemReply(messages=(self._question(name, want, left),), notes={"asked": name})
        scores = self._scores(want)
        ranked = [scored.id for scored in self._index.best(scores, self.show, left)][: self.show]
        return self._showing(want, [self.catalog.get(name) for name in ranked], dropped)

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k items that fit best and those that tie with the last; what fits in nothing is left out."""
        want = self._wanting(history)
        scores = self._scores(want)
        fits = (scores > 0) & ~self._table.having(want.unwanted)
        return self._index.best(scores, k, fits)

    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        """Choose the attribute that narrows the catalogue down best, or the option that is none, to recommend.

        An option is an attribute if its id is the attribute's name. It recommends once it has asked `ask` questions,
        and where no answer would narrow anything; without such an option it chooses the first.
        """
        want = self._wanting(history)
        left, _ = want.left(self._table)
        names = [option.id for option in options if option.id in self._table.names]
        others = [option.id for option in options if option.id not in self._table.names]
        spent = len(want.asked) >= self._most and others
        open_names = [name for name in names if name not in want.asked and (name,) not in want.wanted]
        best = None if spent else self._best(open_names, left)
        return Choice(best or (others or names)[0])

    def _wanting(self, history: History) -> Want:
        return wanting(history, self._hearing, self._table, self._questions)

    def _best(self, names: Sequence[str], left: Mask) -> str | None:
        """Return the attribute whose answer narrows what is left down most; None if no answer would."""
        whole = bool(left.all())
        gains = {name: self._gains[name] if whole else self._table.gain(name, left) for name in names}
        best = max(gains, key=lambda name: gains[name], default=None)
        return best if best is not None and gains[best] > _LEAST_GAIN else None

    def _scores(self, want: Want) -> Any:
        """Return for each item how many of the wanted values it has, and below 1 how well it matches the words."""
        words = self._index.scores(content_words(want.words))
        scores = words / (1.0 + words)
        for pairs in want.wanted.values():
            for pair in pairs:
                scores = scores + self._table.having([pair])
        return scores

    def _question(self, name: str, want: Want, left: Mask) -> str:
        examples = self._table.frequent(name, left, _EXAMPLES)
        asked = self._questions.get(name, "")
        known = self._known(want)
        return self._words.render("ask", attribute=name, asked=asked, examples=examples, known=known)["ask"]

    def _showing(self, want: Want, items: Sequence[Item], dropped: Sequence[Said]) -> SystemReply:
        shown = [
            {"title": item.title, "year": item.year, "reasons": reasons(want.wanted, self._held(item))}
            for item in items
        ]
        given_up = [self._given_up(said, want) for said in dropped]
        text = self._words.render("show", items=shown, again=bool(want.held), dropped=given_up)["show"]
        return SystemReply(messages=(text,), items=tuple(reference(item) for item in items))

    def _held(self, item: Item) -> Mapping[str, Sequence[str]]:
        return dict(held(item, decades=self._decades))

    def _known(self, want: Want) -> dict[str, list[str]]:
        return {" or ".join(names): self._spelled(pairs) for names, pairs in want.wanted.items()}

    def _spelled(self, pairs: Mapping[Pair, None]) -> list[str]:
        return list(dict.fromkeys(self._table.wording[pair] for pair in pairs))

    def _given_up(self, said: Said, want: Want) -> str:
        if said.unwanted is not None:
            section, name, values = "unwanted", said.unwanted[0], [self._table.wording[said.unwanted]]
        else:
            section, name, values = "wanted", " or ".join(said.wanted), self._spelled(want.wanted[said.wanted])
        return self._words.render(section, attribute=name, examples=values)[section]
