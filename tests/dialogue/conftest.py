"""Two small sides to let talk, and a place to do it."""

from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from mysteryshopper.core import (
    Dialogue,
    Goal,
    History,
    Item,
    ItemRef,
    Opening,
    Profile,
    Scenario,
    SystemReply,
    UserTurn,
    UserView,
)
from mysteryshopper.dialogue import Policy, Scene, converse

Said = str | UserTurn | SystemReply | BaseException


class Lines:
    """A user that says given turns; its state counts them. Keeps every view it got."""

    def __init__(self, *lines: Said | Callable[[UserView], Said]) -> None:
        self.lines = lines
        self.views: list[UserView] = []

    def start(self, scenario: Scenario, rng: Random) -> dict[str, Any]:
        return {"said": 0}

    async def speak(self, view: UserView, state: Any) -> tuple[UserTurn, Any]:
        self.views.append(view)
        line = self.lines[min(len(self.views), len(self.lines)) - 1]
        said = line(view) if callable(line) else line
        if isinstance(said, BaseException):
            raise said
        turn = said if isinstance(said, UserTurn) else UserTurn(str(said))
        return turn, {"said": state["said"] + 1}


class Replies:
    """A system that gives given replies. Keeps every history it got, and how often it was opened and closed."""

    memory = "messages"

    def __init__(self, *replies: Said | Callable[[History], Said]) -> None:
        self.replies = replies
        self.histories: list[History] = []
        self.opened: list[Opening] = []
        self.closed = 0

    @asynccontextmanager
    async def open(self, opening: Opening, history: History):
        self.opened.append(opening)
        try:
            yield self
        finally:
            self.closed += 1

    async def reply(self, history: History) -> SystemReply:
        self.histories.append(history)
        reply = self.replies[min(len(self.histories), len(self.replies)) - 1]
        said = reply(history) if callable(reply) else reply
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, SystemReply) else SystemReply((str(said),))


class Stage:
    """Makes sides and lets them talk."""

    lines = Lines
    replies = Replies
    target = Item("t1", "The Salt Clock", 2004)

    def scene(
        self, goal: Goal | None = None, prefix: Sequence[Any] = (), profile: Profile | None = None, **policy: Any
    ) -> Scene:
        scenario = Scenario("s", profile or Profile("anna"), "films", tuple(prefix))
        rules = {"max_user_turns": 6, "max_system_turns": None, **policy}
        return Scene(scenario, Opening("session-1"), goal or Goal(), Policy(**rules), user="u", system="s")

    def show(self, *items: ItemRef, text: str = "Look at this.") -> SystemReply:
        return SystemReply((text,), items)

    async def talk(self, user: Any, system: Any, **scene: Any) -> Dialogue:
        return await converse(self.scene(**scene), user, system, Random(1), name="d")


@pytest.fixture
def stage() -> Stage:
    return Stage()


def texts(dialogue: Dialogue) -> list[str]:
    """Return what was said, side by side."""
    return [f"{node.side[0]}: {message.text}" for node in dialogue.nodes for message in node.messages]


@pytest.fixture
def said() -> Callable[[Dialogue], list[str]]:
    return texts
