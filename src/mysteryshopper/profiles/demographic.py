"""Demographic profiles: a title, a surname, and how picky somebody is."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from mysteryshopper.core import Profile
from mysteryshopper.core import rng as seeded
from mysteryshopper.profiles.decks import Deck
from mysteryshopper.prompts import Prompt

TITLES = ("Mr.", "Ms.", "Mx.")
PICKINESS = ("very", "moderate", "not")
"""From very picky to not picky at all; the sentences are in the template."""

_TEMPLATE = "profiles/demographic"


def demographic_profiles(count: int, seed: int = 0) -> tuple[Profile, ...]:
    """Make people who are a title, a surname and how picky they are, as Yoon et al. (NAACL 2024) have them.

    Each of the three is dealt evenly and apart from the others: every title, every degree and every group of surnames
    comes up as often as any other (up to one), and so does every surname of a group. The surnames are 60 of each of
    five groups of the US census of 2010, chosen by the rule in `tools/surnames.py`; a name says nothing certain about
    anybody. The third title is ours: the paper has two.

    Args:
        count: How many; a greater count only adds.
        seed: Equal seeds give equal people.

    Returns:
        Profiles with a persona in a sentence; title, surname, group and pickiness are in `notes`. They have no wish.

    Raises:
        ValueError: `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"there must be one profile at least, not {count}")
    names = surnames()
    groups = Deck(tuple(names), seeded("groups", seed))
    decks = {group: Deck(found, seeded("surnames", seed, group)) for group, found in names.items()}
    titles, pickiness = Deck(TITLES, seeded("titles", seed)), Deck(PICKINESS, seeded("pickiness", seed))
    sentences = Prompt.load(_TEMPLATE)
    profiles = []
    for number in range(1, count + 1):
        title, degree, group = titles.draw(), pickiness.draw(), groups.draw()
        name = decks[group].draw()
        persona = sentences.render(degree, title=title, surname=name)[degree]
        notes = {"title": title, "surname": name, "group": group, "pickiness": degree}
        profiles.append(Profile(f"person-{number:04d}", persona=persona, notes=notes))
    return tuple(profiles)


@lru_cache(maxsize=1)
def surnames() -> Mapping[str, tuple[str, ...]]:
    """Return the surnames by group of the census: white, black, api (Asian and Pacific), native, hispanic."""
    found: dict[str, list[str]] = {}
    text = files(__package__).joinpath("surnames.csv").read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["group"], []).append(row["surname"])
    return {group: tuple(names) for group, names in found.items()}
