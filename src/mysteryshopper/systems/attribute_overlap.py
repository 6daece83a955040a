"""`attribute-overlap`: items that share most attribute values with what was told. A control for attribute answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field

from mysteryshopper.core import History, Message, Parts, Scored
from mysteryshopper.items import fold_value
from mysteryshopper.systems.overlap_index import OverlapIndex
from mysteryshopper.systems.recommender import Recommender, RecommenderOptions

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

_WORDS = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*\.?")
_LONGEST = 6  # words of a value that is looked for in running text
_LEAST = 4  # letters of such a value


class AttributeOverlapOptions(RecommenderOptions):
    """Options of `attribute-overlap`."""

    measure: Literal["count", "jaccard"] = Field(
        default="count", description="Score of an item: how many values it shares, or their Jaccard index."
    )


class AttributeOverlap(Recommender):
    """Ranks items by the attribute values they share with what the user told; it only looks values up.

    Where attributes were asked for and answered (setting `attribute` of iEvaLM), only these answers count, each as
    values of its attribute. Elsewhere it takes the entities that the user's messages link, and values of the catalogue
    that stand in their words.
    """

    options: ClassVar[type[AttributeOverlapOptions]] = AttributeOverlapOptions
    control: ClassVar[bool] = True

    def __init__(self, catalog: Catalog, show: int = 3, measure: Literal["count", "jaccard"] = "count") -> None:
        """Make it over a catalogue."""
        super().__init__(catalog, show)
        self._measure: Literal["count", "jaccard"] = measure

    @classmethod
    def build(cls, options: RecommenderOptions, parts: Parts) -> Self:
        """Build it for an experiment; the data set must have items."""
        return cls(parts.dataset().catalog(), options.show, getattr(options, "measure", "count"))

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the k items with most in common, and all that tie with the last; items with nothing are not ranked."""
        told = _answers(history.messages, self._attributes) or self._heard(history.messages)
        return self._index.ranking(told, k)

    @cached_property
    def _index(self) -> OverlapIndex:
        return OverlapIndex(self.catalog, self._measure)

    @cached_property
    def _attributes(self) -> dict[str, None]:
        return dict.fromkeys(name for item in self.catalog for name in item.attributes)

    @cached_property
    def _known(self) -> dict[str, list[str]]:
        """Names of the attributes that have a value, by the value as it is compared."""
        found: dict[str, dict[str, None]] = {}
        for item in self.catalog:
            for name, values in item.attributes.items():
                for value in values:
                    found.setdefault(fold_value(value), {})[name] = None
        return {value: list(names) for value, names in found.items()}

    def _heard(self, messages: Iterable[Message]) -> dict[str, list[str]]:
        told: dict[str, list[str]] = {}
        for message in messages:
            if message.side != "user":
                continue
            for value in (*map(fold_value, message.entities), *_phrases(message.text)):
                for name in self._known.get(value, ()):
                    told.setdefault(name, []).append(value)
        return told


def _answers(messages: Sequence[Message], attributes: Iterable[str]) -> dict[str, list[str]]:
    """Return what was answered to questions that name one attribute; an answer without values has an empty list."""
    known = set(attributes)
    told: dict[str, list[str]] = {}
    for question, answer in pairwise(messages):
        names = question.entities if question.side == "system" and question.author == "system" else ()
        if len(names) == 1 and names[0] in known and answer.side == "user":
            told.setdefault(names[0], []).extend(answer.entities)
    return told


def _phrases(text: str) -> Iterable[str]:
    """Yield all runs of a few words, as values are compared."""
    words = [fold_value(word).rstrip(".") for word in _WORDS.findall(text)]
    for first in range(len(words)):
        for size in range(1, min(_LONGEST, len(words) - first) + 1):
            phrase = " ".join(words[first : first + size])
            if len(phrase) >= _LEAST:
                yield phrase
