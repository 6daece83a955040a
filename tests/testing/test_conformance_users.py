"""`check_user` passes a user that keeps the contract, and catches each way to break it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from mysteryshopper.core import Answer, ChatMessage, ChatRequest, InsiderView, Scenario, State, UserTurn, UserView
from mysteryshopper.testing import ScriptedModel, check_user


class Steady:
    """A user that keeps the contract: asks a model, accepts what is its own, counts in its state."""

    def __init__(self) -> None:
        self.model = ScriptedModel(lambda request, address: f"I heard {len(request.messages[0].content)} letters.")

    def start(self, scenario: Scenario, rng: Random) -> State:
        return {"said": 0, "mood": rng.choice(["calm", "hurried"]), "log": []}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        heard = view.history.messages[-1].text if view.history.messages else "nothing"
        reply = await self.model.chat(ChatRequest((ChatMessage("user", heard),)), view.address)
        mine = tuple(shown.item.id or "" for shown in view.shown if shown.mine)
        turn = UserTurn(reply.text or "", accepts=mine, end="done" if mine else None, calls=(reply.call,))
        return turn, {**state, "said": state["said"] + 1, "log": [*state["log"], heard[:9].encode().hex()]}


async def test_a_steady_user_passes() -> None:
    await check_user(Steady())


async def test_an_insider_gets_its_targets() -> None:
    class Insider(Steady):
        sees_targets = True

        async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
            assert isinstance(view, InsiderView)
            assert view.targets[0].title == "The Quiet Tram"
            return await super().speak(view, state)

    await check_user(Insider())


class MovesStateInPlace(Steady):
    async def speak(self, view: UserView, state: Any) -> tuple[UserTurn, State]:
        state["log"].append("again")
        return await super().speak(view, state)


class KeepsMemoryInItself(Steady):
    turns = 0

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        self.turns += 1
        turn, after = await super().speak(view, state)
        return replace(turn, text=f"{turn.text} This is my turn {self.turns}."), after


class DrawsOutsideItsRng(Steady):
    def start(self, scenario: Scenario, rng: Random) -> State:
        return {"said": 0, "log": [], "luck": Random().random()}


class KeepsATuple(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        turn, after = await super().speak(view, state)
        return turn, {**after, "pair": (1, 2)}


class KeepsAnObject(Steady):
    def start(self, scenario: Scenario, rng: Random) -> State:
        return {"said": 0, "log": [], "scenario": scenario}


class AcceptsWhatNobodyShowed(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        turn, after = await super().speak(view, state)
        return replace(turn, accepts=("i9",)), after


class FallsOverEmptyHistories(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        assert view.history.messages[-1].text is not None
        return await super().speak(view, state)


class FormatsWhatItHears(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        turn, after = await super().speak(view, state)
        heard = view.history.messages[-1].text if view.history.messages else ""
        return replace(turn, text=heard.format(genre="drama") + turn.text), after


class WritesToAFile(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        for message in view.history.messages:
            message.text.encode()
        return await super().speak(view, state)


class ReturnsATurnAlone(Steady):
    async def speak(self, view: UserView, state: State) -> Any:
        return (await super().speak(view, state))[0]


class EndsInAWordOfItsOwn(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        turn, after = await super().speak(view, state)
        return replace(turn, end="bored"), after  # type: ignore[arg-type]


class SaysNothingAtAll(Steady):
    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        turn, after = await super().speak(view, state)
        return replace(turn, text=None), after  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (MovesStateInPlace, "changed the state it was given"),
        (KeepsMemoryInItself, "keeps memory outside its state"),
        (DrawsOutsideItsRng, "two states from the same randomness"),
        (KeepsATuple, "comes back from JSON as another value"),
        (KeepsAnObject, "is not JSON"),
        (AcceptsWhatNobodyShowed, r"accepted or rejected \['i9'"),
        (FallsOverEmptyHistories, "with nothing said yet raised IndexError"),
        (FormatsWhatItHears, "after the system said template braces raised"),
        (WritesToAFile, "after the system said a lone surrogate raised UnicodeEncodeError"),
        (ReturnsATurnAlone, "not a UserTurn and a state"),
        (EndsInAWordOfItsOwn, "ended with 'bored'"),
        (SaysNothingAtAll, "a text of type NoneType"),
    ],
)
async def test_broken_users_are_caught(broken: type[Steady], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_user(broken())


async def test_what_is_no_user_is_told() -> None:
    with pytest.raises(AssertionError, match="str has no `start` or no `speak`"):
        await check_user("a user")  # type: ignore[arg-type]


async def test_a_drawing_user_passes_when_it_says_so() -> None:
    await check_user(KeepsMemoryInItself(), repeatable=False)


class Rates(Steady):
    """A user that rates dialogues with a given answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.rating = answer

    async def rate(self, view: UserView, state: State) -> Any:
        return self.rating


@pytest.mark.parametrize("answer", [Answer(4.0, "ok"), Answer(1, "repaired"), Answer(None, "refused")])
async def test_a_rating_from_one_to_five_passes_and_so_does_none(answer: Answer) -> None:
    await check_user(Rates(answer))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(6.0, "ok"), "from 1 to 5"),
        (Answer("4", "ok"), "from 1 to 5"),
        (Answer(True, "ok"), "from 1 to 5"),
        (Answer(3.0, "invalid"), "only ok and repaired carry one"),
        (Answer(None, "ok"), "only ok and repaired carry one"),
        (4.0, "not an Answer"),
    ],
)
async def test_a_rating_that_is_none_is_caught(answer: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_user(Rates(answer))
