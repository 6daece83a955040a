"""What a `recusersim` person has in mind: what it knows to want, what it does not know yet, and what it saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mysteryshopper.core import Json, Profile, Shown, State
from mysteryshopper.users.field import Field


@dataclass(frozen=True, slots=True)
class Impression:
    """What one reply of the system left: the titles looked at, and how many of 5 the person gave it, if any."""

    turn: int
    titles: tuple[str, ...]
    rating: int | None


@dataclass(frozen=True, slots=True)
class Memory:
    """All of it, made from a state and back.

    Attributes:
        fence: Seed of the fence.
        known: What the person knows to want, by attribute.
        unknown: What it would want, if it came to think of it.
        found: What it came to think of in this turn.
        impressions: Of each reply, oldest first.
    """

    fence: int
    known: Mapping[str, tuple[str, ...]]
    unknown: Mapping[str, tuple[str, ...]]
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    impressions: tuple[Impression, ...] = ()

    @classmethod
    def first(cls, fence: int, profile: Profile) -> Memory:
        """Return what a person has in mind at first: what is preferred or held back is not known yet."""
        wanted = {**profile.attributes, **profile.prefers}
        late = {name for name in wanted if name in profile.hidden or name not in profile.attributes}
        if len(late) == len(wanted):  # somebody who wants anything knows a part of it
            late = set(list(wanted)[1:])
        known = {name: values for name, values in wanted.items() if name not in late}
        return cls(fence, known, {name: wanted[name] for name in wanted if name in late})

    @classmethod
    def read(cls, state: State) -> Memory:
        """Read it from a state."""
        return cls(
            int(state["fence"]),
            _facts(state["known"]),
            _facts(state["unknown"]),
            _facts(state["found"]),
            tuple(Impression(one["turn"], tuple(one["titles"]), one["rating"]) for one in state["impressions"]),
        )

    def write(self) -> State:
        """Return it as a state."""
        facts = {
            name: {key: list(values) for key, values in getattr(self, name).items()}
            for name in ("known", "unknown", "found")
        }
        impressions: list[Json] = [
            {"turn": one.turn, "titles": list(one.titles), "rating": one.rating} for one in self.impressions
        ]
        return {"fence": self.fence, **facts, "impressions": impressions}

    def discover(self, said: str, looked_at: Sequence[Shown], words: Field) -> Memory:
        """Return it with what the person comes to think of.

        That is what the system names in words, and what something shown lacks.
        """
        missed = {name for shown in looked_at for name in shown.misses}
        named = words.named(said, self.unknown)
        found = {name: values for name, values in self.unknown.items() if name in named or name in missed}
        left = {name: values for name, values in self.unknown.items() if name not in found}
        return replace(self, known={**self.known, **found}, unknown=left, found=found)

    def keep(self, turn: int, titles: Iterable[str], rating: int | None) -> Memory:
        """Return it with the impression of one more reply."""
        return replace(self, impressions=(*self.impressions, Impression(turn, tuple(titles), rating)))


def _facts(value: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in value.items()}
