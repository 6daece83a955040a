"""Profiles made without a model: wishes from what items have, manners and patience spread evenly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from mysteryshopper.core import Item, Profile
from mysteryshopper.core import rng as seeded
from mysteryshopper.datasets import Domain
from mysteryshopper.profiles.block import MadeProfiles
from mysteryshopper.profiles.coverage import Coverage, covered
from mysteryshopper.profiles.decks import Deck
from mysteryshopper.profiles.manners import Manners
from mysteryshopper.profiles.persons import Persons
from mysteryshopper.profiles.stock import Stock
from mysteryshopper.profiles.wanting import Wanting, Wished
from mysteryshopper.profiles.wishes import word_wish

PATIENCE = (3, 4, 5, 6, 8)
"""System turns that generated people bear; each as often as any other."""

_STRANGERS = 2
"""At most so many of the items known already are others than those wished for."""


@dataclass(frozen=True)
class Generated:
    """Profiles, and what they cover."""

    profiles: tuple[Profile, ...]
    coverage: Coverage


def generate_profiles(
    items: Iterable[Item],
    count: int,
    seed: int = 0,
    *,
    settings: MadeProfiles | None = None,
    noun: str = "film",
    domain: Domain | None = None,
) -> Generated:
    """Make people with wishes that the items can meet. No model is asked.

    A wish starts from one item. Its constraints are values of that item, alone or with a second value that would do as
    well; at least `least` items that the person does not know meet them, and in turn few, some and many of the items
    do (`notes.difficulty`: hard, medium, easy). Attributes and values used least so far go first. Preferences are
    further values of the same item, so that the whole wish can be met. Some attributes are held back until asked for,
    never all constraints. Patience, the 81 combinations of style and the sentences about who somebody is are dealt
    evenly.

    Args:
        items: A catalogue, or its items.
        count: How many people. A greater count only adds to them.
        seed: Equal seeds, items and settings give equal people.
        settings: Bounds of the wishes; by default those of `MadeProfiles`. Its `generate` and `seed` are not looked at.
        noun: What is wanted, in a word.
        domain: The words of the domain. Where it has habits and contexts, who somebody is (`notes.basic`), what they
            are like here (`notes.domain`) and what brings them now (`notes.context`) make the persona, dealt evenly.

    Returns:
        The profiles and what they cover.

    Raises:
        DataError: No item has an attribute, or no wish can be made that `least` items meet.
        ValueError: `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"there must be one profile at least, not {count}")
    chosen = settings or MadeProfiles(generate=count)
    stock = Stock(tuple(items))
    people = _people(stock, seed, chosen, noun, domain)
    profiles = tuple(profile for profile, _ in zip(people, range(count), strict=False))
    return Generated(profiles, covered(profiles, stock, chosen.least))


def _people(stock: Stock, seed: int, settings: MadeProfiles, noun: str, domain: Domain | None) -> Iterator[Profile]:
    single = [] if domain is None else [name for name, found in domain.attributes.items() if not found.either]
    wanting = Wanting(stock, settings, seeded("wishes", seed), single)
    manners = Manners(seeded("manners", seed))
    patience = Deck(PATIENCE, seeded("patience", seed))
    persons = Persons(seed, domain)
    number = 0
    while True:
        number += 1
        rng = seeded("person", seed, number)
        wished = wanting.draw(rng)
        seen = _seen(stock, wished, settings, rng)
        profile = Profile(
            id=f"person-{number:04d}",
            wish=word_wish(wished.hard, noun, rng, prefers=wished.soft, either=True, domain=domain),
            seen=tuple(_named(stock.items[place]) for place in seen),
            attributes=wished.hard,
            prefers=wished.soft,
            hidden=_hidden(wished, settings.hidden, rng),
            style=manners.draw(),
            patience=patience.draw(),
            notes={"difficulty": wished.difficulty, "items": len(wished.places - set(seen))},
        )
        yield persons.give(profile)


def _seen(stock: Stock, wished: Wished, settings: MadeProfiles, rng: Random) -> list[int]:
    """Return the places of items known already: fitting ones as far as `least` others stay, and some that don't fit."""
    spare = max(0, min(settings.seen, len(wished.places) - settings.least))
    fitting = rng.sample(sorted(wished.places), rng.randint(0, spare))
    free = min(settings.seen - len(fitting), _STRANGERS)
    others = rng.sample(range(len(stock.items)), min(rng.randint(0, free), len(stock.items)))
    return fitting + [place for place in others if place not in wished.places]


def _hidden(wished: Wished, most: int, rng: Random) -> tuple[str, ...]:
    open_one = rng.choice(list(wished.hard))
    names = [name for name in (*wished.hard, *wished.soft) if name != open_one]
    held = set(rng.sample(names, rng.randint(0, min(most, len(names)))))
    return tuple(name for name in names if name in held)


def _named(item: Item) -> str:
    return f"{item.title} ({item.year})" if item.year is not None else item.title
