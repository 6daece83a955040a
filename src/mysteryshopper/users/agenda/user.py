"""The agenda user itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import ClassVar, Literal, Self

from mysteryshopper.core import Answer, ConfigError, Parts, Profile, Scenario, State, UserTurn, UserView, rng
from mysteryshopper.datasets import Dataset
from mysteryshopper.dialogue import DETECTORS, Utterance, faults
from mysteryshopper.users.agenda.deciding import decide, system_turns
from mysteryshopper.users.agenda.domain_words import domain_words
from mysteryshopper.users.agenda.lexicon import Lexicon, lexicon
from mysteryshopper.users.agenda.manner import draw_manner
from mysteryshopper.users.agenda.memory import Memory, first_memory
from mysteryshopper.users.agenda.options import AgendaOptions
from mysteryshopper.users.agenda.phrasebook import phrasebook
from mysteryshopper.users.agenda.rating import satisfaction
from mysteryshopper.users.agenda.saying import say
from mysteryshopper.users.styles import style_notes

_LANGUAGE = "en"
_TRIES = 6


class AgendaUser:
    """A user without a model: it tells its wish bit by bit, answers, critiques, takes or gives up, in its own manner.

    What it does follows from the view, its state and its seed; how it says it, from variants beside the code. It reads
    and writes English only. Titles that nobody has shown and its profile does not name are never said.
    """

    options: ClassVar[type[AgendaOptions]] = AgendaOptions

    def __init__(self, options: AgendaOptions = AgendaOptions(), words: Lexicon | None = None) -> None:  # noqa: B008
        """Make it with its options, and the words of its domain; by default those of the file."""
        self._options = options
        self._words = words or lexicon()
        self._label = f"{phrasebook().label}{self._words.label}"

    @classmethod
    def build(cls, options: AgendaOptions, parts: Parts) -> Self:
        """Build it for an experiment."""
        return cls(options, domain_words(parts.dataset()) if parts.has_dataset else None)

    @staticmethod
    def check_people(profiles: Iterable[Profile], dataset: Dataset | None) -> None:
        """Look at the people it shall play, before anything runs.

        Raises:
            ConfigError: Somebody's language is not English, or the domain is one of talk alone.
        """
        for profile in profiles:
            _check_language(profile)
        if dataset is not None and dataset.described is not None and not dataset.has_items:
            raise ConfigError(
                f"the agenda user looks for something that can be shown, and {dataset.name} is a domain without items;"
                " let a user with a model talk (`kind: single-prompt` or `adaptsim`), or say lines of your own"
                " (`kind: scripted`)"
            )

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: the agenda, what is held back, patience, mood and the seed of its manner.

        Raises:
            ConfigError: The profile's language is not English.
        """
        profile = scenario.profile
        _check_language(profile)
        memory = first_memory(profile, self._options, rng, self._words.first)
        manner = draw_manner(profile, scenario.domain, self._options, memory.seed, self._words)
        return replace(memory, mood=manner.mood).write()

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Say the next thing. A turn that would repeat an earlier one, or was complained about, is worded anew."""
        memory = Memory.read(state)
        manner = draw_manner(view.scenario.profile, view.scenario.domain, self._options, memory.seed, self._words)
        chance = rng("agenda", memory.seed, view.turn, view.complaint or "")
        decision = decide(view, memory, manner, self._options, chance)
        after = decision.memory
        text, used = "", after.used
        for _ in range(_TRIES):
            text, used = say(decision.acts, manner, after.mood, after.used, chance)
            if not _unfit(text, decision.end, view):
                break
        names = [act.name for act in decision.acts]
        turn = UserTurn(
            text=text,
            action=decision.action,
            accepts=decision.accepts,
            rejects=decision.rejects,
            end=decision.end,
            notes={"acts": names, "mood": after.mood, **style_notes(view.scenario.profile.style)},
            prompt=self._label,
        )
        return turn, replace(after, used=used).write()

    async def rate(self, view: UserView, state: State) -> Answer:
        """Rate the dialogue by `satisfaction`, a rule of turns, mood, misses and whether the user was served."""
        memory = Memory.read(state)
        profile = view.scenario.profile
        taken = next((shown for shown in view.shown if memory.taken and shown.item.id == memory.taken), None)
        served = taken is not None and taken.mine is not False
        turns = system_turns(view)
        misses = sum(name in profile.prefers for name in taken.misses) if taken is not None else 0
        gave_up = taken is None and turns >= memory.patience
        value = satisfaction(served=served, gave_up=gave_up, turns=turns, mood=memory.mood, misses=misses)
        return Answer(value, "ok", prompt=self._label)


def _check_language(profile: Profile) -> None:
    if profile.language.casefold().partition("-")[0] != _LANGUAGE:
        raise ConfigError(
            f"the agenda user speaks English only, and the profile {profile.id!r} asks for {profile.language!r};"
            " use a user with a model, or leave the language out"
        )


def _unfit(text: str, end: Literal["done", "gave_up"] | None, view: UserView) -> bool:
    """Whether a wording repeats an earlier turn or, where the first one was complained about, would be flagged again.

    The part of a rule is never left, so a second flag could only be a false alarm that costs the dialogue.
    """
    said = view.history.messages
    if view.complaint is None:
        return DETECTORS["repeated_turn"](Utterance(text, said)) is not None
    return bool(faults(Utterance(text, said, end, len({shown.item for shown in view.shown}))))
