"""How a dialogue goes: who starts, how long it may get, what ends it, and what is done about faulty user turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import ConfigError


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one dialogue. A limit of None is no limit, but one of the two turn limits must be set.

    Attributes:
        first: Who speaks first. `prefix`: whoever did not say the prefix's last message; the user if there is none.
        closing_turn: The system still answers the words with which a user ends the dialogue.
        max_user_turns: How many turns the user has. The last one is still answered.
        max_system_turns: How many turns the system has. The user may still answer the last one, if they have a turn
            left.
        max_steps: Tool calls that one turn may hold.
        stop_on: `hit` ends as `answered` when an item that meets the wish is shown, which then counts as accepted;
            `accept` ends when the user accepts any item; `user` ends only when the user says so.
        guard: What detectors do with user turns: `off` nothing, `flag` marks them, `reask` marks them, asks for the
            turn once more and then ends the dialogue as `user_fault`.
    """

    first: Literal["user", "system", "prefix"] = "user"
    closing_turn: bool = True
    max_user_turns: int | None = None
    max_system_turns: int | None = 10
    max_steps: int = 30
    stop_on: Literal["hit", "accept", "user"] = "user"
    guard: Literal["off", "flag", "reask"] = "reask"

    def __post_init__(self) -> None:
        """Refuse limits that no dialogue can keep.

        Raises:
            ConfigError: There is no turn limit at all, or one is below 1.
        """
        if self.max_user_turns is None and self.max_system_turns is None:
            raise ConfigError("a dialogue needs an end: set max_user_turns or max_system_turns")
        for name in ("max_user_turns", "max_system_turns", "max_steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"must be 1 or more, got {value}", key=name)
