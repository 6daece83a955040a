"""How one root grows, seen from close by: prefixes, failures at every place, and orders to stop."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import pytest

from mysteryshopper.core import (
    Address,
    CallFailed,
    Message,
    Opening,
    Profile,
    Scenario,
    StopRun,
    SystemReply,
    UserTurn,
)
from mysteryshopper.dialogue import Policy, Scene
from mysteryshopper.protocols.tree.growing import Root
from mysteryshopper.protocols.tree.options import TreeOptions, most_at_levels, reactions


class Counting:
    """A user who numbers its turns, and forgets nothing of its own branch."""

    def start(self, scenario, rng):
        return {"said": []}

    async def speak(self, view, state):
        text = f"turn {view.turn} after {len(view.history.messages)}"
        return UserTurn(text), {"said": [*state["said"], view.history.messages[-1].text if view.turn > 1 else ""]}


class Shop:
    """A system that says who it is; what it is told to do with an address, it does."""

    memory = "messages"

    def __init__(self, name, act=None):
        self.name = name
        self.act = act or (lambda history: None)
        self.sessions = []

    @asynccontextmanager
    async def open(self, opening, history):
        self.sessions.append(opening.session)
        yield self

    async def reply(self, history):
        await asyncio.sleep(0)
        done = self.act(history)
        if isinstance(done, Exception):
            raise done
        return SystemReply((f"{self.name} at {history.address.path}",))


def root(*systems, depth=2, prefix=(), user=None, **options):
    scene = Scene(
        Scenario("s", Profile("p"), prefix=prefix),
        Opening("session"),
        policy=Policy(closing_turn=False, max_system_turns=depth, guard="off"),
        address=Address(unit="s"),
        user="u",
    )
    pair = tuple((system.name, system) for system in systems)
    return Root(scene, user or Counting(), pair, TreeOptions(**options), depth, Random(1))


async def grown(*systems, **more):
    return await root(*systems, **more).grow(Random(1))


async def test_each_branch_has_a_session_for_every_reply_and_a_state_of_its_own():
    one, two = Shop("one"), Shop("two")
    found = await grown(one, two, depth=3)
    assert len({*one.sessions, *two.sessions}) == 14
    states = {node.id: node.state["said"] for node in found.tree.nodes if node.side == "user"}
    assert states["0.1.0.0.0"] == ["", "two at 0.1", "one at 0.1.0.0"]
    assert len(found.comparisons) == 7
    assert {branch.ended for branch in found.branches} == {"depth"}


async def test_where_people_asked_both_systems_answer_and_where_they_were_answered_the_user_goes_on():
    asked = (Message("user", "Something with trains?", author="human"),)
    answered = (*asked, Message("assistant", "Nine Winters?", author="human"))
    after_user = await grown(Shop("one"), Shop("two"), depth=1, prefix=asked)
    assert [node.id for node in after_user.tree.nodes] == ["0", "0.0", "0.1"]
    after_system = await grown(Shop("one"), Shop("two"), depth=1, prefix=answered)
    assert [node.id for node in after_system.tree.nodes] == ["0", "0.0", "0.0.0", "0.0.1"]
    assert after_system.comparisons[0].node == "0.0"


async def test_a_failure_ends_its_branch_alone_and_names_whose_fault_it_was():
    def act(history):
        if history.address.path == "0.0.0.1":
            return CallFailed("the endpoint is gone", ended="http_error", fault="infra")
        return None

    found = await grown(Shop("one"), Shop("two", act), depth=3)
    faults = {one.node: one.faults for one in found.comparisons}
    assert faults["0.0.0"] == ("none", "infra")
    assert len(faults) == 6  # one branch and what would have come of it is missing
    assert [branch.detail for branch in found.branches if branch.fault == "infra"] == ["the endpoint is gone"]


async def test_a_system_that_says_nothing_twice_has_lost_and_its_silence_is_kept():
    class Mute(Shop):
        async def reply(self, history):
            return SystemReply(("",))

    found = await grown(Shop("one"), Mute("mute"), depth=1)
    assert found.comparisons[0].faults == ("none", "system")
    assert "empty" in {branch.ended for branch in found.branches}


async def test_a_system_that_can_not_be_opened_has_failed_and_one_that_can_not_hang_up_has_not():
    class Shut(Shop):
        @asynccontextmanager
        async def open(self, opening, history):
            raise RuntimeError("closed on Mondays")
            yield

    class Clingy(Shop):
        @asynccontextmanager
        async def open(self, opening, history):
            yield self
            raise RuntimeError("don't go")

    found = await grown(Clingy("clingy"), Shut("shut"), depth=1)
    assert found.comparisons[0].faults == ("none", "system")


async def test_a_user_who_fails_at_the_start_or_on_a_branch_leaves_what_was_compared():
    class Unborn(Counting):
        def start(self, scenario, rng):
            raise ValueError("no wish")

    class Tired(Counting):
        async def speak(self, view, state):
            if view.turn > 1 and "two" in view.history.messages[-1].text:
                raise ValueError("no words")
            return await super().speak(view, state)

    none = await grown(Shop("one"), Shop("two"), user=Unborn())
    assert (none.comparisons, none.branches[0].fault) == ((), "user")
    some = await grown(Shop("one"), Shop("two"), user=Tired(), depth=3)
    assert [one.node for one in some.comparisons] == ["0", "0.0.0", "0.0.0.0.0"]
    assert [branch.fault for branch in some.branches].count("user") == 2
    assert {one.faults for one in some.comparisons} == {("none", "none")}


async def test_an_order_to_stop_stops_the_siblings_too():
    reached = []

    def act(history):
        reached.append(history.address.path)
        return StopRun("the key was refused") if history.address.path == "0.0" else None

    class Slow(Shop):
        async def reply(self, history):
            await asyncio.sleep(5)
            raise AssertionError("it was not stopped")

    with pytest.raises(StopRun, match="refused"):
        await grown(Shop("one", act), Slow("two"))
    assert reached == ["0.0"]


@pytest.mark.parametrize(
    ("options", "depth", "levels"),
    [
        ({}, 4, [1, 2, 4, 8]),
        ({"frontier": 3}, 4, [1, 2, 3, 3]),
        ({"max_nodes": 5}, 4, [1, 2, 2, 0]),
        ({"frontier": 1}, 3, [1, 1, 1]),
        ({"max_nodes": 100, "frontier": 2}, 3, [1, 2, 2]),
    ],
)
def test_what_levels_may_hold(options, depth, levels):
    assert most_at_levels(TreeOptions(**options), depth) == levels


@pytest.mark.parametrize("depth", range(1, 8))
def test_the_published_sizes(depth):
    levels = most_at_levels(TreeOptions(), depth)
    assert sum(levels) == 2**depth - 1
    assert reactions(levels, final=False) == 2 * (2 ** (depth - 1) - 1)
    assert reactions(levels, final=True) == 2 * (2**depth - 1)


def test_the_report_names_the_system_that_spoke():
    from mysteryshopper.report.turns import turns_of

    found = asyncio.run(grown(Shop("one"), Shop("two"), depth=1))
    told = {turn.node: turn.who for turn in turns_of(found.tree.nodes, "u", "one vs two", ())}
    assert told == {"0": "simulated user u", "0.0": "system one", "0.1": "system two"}
