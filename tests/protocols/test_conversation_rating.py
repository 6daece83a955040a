"""Users who can be asked are asked after the dialogue how satisfied they are."""

import pytest

from mysteryshopper.core import Answer, CallFailed, ConfigError, Profile, Scenario, StopRun, UserTurn, rng
from mysteryshopper.core.talk import Goal, Opening
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.protocols.conversation_rating import ask_for_rating


class Visitor:
    """Says three things, counts them in its state, and rates with what it is told to."""

    def __init__(self, answer=None, error=None):
        self.answer, self.error, self.seen = answer, error, None

    def start(self, scenario, rng):
        return {"said": 0}

    async def speak(self, view, state):
        number = state["said"] + 1
        return UserTurn(f"turn {number}", end="done" if number == 3 else None), {"said": number}

    async def rate(self, view, state):
        self.seen = view, state
        if self.error is not None:
            raise self.error
        return self.answer


class Silent:
    """Can't be asked."""

    start, speak = Visitor.start, Visitor.speak


class Shop:
    memory = "messages"

    def __init__(self, broken=False):
        self._broken = broken

    def open(self, opening, history):
        from contextlib import asynccontextmanager

        from mysteryshopper.core import SystemReply

        broken = self._broken

        class Session:
            async def reply(self, history):
                if broken:
                    raise RuntimeError("out of stock")
                return SystemReply(("Here you are.",))

        @asynccontextmanager
        async def opened():
            yield Session()

        return opened()


async def rated(user, shop=None):
    scenario = Scenario("s1", Profile("p1", wish="a comedy"))
    scene = Scene(scenario, Opening("x"), Goal(), Policy(max_user_turns=5, guard="off"), user="visitor", system="shop")
    dialogue = await converse(scene, user, shop or Shop(), rng(1))
    found, lost = await ask_for_rating(scene, user, dialogue)
    if lost is not None:
        assert (found["value"], found["status"], lost.fault) == (None, "failed", "infra")
    return found


async def test_the_user_sees_all_of_the_dialogue_and_remembers_it():
    user = Visitor(Answer(4, "ok", raw="4", calls=("c1",)))
    assert await rated(user) == {"value": 4.0, "status": "ok", "calls": ["c1"], "raw": "4"}
    view, state = user.seen
    assert state == {"said": 3}
    assert [message.text for message in view.history.messages] == [
        *("turn 1", "Here you are.", "turn 2", "Here you are.", "turn 3"),
        "Here you are.",  # the system's answer to the last words, too
    ]
    address = view.address
    assert (address.role, address.component, address.purpose, address.path) == (
        *("user", "visitor", "rating"),
        "0.0.0.0.0.0.0",
    )


async def test_what_could_not_be_read_is_kept_as_unread():
    assert await rated(Visitor(Answer(None, "refused"))) == {"value": None, "status": "refused"}
    assert (await rated(Visitor(Answer(7, "ok"))))["status"] == "invalid"
    assert (await rated(Visitor(Answer(True, "ok"))))["value"] is None
    assert (await rated(Visitor(Answer("4", "ok"))))["value"] is None


async def test_a_call_that_fails_costs_the_rating_and_not_the_dialogue():
    for error in (CallFailed("no answer", ended="timeout"), CallFailed("no answer", ended="timeout", fault=None)):
        assert await rated(Visitor(error=error)) == {"value": None, "status": "failed", "detail": "no answer"}


@pytest.mark.parametrize("error", [StopRun("refused key"), ConfigError("no such model")])
async def test_what_stops_the_run_stops_it_here_too(error):
    with pytest.raises(StopRun):
        await rated(Visitor(error=error))


async def test_users_who_can_not_be_asked_and_dialogues_that_failed_have_none():
    assert await rated(Silent()) is None
    user = Visitor(Answer(1, "ok"))
    assert await rated(user, Shop(broken=True)) is None
    assert user.seen is None
