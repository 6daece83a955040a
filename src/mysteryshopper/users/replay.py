"""`replay`: says again, turn by turn, what a simulated user said in a stored run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    ConfigError,
    Json,
    JsonObject,
    Parts,
    Profile,
    Scenario,
    State,
    UserTurn,
    UserView,
    digest,
)
from mysteryshopper.users.showing import just_shown, wanted
from mysteryshopper.users.stored_talk import StoredTalk, stored_talks

_SCRIPT = "script"


class ReplayOptions(BaseModel):
    """Options of `replay`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str = Field(description="Folder of the stored run, relative to the experiment file.")
    user: str | None = Field(default=None, description="Name of the user block in it, if there are several.")
    system: str | None = Field(default=None, description="With which system it talked, if there are several.")
    repeat: int = Field(default=0, ge=0, description="Which repeat.")


class ReplayUser:
    """A user that says to a new system what a stored user said to another one.

    It brings its own scenarios: one for each stored dialogue that went without fault, with its wish and its goal. It
    takes an item as soon as one it wanted is shown, with the words by which the stored user ended content, if it did.
    When all is said it leaves: with the stored last words if the stored user gave up, or if it ended content and nobody
    can tell what is wanted; else without a word, having given up.

    What it says does not answer what it hears. The further the new system departs from the stored one, the less the
    words fit. The notes of each turn hold `same_as_stored`: whether the system's turn before it was word for word the
    stored one. Its state is empty; what it says depends on the number of the turn.
    """

    options: ClassVar[type[ReplayOptions]] = ReplayOptions

    @classmethod
    def build(cls, options: ReplayOptions, parts: Parts) -> Self:
        """Build it for an experiment; what it says comes with its profiles."""
        return cls()

    @classmethod
    def own_profiles(cls, options: ReplayOptions, folder: Path) -> Sequence[Profile]:
        """Return a profile for each stored dialogue, in the order of the run; its id is that of the stored unit.

        Its notes hold the script, and `targets` (item ids) where the stored dialogue had some.

        Args:
            options: Its options.
            folder: Folder of the experiment file.

        Raises:
            DataError: The run can't be read, or holds no such dialogues.
        """
        talks = stored_talks(folder / options.run, user=options.user, system=options.system, repeat=options.repeat)
        return [_profile(talk) for talk in talks]

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the empty state.

        Raises:
            ConfigError: The scenario is not one of its own.
        """
        _script(scenario.profile)
        return {}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Say the next stored words, take what was wanted, or leave."""
        script = _script(view.scenario.profile)
        turn = _next(view, script)
        if heard := _heard(view):
            stored: Sequence[str] = script["heard"][len(heard) - 1 : len(heard)]
            turn = replace(turn, notes={"same_as_stored": list(stored) == [digest(heard[-1])]})
        return turn, state


def _next(view: UserView, script: JsonObject) -> UserTurn:
    lines: Sequence[str] = script["turns"]
    content = script["ended"] == "user_done"
    if hits := wanted(just_shown(view)):
        return UserTurn(script["last"] if content else "", accepts=hits, end="done")
    if view.turn <= len(lines):
        return UserTurn(lines[view.turn - 1])
    if script["ended"] == "user_gave_up":
        return UserTurn(script["last"], end="gave_up")
    if content and all(shown.mine is None for shown in view.shown):
        return UserTurn(script["last"], end="done")
    return UserTurn("", end="gave_up")


def _heard(view: UserView) -> list[str]:
    """Return what the system said, a text for each of its turns."""
    runs = groupby(view.history.messages, lambda message: message.side)
    return ["\n".join(message.text for message in run) for side, run in runs if side == "system"]


def _profile(talk: StoredTalk) -> Profile:
    data = talk.data
    left = talk.ended in ("user_done", "user_gave_up") and bool(talk.said)
    notes: dict[str, Json] = {
        _SCRIPT: {
            "turns": talk.said[:-1] if left else list(talk.said),
            "last": talk.said[-1] if left else "",
            "heard": [digest(text) for text in talk.heard],
            "ended": talk.ended,
        }
    }
    if targets := [str(name) for name in data.get("targets") or ()]:
        notes["targets"] = targets
    return Profile(
        id=talk.unit,
        wish=str(data.get("wish") or ""),
        attributes=_wish(data.get("constraints")),
        prefers=_wish(data.get("prefers")),
        language=str(data.get("language") or "en"),
        notes=notes,
    )


def _wish(value: Any) -> Mapping[str, tuple[str, ...]]:
    return {str(name): tuple(map(str, values)) for name, values in value.items()} if isinstance(value, Mapping) else {}


def _script(profile: Profile) -> JsonObject:
    script = profile.notes.get(_SCRIPT)
    if not isinstance(script, Mapping):
        raise ConfigError(
            "a user of kind `replay` says again what was said in the stored dialogue of its own scenario, and the"
            f" scenario {profile.id!r} is none; leave `profiles` out, and use the protocol `conversation`"
        )
    return script
