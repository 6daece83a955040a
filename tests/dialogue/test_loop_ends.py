"""How dialogues end, and whose fault it is."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import (
    CallFailed,
    ConfigError,
    Goal,
    Item,
    ItemRef,
    Message,
    Node,
    StopRun,
    SystemReply,
    UserTurn,
)
from mysteryshopper.dialogue import Policy
from mysteryshopper.dialogue.ends import repeats

DONE = UserTurn("Yes, go ahead", end="done")
HIT = ItemRef("t1", "The Salt Clock", 2004)
MISS = ItemRef("x9", "Lantern Road", 1998)


async def test_the_system_acts_on_the_users_last_words(stage, said):
    system = stage.replies("Shall I book it?", "It is booked.")
    dialogue = await stage.talk(stage.lines("Book me a seat", DONE), system)
    assert said(dialogue) == ["u: Book me a seat", "s: Shall I book it?", "u: Yes, go ahead", "s: It is booked."]
    assert (dialogue.ended, dialogue.fault) == ("user_done", "none")


async def test_without_a_closing_turn_the_users_last_words_are_the_last(stage, said):
    dialogue = await stage.talk(stage.lines("Book me a seat", DONE), stage.replies("Shall I?"), closing_turn=False)
    assert said(dialogue)[-1] == "u: Yes, go ahead"


async def test_a_bare_end_ends_at_once(stage, said):
    system = stage.replies("Hello.")
    dialogue = await stage.talk(stage.lines("Hi", UserTurn("", end="done")), system)
    assert dialogue.ended == "user_done"
    assert len(system.histories) == 1
    assert dialogue.nodes[-1].messages == ()


async def test_a_crash_on_the_last_words_counts_against_the_system(stage):
    system = stage.replies(stage.show(HIT), CallFailed("no answer", ended="timeout", fault="system"))
    user = stage.lines("Hi", UserTurn("That one!", accepts=("t1",), end="done"))
    dialogue = await stage.talk(user, system, goal=Goal((stage.target,)))
    assert (dialogue.ended, dialogue.fault, dialogue.success) == ("timeout", "system", False)
    assert dialogue.detail == "no answer"


async def test_saying_nothing_to_a_goodbye_is_no_fault(stage):
    dialogue = await stage.talk(stage.lines("Hi", UserTurn("Bye!", end="done")), stage.replies("Hello.", ""))
    assert (dialogue.ended, dialogue.fault) == ("user_done", "none")
    assert dialogue.nodes[-1].flags == ("empty",)


async def test_exactly_as_many_user_turns_as_allowed(stage):
    user = stage.lines(*(f"turn {number}" for number in range(9)))
    system = stage.replies(*(f"reply {number}" for number in range(9)))
    dialogue = await stage.talk(user, system, max_user_turns=3)
    assert [node.side for node in dialogue.nodes] == ["user", "system"] * 3
    assert [node.turn for node in dialogue.nodes] == [1, 1, 2, 2, 3, 3]
    assert [node.id for node in dialogue.nodes[:3]] == ["0", "0.0", "0.0.0"]
    assert (dialogue.ended, dialogue.fault) == ("max_turns", "none")


async def test_the_user_may_answer_the_last_system_turn(stage):
    user = stage.lines("a", "b", "c", "d")
    system = stage.replies("k", "l", "m")
    dialogue = await stage.talk(user, system, max_user_turns=None, max_system_turns=2)
    assert [node.side[0] for node in dialogue.nodes] == ["u", "s", "u", "s", "u"]
    assert dialogue.ended == "max_turns"


async def test_endless_goodbyes_end_after_three_equal_pairs(stage):
    dialogue = await stage.talk(
        stage.lines("Bye!"), stage.replies("Bye!", "bye"), max_user_turns=30, goal=Goal((stage.target,))
    )
    assert (dialogue.ended, dialogue.fault, len(dialogue.nodes)) == ("repetition", "none", 6)
    assert dialogue.success is False


@given(st.lists(st.sampled_from(["Bye!", "bye", "no"]), max_size=12), st.booleans())
def test_three_equal_pairs_are_those_of_turns_that_count(texts, prefixed):
    path = [Node(str(at), None, "user", at + (not prefixed), (Message("user", text),)) for at, text in enumerate(texts)]
    said = [text.lower().strip("!") for text in texts[prefixed:]][-6:]
    assert repeats(path) == (len(said) == 6 and len(set(said[::2])) == len(set(said[1::2])) == 1)


async def test_user_done_without_an_accepted_wanted_item_is_no_success(stage):
    user = stage.lines("Hi", UserTurn("Fine, thanks", end="done"))
    dialogue = await stage.talk(user, stage.replies(stage.show(HIT), "Bye"), goal=Goal((stage.target,)))
    assert (dialogue.ended, dialogue.success, dialogue.data["first_hit"]) == ("user_done", False, 1)


@pytest.mark.parametrize(
    ("shown", "accepts", "success"),
    [(HIT, ("t1",), True), (MISS, ("x9",), False), (MISS, ("t1",), False), (HIT, ("x9",), False)],
)
async def test_success_is_an_accepted_item_that_was_shown_and_wanted(stage, shown, accepts, success):
    user = stage.lines("Hi", UserTurn("That one!", accepts=accepts, end="done"))
    dialogue = await stage.talk(user, stage.replies(stage.show(shown), "Enjoy."), goal=Goal((stage.target,)))
    assert dialogue.success is success


async def test_an_item_turned_down_later_is_not_accepted(stage):
    user = stage.lines("Hi", UserTurn("ok", accepts=("t1",)), UserTurn("no, rather not", rejects=("t1",), end="done"))
    dialogue = await stage.talk(user, stage.replies(stage.show(HIT), "Sure?", "Ok."), goal=Goal((stage.target,)))
    assert (dialogue.success, dialogue.data["accepted"]) == (False, [])


async def test_an_empty_goal_has_no_success(stage):
    dialogue = await stage.talk(stage.lines("Hi", UserTurn("Bye now", end="done")), stage.replies(stage.show(HIT)))
    assert dialogue.success is None


async def test_stop_on_hit_ends_as_answered(stage):
    system = stage.replies(stage.show(MISS), stage.show(HIT), "never said")
    dialogue = await stage.talk(stage.lines("a", "b", "c"), system, goal=Goal((stage.target,)), stop_on="hit")
    assert (dialogue.ended, dialogue.success, dialogue.data["first_hit"]) == ("answered", True, 2)
    assert len(system.histories) == 2


async def test_stop_on_accept_ends_when_any_item_is_taken(stage):
    user = stage.lines("a", UserTurn("I take it", accepts=("x9",)), "never said")
    dialogue = await stage.talk(
        user, stage.replies(stage.show(MISS), "Enjoy"), goal=Goal((stage.target,)), stop_on="accept"
    )
    assert (dialogue.ended, dialogue.success) == ("user_done", False)


async def test_an_empty_user_turn_is_asked_for_once_more(stage):
    user = stage.lines("a", "b", "  \n", "at last", UserTurn("", end="done"))
    system = stage.replies("k", "l", "m")
    dialogue = await stage.talk(user, system)
    assert user.views[3].complaint == "empty"
    assert (user.views[3].turn, user.views[3].address.attempt) == (3, 1)
    assert dialogue.nodes[4].messages[0].text == "at last"
    assert dialogue.nodes[4].flags == ("empty",)
    assert dialogue.nodes[4].state == {"said": 3}  # the first attempt's state is forgotten
    assert dialogue.ended == "user_done"


async def test_a_user_empty_twice_ends_the_dialogue_and_keeps_it(stage):
    dialogue = await stage.talk(stage.lines("a", "b", "", ""), stage.replies("k", "l"))
    assert (dialogue.ended, dialogue.fault) == ("empty", "user")
    assert [message.text for node in dialogue.nodes for message in node.messages] == ["a", "k", "b", "l"]


@pytest.mark.parametrize("nothing", [SystemReply(("",)), SystemReply(()), SystemReply((" \n", ""))])
async def test_an_empty_reply_is_asked_for_once_more_in_the_same_session(stage, nothing):
    system = stage.replies(nothing, "at last", "bye")
    dialogue = await stage.talk(stage.lines("a", UserTurn("b", end="done")), system)
    assert dialogue.nodes[1].messages[0].text == "at last"
    assert len(system.opened) == 1
    first, second = system.histories[:2]
    assert (first.turn, first.messages) == (second.turn, second.messages)
    assert (first.address.attempt, second.address.attempt) == (0, 1)


async def test_a_system_empty_twice_ends_the_dialogue(stage):
    dialogue = await stage.talk(stage.lines("a"), stage.replies("", ""), goal=Goal((stage.target,)))
    assert (dialogue.ended, dialogue.fault, dialogue.success) == ("empty", "system", False)


async def test_items_without_words_are_a_reply(stage):
    dialogue = await stage.talk(
        stage.lines("a", UserTurn("", end="done")), stage.replies(SystemReply((), items=(HIT,)))
    )
    assert dialogue.ended == "user_done"
    assert dialogue.nodes[1].messages[0].items == (HIT,)


@pytest.mark.parametrize(
    ("error", "ended", "user_fault", "system_fault"),
    [
        (CallFailed("too long", ended="context_exceeded", fault=None), "context_exceeded", "user", "system"),
        (CallFailed("down", ended="http_error", fault="infra"), "http_error", "infra", "infra"),
        (KeyError("choices"), "unreadable", "user", "system"),
        (TimeoutError("slow"), "timeout", "user", "system"),
    ],
)
async def test_a_failing_side_ends_its_dialogue(stage, error, ended, user_fault, system_fault):
    by_user = await stage.talk(stage.lines("a", error), stage.replies("k"))
    assert (by_user.ended, by_user.fault, len(by_user.nodes)) == (ended, user_fault, 2)
    by_system = await stage.talk(stage.lines("a"), stage.replies(error))
    assert (by_system.ended, by_system.fault, len(by_system.nodes)) == (ended, system_fault, 1)
    if isinstance(error, KeyError):
        assert by_system.detail == "KeyError: 'choices'"


async def test_a_system_that_cannot_be_opened_is_at_fault(stage):
    class Broken:
        memory = "messages"

        def open(self, opening, history):
            raise ValueError("no such shop")

    dialogue = await stage.talk(stage.lines("a"), Broken())
    assert (dialogue.ended, dialogue.fault, dialogue.detail) == ("unreadable", "system", "ValueError: no such shop")


async def test_a_user_that_cannot_start_is_at_fault(stage):
    user = stage.lines("a")
    user.start = lambda scenario, rng: 1 / 0
    dialogue = await stage.talk(user, stage.replies("k"))
    assert (dialogue.fault, dialogue.nodes) == ("user", ())


async def test_a_success_of_a_failed_user_is_left_out(stage):
    user = stage.lines("a", UserTurn("ok", accepts=("t1",)), CallFailed("down", ended="http_error", fault="infra"))
    dialogue = await stage.talk(user, stage.replies(stage.show(HIT), "fine"), goal=Goal((stage.target,)))
    assert (dialogue.fault, dialogue.success) == ("infra", None)


@pytest.mark.parametrize("error", [StopRun("the key was refused"), asyncio.CancelledError()])
async def test_orders_to_stop_pass_through_and_the_session_is_closed(stage, error):
    with pytest.raises(type(error)):
        await stage.talk(stage.lines("a", error), system := stage.replies("k"))
    assert system.closed == 1
    with pytest.raises(type(error)):
        await stage.talk(stage.lines("a"), system := stage.replies(error))
    assert system.closed == 1


async def test_a_session_that_fails_to_close_changes_nothing(stage):
    class Clinging(stage.replies):
        def open(self, opening, history):
            inner = super().open(opening, history)

            class Context:
                async def __aenter__(self):
                    return await inner.__aenter__()

                async def __aexit__(self, *details):
                    raise OSError("line is dead")

            return Context()

    dialogue = await stage.talk(stage.lines("a", UserTurn("", end="done")), Clinging("k"))
    assert (dialogue.ended, dialogue.fault) == ("user_done", "none")


async def test_too_many_tool_calls_end_the_dialogue(stage):
    from mysteryshopper.core import ToolCall

    calls = tuple(ToolCall(str(number), "look") for number in range(3))
    dialogue = await stage.talk(stage.lines("a"), stage.replies(SystemReply(("k",), tool_calls=calls)), max_steps=2)
    assert (dialogue.ended, dialogue.fault) == ("step_limit", "system")


@pytest.mark.parametrize(
    "limits",
    [{"max_system_turns": None}, {"max_user_turns": 0}, {"max_system_turns": 0}, {"max_steps": 0}],
)
def test_a_policy_without_an_end_is_refused(limits):
    with pytest.raises(ConfigError):
        Policy(**limits)


async def test_constraints_are_met_by_what_the_catalogue_knows(stage):
    from dataclasses import replace
    from random import Random

    from mysteryshopper.dialogue import converse

    known = {
        "a": Item("a", "Nine Rivers Home", attributes={"genre": ("drama",)}),
        "b": Item("b", "Paper Comets", attributes={"genre": ("Comedy", "family")}),
    }
    refs = (ItemRef("a", "Nine Rivers Home"), ItemRef("b", "Paper Comets"), ItemRef(None, "Unknown Thing"))
    user = stage.lines("Hi", UserTurn("The second!", accepts=("b",), end="done"))
    scene = replace(stage.scene(goal=Goal(constraints={"genre": ("comedy",)})), find=known.get)
    dialogue = await converse(scene, user, stage.replies(stage.show(*refs), "Enjoy"), Random(1))
    assert [shown.mine for shown in user.views[1].shown] == [False, True, None]
    assert dialogue.success is True
