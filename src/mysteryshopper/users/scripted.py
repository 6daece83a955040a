"""`scripted`: says what its options say, for tests and for trying things out."""

from __future__ import annotations

from random import Random
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import Parts, Scenario, State, UserTurn, UserView
from mysteryshopper.dialogue import read_end_marker
from mysteryshopper.users.showing import just_shown, taken


class ScriptedOptions(BaseModel):
    """Options of `scripted`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turns: tuple[str, ...] = Field(
        default=(), description="What it says, turn by turn; after the last it leaves without a word, having given up."
    )
    wish_first: bool = Field(default=False, description="Say the profile's wish before the script.")
    on_hit: str | None = Field(
        default=None, description="What it says instead, taking it and ending, once what it wanted is shown."
    )
    end_marker: str = Field(default="[END]", min_length=1, description="Ends a turn of the script as content.")
    give_up_marker: str = Field(default="[GIVE UP]", min_length=1, description="Ends a turn of the script as given up.")


class ScriptedUser:
    """A user without a model. Which turn of the script comes next depends on the number of the turn alone."""

    options: ClassVar[type[ScriptedOptions]] = ScriptedOptions

    def __init__(self, options: ScriptedOptions) -> None:
        """Make it with its options."""
        self._options = options

    @classmethod
    def build(cls, options: ScriptedOptions, parts: Parts) -> Self:
        """Build it for an experiment."""
        return cls(options)

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the empty state: it remembers nothing."""
        return {}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Say the next line of the script, or take what was wanted."""
        options = self._options
        if options.on_hit is not None and any(shown.mine for shown in just_shown(view)):
            return UserTurn(options.on_hit, accepts=taken(view, options.on_hit), end="done"), state
        wish = view.scenario.profile.wish if options.wish_first else ""
        script = ((wish,) if wish else ()) + options.turns
        if view.turn > len(script):
            return UserTurn("", end="gave_up"), state
        line = script[view.turn - 1]
        text, done = read_end_marker(line, options.end_marker)
        if done:
            return UserTurn(text, accepts=taken(view, text), end="done"), state
        text, hopeless = read_end_marker(text, options.give_up_marker)
        return UserTurn(text, end="gave_up" if hopeless else None), state
