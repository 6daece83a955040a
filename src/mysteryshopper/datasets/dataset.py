"""A data set as protocols and systems see it: items, recommending turns, dialogues and ratings, read when asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mysteryshopper.core import ConfigError, Item, unknown
from mysteryshopper.datasets.domain import Domain
from mysteryshopper.datasets.records import HumanDialogue, Published, Ratings, RecTurn

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

T = TypeVar("T")


class Dataset:
    """Base of all data sets. A kind overrides the `load_…` methods of what it has; each is called once.

    Attributes:
        name: Its name, also that of its catalogue.
        domain: What its items are, in a word or two; empty if it is not known.
        language: BCP 47 tag of its texts.
        split: The split that is meant where none is named.
        turn_splits: Splits with recommending turns.
        dialogue_splits: Splits with whole dialogues.
        label_scales: Lowest and highest value of the labels of its dialogues and turns, where they are known.
        described: What its domain is and how people speak of it, where that is written down.
    """

    turn_splits: Sequence[str] = ()
    dialogue_splits: Sequence[str] = ()
    label_scales: Mapping[str, tuple[float, float]] = {}
    described: Domain | None = None

    def __init__(self, name: str, *, domain: str = "", language: str = "en", split: str | None = None) -> None:
        """Make a data set; nothing is read yet.

        Raises:
            ConfigError: It has no such split.
        """
        self.name = name
        self.domain = domain
        self.language = language
        self._kept: dict[tuple[str, str], Any] = {}
        if split is not None and split not in self.splits:
            raise ConfigError(unknown(f"split of {name}", split, self.splits), key="data.split")
        self.split = split or ("test" if "test" in self.splits else next(iter(self.splits), "all"))

    @property
    def splits(self) -> tuple[str, ...]:
        """All splits, those with recommending turns first."""
        return tuple(dict.fromkeys([*self.turn_splits, *self.dialogue_splits]))

    @property
    def has_turns(self) -> bool:
        """Whether it has recommending turns."""
        return bool(self.turn_splits)

    @property
    def has_items(self) -> bool:
        """Whether it has items."""
        return type(self).load_items is not Dataset.load_items

    @property
    def popularity_split(self) -> str:
        """The split in which items are counted for a popularity ranking: `train`, or else `valid`; never the default.

        Raises:
            ConfigError: It has neither.
        """
        for split in ("train", "valid"):
            if split in self.turn_splits and split != self.split:
                return split
        raise ConfigError(
            f"{self.name} has no other split to count popular items in; leave the popularity system out, or name a"
            " split in its options",
            key="split",
        )

    def items(self) -> Sequence[Item]:
        """All items, in a fixed order.

        Raises:
            ConfigError: The data set has no items.
        """
        return self._once("items", "", lambda _: self.load_items())

    def catalog(self) -> Catalog:
        """The catalogue of its items."""
        from mysteryshopper.items import Catalog

        return self._once("catalog", "", lambda _: Catalog(self.items(), name=self.name))

    def turns(self, split: str | None = None) -> Sequence[RecTurn]:
        """Recommending turns of a split, in the order of the data.

        Raises:
            ConfigError: There is no such split with recommending turns.
        """
        return self._once(
            "recommending turns", self._chosen("recommending turns", split, self.turn_splits), self.load_turns
        )

    def dialogues(self, split: str | None = None) -> Sequence[HumanDialogue]:
        """Whole dialogues of a split, in the order of the data.

        Raises:
            ConfigError: There is no such split with dialogues.
        """
        return self._once("dialogues", self._chosen("dialogues", split, self.dialogue_splits), self.load_dialogues)

    def ratings(self) -> Ratings:
        """All ratings and reviews.

        Raises:
            ConfigError: The data set has none.
        """
        return self._once("ratings", "", lambda _: self.load_ratings())

    def published(self) -> Sequence[Published]:
        """What is published of how far judges agree with the labels of its dialogues; by default nothing."""
        return ()

    def label_counts(self, split: str | None = None) -> Counter[str]:
        """Count how often each item was recommended in a split.

        Returns:
            Counts by item id; items that were never recommended are absent.
        """
        return Counter(target for turn in self.turns(split) for target in turn.targets)

    def load_items(self) -> Sequence[Item]:
        """Read the items."""
        self._lacks("items")

    def load_turns(self, split: str) -> Sequence[RecTurn]:
        """Read the recommending turns of a split."""
        self._lacks("recommending turns")

    def load_dialogues(self, split: str) -> Sequence[HumanDialogue]:
        """Read the dialogues of a split."""
        self._lacks("dialogues")

    def load_ratings(self) -> Ratings:
        """Read the ratings."""
        self._lacks("ratings")

    def _once(self, what: str, split: str, load: Callable[[str], T]) -> T:
        key = (what, split)
        if key not in self._kept:
            self._kept[key] = load(split)
        kept: T = self._kept[key]
        return kept

    def _chosen(self, what: str, split: str | None, splits: Sequence[str]) -> str:
        if not splits:
            self._lacks(what)
        chosen = self.split if split is None else split
        if chosen not in splits:
            raise ConfigError(unknown(f"split of {self.name} with {what}", chosen, splits), key="data.split")
        return chosen

    def _lacks(self, what: str) -> NoReturn:
        raise ConfigError(f"the data set {self.name} has no {what}; choose another one", key="data")
