"""What a domain is: what its things are called, what they have, and how people speak of it. Records alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DomainAttribute:
    """One attribute of a domain's things, and the words for it.

    Attributes:
        name: Its name in the items.
        about: What it is, in a line.
        question: How somebody is asked what they want of it.
        names: Words by which a question asks for it.
        head: Its values stand before the noun (`a quiet place`).
        post: What follows the noun, with `{v}` for the values (`with {v} food`).
        lack: What follows `it's` about a thing that has not the values.
        ask: Questions about one thing; they may hold `{v}` and `{noun}`.
        values: Values that questions may name; those of the items are known anyway.
        same: Other words for a value, by value.
        either: Whether somebody may want one value or another of it.
    """

    name: str
    about: str = ""
    question: str = ""
    names: tuple[str, ...] = ()
    head: bool = False
    post: tuple[str, ...] = ()
    lack: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    same: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    either: bool = True

    @property
    def spoken(self) -> bool:
        """Whether the domain says how it is spoken of."""
        return bool(self.names or self.post or self.lack or self.ask)


@dataclass(frozen=True)
class Domain:
    """A domain: what people come for, and the words they have for it.

    Attributes:
        name: Its name.
        field: What its things are, in a word or two (`places to eat`).
        nouns: Words for one of them, the plainest first; a person keeps to one.
        known: What somebody has done who knows one already, as in `I've tried it`.
        description: A page for people and models: what people come for, what matters, manners.
        attributes: What things have, by name; people tell the first one first.
        told: Columns of the items that are no attributes but go into an item's text, each with a sentence that holds
            `{v}`.
        habits: Who somebody is in this domain: clauses that follow a person (`who eats out twice a week`).
        contexts: What brings somebody here now, in sentences that name no attribute.
    """

    name: str
    field: str
    nouns: tuple[str, ...]
    known: str = "seen"
    description: str = ""
    attributes: Mapping[str, DomainAttribute] = dataclasses.field(default_factory=dict)
    told: Mapping[str, str] = dataclasses.field(default_factory=dict)
    habits: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()

    @property
    def noun(self) -> str:
        """The plainest word for one thing."""
        return self.nouns[0]

    @property
    def spoken(self) -> tuple[DomainAttribute, ...]:
        """The attributes with words of their own, in order."""
        return tuple(attribute for attribute in self.attributes.values() if attribute.spoken)

    @property
    def other_words(self) -> Mapping[str, tuple[str, ...]]:
        """Other words for values, by value in lower case."""
        found: dict[str, tuple[str, ...]] = {}
        for attribute in self.attributes.values():
            for value, words in attribute.same.items():
                folded = value.casefold()
                found[folded] = tuple(dict.fromkeys((*found.get(folded, ()), *words)))
        return found
