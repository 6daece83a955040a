"""What an agenda user remembers; as JSON it is the user's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Self

from mysteryshopper.core import Profile, State
from mysteryshopper.users.agenda.options import AgendaOptions

WORST_MOOD, BEST_MOOD = -3, 3
_FIRST = 0.75
"""Chance that the attribute people tell first comes first."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory after a turn.

    Attributes:
        seed: All chance of this user comes from it.
        patience: System turns that are borne.
        untold: The agenda: attributes still to be told, the next one first.
        hidden: Attributes that wait for a question, or for an item that lacks them.
        told: Attributes told, in order.
        dropped: Preferences given up.
        mood: From -3 to 3.
        used: Numbers of the phrases said.
        kept: Id of an item to go back to.
        held: Whether the user has held out for something better.
        asked: Whether a question of the user is open.
        curious: Questions asked about items.
        taken: Id of the item taken.
    """

    seed: int
    patience: int
    untold: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    mood: int = 0
    used: tuple[int, ...] = ()
    kept: str = ""
    held: bool = False
    asked: bool = False
    curious: int = 0
    taken: str = ""

    @classmethod
    def read(cls, state: State) -> Self:
        """Return the memory that a state holds."""
        given: dict[str, Any] = {name: state[name] for name in _FIELDS if name in state}
        kept: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        return cls(**kept)

    def write(self) -> State:
        """Return it as a state."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def feeling(self, change: int) -> int:
        """Return the mood after a change for the better or the worse."""
        return max(WORST_MOOD, min(BEST_MOOD, self.mood + change))


_FIELDS = tuple(field.name for field in fields(Memory))


def wished(profile: Profile) -> Mapping[str, tuple[str, ...]]:
    """Return all that a profile wishes for, by attribute: constraints, then preferences; empty ones left out."""
    every = {**profile.prefers, **profile.attributes}
    order = dict.fromkeys((*profile.attributes, *profile.prefers))
    return {name: tuple(every[name]) for name in order if every[name]}


def first_memory(profile: Profile, options: AgendaOptions, chance: Random, first: str = "genre") -> Memory:
    """Return the memory before the first turn: what will be told in which order, and what is held back.

    Args:
        profile: The person.
        options: Options of the user.
        chance: Draws the order and what is held back.
        first: The attribute that people tell first.
    """
    wish = wished(profile)
    hard = [name for name in wish if name in profile.attributes]
    soft = [name for name in wish if name not in profile.attributes]
    chance.shuffle(hard)
    chance.shuffle(soft)
    if first in hard and chance.random() < _FIRST:
        hard.sort(key=lambda name: name != first)
    order = [*hard, *soft]
    if profile.hidden:
        hidden = {name for name in profile.hidden if name in wish}
    else:
        hidden = {name for name in order[1:] if chance.random() < options.hidden_share}
    return Memory(
        seed=chance.getrandbits(48),
        patience=profile.patience or options.patience,
        untold=tuple(name for name in order if name not in hidden),
        hidden=tuple(name for name in order if name in hidden),
    )
