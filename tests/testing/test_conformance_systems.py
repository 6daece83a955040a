"""`check_system` passes systems that keep the contract, and catches each way to break it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import pytest

from mysteryshopper.core import Choice, History, ItemRef, Opening, Option, Scored, Session, SystemReply
from mysteryshopper.testing import check_system


class Plain:
    """Lives in the messages: says how many there are."""

    memory: Literal["messages", "session"] = "messages"

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[Session]:
        yield self

    async def reply(self, history: History) -> SystemReply:
        return SystemReply((f"{len(history.messages)} messages so far.",), (ItemRef("i1", "Paper Lighthouse"),))

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        ranking = [Scored("a", 3.0), Scored("b", 2.0), Scored("c", 2.0), Scored("d", 1.0)]
        return [scored for scored in ranking if scored.score >= ranking[min(k, 4) - 1].score]

    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        return Choice(options[-1].id)


class Remembering:
    """Lives behind a session id: counts what each session was asked."""

    memory: Literal["messages", "session"] = "session"

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[Session]:
        yield Counted(self.asked, opening.session)


class Counted:
    def __init__(self, asked: dict[str, int], session: str) -> None:
        self.asked = asked
        self.session = session

    async def reply(self, history: History) -> SystemReply:
        self.asked[self.session] = self.asked.get(self.session, 0) + 1
        return SystemReply((f"Question {self.asked[self.session]}.",))


async def test_sound_systems_pass() -> None:
    await check_system(Plain())
    await check_system(Remembering())


class ClaimsMessagesButCounts(Remembering):
    memory = "messages"


class MixesSessions(Remembering):
    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[Session]:
        yield Counted(self.asked, "the only one" if opening.session in ("one", "two") else opening.session)


class ClaimsNonsense(Plain):
    memory = "brain"  # type: ignore[assignment]


class CannotOpen(Plain):
    async def reply(self, history: History) -> SystemReply:
        assert history.messages[-1].role == "user"
        return await super().reply(history)


class RepliesText(Plain):
    async def reply(self, history: History) -> Any:
        return "a text"


class RepliesOneString(Plain):
    async def reply(self, history: History) -> SystemReply:
        return SystemReply("a text")  # type: ignore[arg-type]


class NumbersItsItems(Plain):
    async def reply(self, history: History) -> SystemReply:
        return replace(await super().reply(history), items=(ItemRef(7, "Seven"),))  # type: ignore[arg-type]


class ClimbsInTheHistory(Plain):
    async def reply(self, history: History) -> SystemReply:
        object.__setattr__(history, "messages", history.messages[:1])
        return await super().reply(history)


class ChokesOnScripts(Plain):
    async def reply(self, history: History) -> SystemReply:
        for message in history.messages:
            message.text.encode("latin-1")
        return await super().reply(history)


class RanksUpsideDown(Plain):
    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        return [Scored("d", 1.0), Scored("a", 3.0)]


class RanksTwice(Plain):
    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        return [Scored("a", 1.0), Scored("a", 1.0)]


class RanksInfinity(Plain):
    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        return [Scored("a", float("nan"))]


class RanksTooMany(Plain):
    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        return [Scored("a", 3.0), Scored("b", 2.0)]


class RanksByMood(Plain):
    mood = 0

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        self.mood += 1
        return [Scored(f"i{self.mood}", 1.0)]


class ChoosesAtWill(Plain):
    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        return Choice("dance")


class ChoosesUnread(Plain):
    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        return Choice(None, "ok")


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (ClaimsMessagesButCounts, "memory is 'messages', but a reply changed"),
        (MixesSessions, "memory is 'session', but a reply changed"),
        (ClaimsNonsense, "memory is 'brain'"),
        (CannotOpen, "reply on an empty history raised IndexError"),
        (RepliesText, "returned str, not a SystemReply"),
        (RepliesOneString, "messages that are no tuple of texts"),
        (NumbersItsItems, "an item id that is no text: 7"),
        (ClimbsInTheHistory, "changed the history"),
        (ChokesOnScripts, "after the user said many scripts raised UnicodeEncodeError"),
        (RanksUpsideDown, "not sorted, best first"),
        (RanksTwice, "names an item twice"),
        (RanksInfinity, "a score that is no number"),
        (RanksTooMany, "goes on below the ties of place 1"),
        (RanksByMood, "two rankings for the same history"),
        (ChoosesAtWill, "chose 'dance', which was no option"),
        (ChoosesUnread, "only ok and repaired carry one"),
    ],
)
async def test_broken_systems_are_caught(broken: type[Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_system(broken())


async def test_a_system_that_never_opens_is_not_asked_to() -> None:
    await check_system(CannotOpen(), opens=False)
