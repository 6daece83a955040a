"""What data sets hold: recommending turns, dialogues between people, and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mysteryshopper.core import Ended, Item, ItemRef, Message


@dataclass(frozen=True, slots=True)
class RecTurn:
    """One turn of a human dialogue in which the recommender recommended something.

    Attributes:
        id: Unique in its split: `dialogue_turn`.
        dialogue: The dialogue it is from; turns of one dialogue are a cluster.
        history: All that was said before, oldest first, with roles; empty messages are left out.
        targets: Ids of the items recommended in the turn, in order; all are in the catalogue.
        unknown: Names recommended in the turn that the catalogue does not hold; never part of a metric's n.
        entities: Names of everything linked in the history, in order of mention, repeats included.
        response: What the person answered in the turn.
    """

    id: str
    dialogue: str
    history: tuple[Message, ...]
    targets: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    response: str = ""

    @property
    def history_items(self) -> tuple[str, ...]:
        """Ids of catalogued items in the history, in order of mention, repeats included."""
        return tuple(item.id for message in self.history for item in message.items if item.id is not None)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one side of a dialogue said afterwards of an item; None where they did not say.

    Attributes:
        item: The item.
        suggested: True if the recommender brought it up, False if the seeker did.
        seen: Whether the seeker has seen it.
        liked: Whether the seeker liked it, or the suggestion of it.
    """

    item: ItemRef
    suggested: bool | None
    seen: bool | None
    liked: bool | None


@dataclass(frozen=True, slots=True)
class HumanDialogue:
    """A whole dialogue that was held already, kept as it was: openings by the recommender, runs of one speaker.

    Attributes:
        id: Unique in its split.
        messages: All messages, the seeker's with role `user`, the recommender's with role `assistant`.
        unresolved: Mentions in the text for which the data gives no title.
        opinions: Answers to the questionnaires by role; an empty tuple where a side filled in none.
        notes: What the data says of the dialogue as a whole (its outcome).
        user: Id of the person, where known; dialogues of one person are a cluster.
        system: Name of the system that recommended; empty where a person did.
        part: Part of the data set that published figures are told apart by; empty where there is none.
        ended: How it ended, where known.
        labels: What people said of the dialogue as a whole, in numbers, by name.
        message_labels: The same of each message; empty where no message has any.
        votes: What each person said of the dialogue, by label, where that is known; a label is their mean.
        message_votes: The same of each message; empty where no message has any.
    """

    id: str
    messages: tuple[Message, ...]
    unresolved: tuple[str, ...] = ()
    opinions: Mapping[str, tuple[Opinion, ...]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    system: str = ""
    part: str = ""
    ended: Ended | None = None
    labels: Mapping[str, float] = field(default_factory=dict)
    message_labels: tuple[Mapping[str, float], ...] = ()
    votes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    message_votes: tuple[Mapping[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """A published judge's correlation with people on one part of a data set; given without an interval.

    Attributes:
        judge: Name of the judge.
        label: What people were asked.
        part: Part of the data set.
        statistic: `pearson` or `spearman`.
        value: The correlation.
    """

    judge: str
    label: str
    part: str
    statistic: str
    value: float


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's rating or review of one item.

    Attributes:
        user: The person's id.
        item: The item's id.
        stars: The rating; None where there is only text.
        text: The review.
        time: When, as the file writes it; empty if it does not say.
        line: Its line in the file.
    """

    user: str
    item: str
    stars: float | None
    text: str = ""
    time: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two different ratings of one item by one person, of which the newer was kept."""

    kept: Rating
    dropped: Rating


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings with at most one for each pair of person and item.

    Attributes:
        rows: The ratings, in the order of the file.
        repeated: How many exact repeats were dropped.
        conflicts: Which differing ones were dropped, and for what.
    """

    rows: tuple[Rating, ...]
    repeated: int = 0
    conflicts: tuple[Conflict, ...] = ()


def reference(item: Item) -> ItemRef:
    """Return the reference to a catalogued item."""
    return ItemRef(item.id, item.title, item.year)
