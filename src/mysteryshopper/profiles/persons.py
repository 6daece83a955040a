"""Who somebody is: a person, what they are like in the domain, and what brings them here now; dealt evenly."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from mysteryshopper.core import Profile
from mysteryshopper.core import rng as seeded
from mysteryshopper.datasets import Domain
from mysteryshopper.profiles.decks import Deck


class Persons:
    """Deals personas: of the general book (`people.yaml`), and of a domain's habits and contexts where it has any."""

    def __init__(self, seed: int, domain: Domain | None = None) -> None:
        """Make the decks of a seed."""
        people = _book()
        habits = domain.habits if domain is not None else ()
        contexts = domain.contexts if domain is not None else ()
        self._who, self._how = Deck(people["who"], seeded("who", seed)), Deck(people["how"], seeded("how", seed))
        self._habits = Deck(habits, seeded("habits", seed)) if habits else None
        self._contexts = Deck(contexts, seeded("contexts", seed)) if contexts else None

    def give(self, profile: Profile) -> Profile:
        """Return a profile with the next persona; its parts are in `notes` as `basic`, `domain` and `context`.

        Without habits and contexts the persona is all that is given.
        """
        who, how = self._who.draw(), self._how.draw()
        if self._habits is None and self._contexts is None:
            return replace(profile, persona=f"{_capital(who)}, {how}.")
        notes = {**profile.notes, "basic": f"{_capital(who)}, {how}."}
        persona = [f"{_capital(who)}, {how}"]
        if self._habits is not None:
            habit = self._habits.draw()
            notes["domain"] = habit
            persona[0] += f", and {habit}"
        persona[0] += "."
        if self._contexts is not None:
            notes["context"] = self._contexts.draw()
            persona.append(notes["context"])
        return replace(profile, persona=" ".join(persona), notes=notes)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


@lru_cache(maxsize=1)
def _book() -> dict[str, Any]:
    import yaml

    book: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("people.yaml").read_text("utf-8"))
    return book
