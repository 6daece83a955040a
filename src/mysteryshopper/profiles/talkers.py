"""People who want to talk: profiles from a domain's own values, where it has no items to wish for."""

from __future__ import annotations

from mysteryshopper.core import ConfigError, DataError, Profile
from mysteryshopper.core import rng as seeded
from mysteryshopper.datasets import Domain
from mysteryshopper.profiles.block import MadeProfiles
from mysteryshopper.profiles.decks import Deck
from mysteryshopper.profiles.generating import PATIENCE
from mysteryshopper.profiles.manners import Manners
from mysteryshopper.profiles.persons import Persons
from mysteryshopper.profiles.wishes import word_wish


def talk_profiles(
    domain: Domain, count: int, seed: int = 0, *, settings: MadeProfiles | None = None
) -> tuple[Profile, ...]:
    """Make people with wishes from the values that a domain itself lists. No model is asked.

    Each wishes for one value of every attribute that has any; values, patience, styles and personas are dealt evenly.

    Args:
        domain: A domain without items.
        count: How many; a greater count only adds to them.
        seed: Equal seeds and domains give equal people.
        settings: What was asked for beside the number; bounds of wishes mean nothing here.

    Raises:
        ConfigError: The settings bound the wishes.
        DataError: No attribute of the domain lists values.
        ValueError: `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"there must be one profile at least, not {count}")
    if settings is not None and (bounds := settings.bounds):
        raise ConfigError(
            f"{domain.name} has no items, and a wish there is one value of each attribute; remove `{bounds[0]}`"
        )
    decks = {
        name: Deck(attribute.values, seeded("values", seed, name))
        for name, attribute in domain.attributes.items()
        if attribute.values
    }
    if not decks:
        raise DataError(
            f"the domain {domain.name!r} has no items and lists no values, so there is nothing to wish for; give it"
            " items, or an attribute `values`"
        )
    manners, persons = Manners(seeded("manners", seed)), Persons(seed, domain)
    patience = Deck(PATIENCE, seeded("patience", seed))
    made = []
    for number in range(1, count + 1):
        wished = {name: (deck.draw(),) for name, deck in decks.items()}
        wish = word_wish(wished, domain.noun, seeded("person", seed, number), domain=domain)
        profile = Profile(
            f"person-{number:04d}", wish=wish, attributes=wished, style=manners.draw(), patience=patience.draw()
        )
        made.append(persons.give(profile))
    return tuple(made)
