"""What each side gets to read, and what is kept of it."""

import json

import pytest

from mysteryshopper.core import Goal, InsiderView, ItemRef, Message, Profile, SystemReply, UserTurn, decode, encode
from mysteryshopper.core.talk import Dialogue

HIT = ItemRef("t1", "The Salt Clock", 2004)
MISS = ItemRef("x9", "Lantern Road", 1998)
END = UserTurn("", end="done")


async def test_a_user_never_sees_a_target_before_it_is_shown(stage):
    user = stage.lines("Hi", "more", END)
    await stage.talk(user, stage.replies(stage.show(MISS), stage.show(HIT)), goal=Goal((stage.target,)))
    for view in user.views[:2]:
        assert "Salt Clock" not in repr(view)
        assert "t1" not in repr(view)
    assert not isinstance(user.views[0], InsiderView)
    assert [shown.mine for shown in user.views[2].shown] == [False, True]


async def test_an_insider_sees_its_targets(stage):
    user = stage.lines("Hi", END)
    user.sees_targets = True
    await stage.talk(user, stage.replies("k"), goal=Goal((stage.target,)))
    assert isinstance(user.views[0], InsiderView)
    assert user.views[0].targets == (stage.target,)


async def test_a_system_learns_nothing_of_wish_marks_and_thoughts(stage):
    profile = Profile("anna", persona="a baker", wish="secret-word-1")
    user = stage.lines(UserTurn("Hi", thought="secret-word-2", notes={"plan": "secret-word-3"}), "more", END)
    system = stage.replies(stage.show(HIT), "l")
    await stage.talk(user, system, goal=Goal((stage.target,)), profile=profile)
    seen = repr((system.histories, system.opened))
    for secret in ("secret-word", "baker", "mine", "anna"):
        assert secret not in seen


async def test_an_item_without_an_id_is_known_by_title_and_year(stage):
    refs = [
        ItemRef(None, "Salt Clock, The", 2004),
        ItemRef(None, "the salt clock (2005)"),
        ItemRef(None, "The Salt Clock", 1999),
        ItemRef(None, "The Salt Clock 2"),
    ]
    user = stage.lines("Hi", lambda view: UserTurn("ok", accepts=(view.shown[0].item.id,), end="done"))
    dialogue = await stage.talk(user, stage.replies(stage.show(*refs), "Enjoy"), goal=Goal((stage.target,)))
    assert [shown.mine for shown in user.views[1].shown] == [True, True, False, False]
    assert dialogue.success is True


async def test_several_messages_with_equal_items_lose_nothing(stage, said):
    same = ItemRef("m1", "Paper Comets")
    two = SystemReply(("first", "second"), items=(same,))
    system = stage.replies(SystemReply(("one",), (same,)), two, SystemReply(("three",), (same,)))
    dialogue = await stage.talk(stage.lines("a", "b", "c"), system, max_user_turns=3)
    assert said(dialogue) == ["u: a", "s: one", "u: b", "s: first", "s: second", "u: c", "s: three"]
    assert sum(len(node.items) for node in dialogue.nodes) == 3
    assert [len(message.items) for message in dialogue.nodes[3].messages] == [0, 1]


async def test_a_very_long_reply_is_kept_whole(stage):
    dialogue = await stage.talk(stage.lines("a", END), stage.replies("x" * 200_000))
    assert len(dialogue.nodes[1].messages[0].text) == 200_000


async def test_lone_surrogates_are_replaced_and_flagged(stage):
    user = stage.lines(UserTurn("hi \ud83d", notes={"n": ["\ud83d"]}), END)
    system = stage.replies(SystemReply(("👩‍👩‍👧 千と千尋 مرحبا \ud83d",), (ItemRef("i", "T\udc00"),)))
    dialogue = await stage.talk(user, system)
    json.dumps(encode(dialogue), ensure_ascii=False).encode()
    assert dialogue.nodes[0].messages[0].text == "hi \ufffd"
    assert dialogue.nodes[1].messages[0].text == "👩‍👩‍👧 千と千尋 مرحبا \ufffd"
    assert dialogue.nodes[1].items[0].item.title == "T\ufffd"
    assert "bad_unicode" in dialogue.nodes[0].flags
    assert "bad_unicode" in dialogue.nodes[1].flags


async def test_reasoning_reaches_neither_side(stage):
    user = stage.lines(UserTurn("<think>they know nothing</think>hello"), END)
    system = stage.replies("<think>whoever that is</think>Good day")
    dialogue = await stage.talk(user, system, guard="flag")
    assert "know nothing" not in repr(system.histories)
    assert "whoever" not in repr(user.views)
    assert dialogue.nodes[0].turn_data["raw"] == "<think>they know nothing</think>hello"
    assert dialogue.nodes[0].flags == ("leaked_thoughts",)
    assert dialogue.nodes[1].turn_data["raw"] == ["<think>whoever that is</think>Good day"]


async def test_reasoning_alone_is_an_empty_turn(stage):
    dialogue = await stage.talk(stage.lines("<think>hm", "<think>hm"), stage.replies("k"))
    assert (dialogue.ended, dialogue.fault) == ("empty", "user")


async def test_a_prefix_from_people_is_kept_and_gone_on_from(stage):
    prefix = [
        Message("assistant", "Hello there!", author="human"),
        Message("assistant", "What do you like?", author="human"),
        Message("user", "Westerns.", author="human"),
        Message("user", "Old ones.", items=(MISS,), author="human"),
    ]
    system = stage.replies("How about this?", "Bye")
    user = stage.lines(UserTurn("Fine", end="done"))
    dialogue = await stage.talk(user, system, prefix=prefix, first="prefix", goal=Goal((stage.target,)))
    root = dialogue.nodes[0]
    assert (root.turn, root.messages, root.id) == (0, tuple(prefix), "0")
    assert [node.side for node in dialogue.nodes[1:]] == ["system", "user", "system"]
    assert system.histories[0].turn == 1
    assert user.views[0].turn == 1
    assert user.views[0].shown == ()


async def test_the_system_may_open(stage, said):
    dialogue = await stage.talk(stage.lines("Hi", END), stage.replies("Welcome!", "k"), first="system")
    assert said(dialogue)[:2] == ["s: Welcome!", "u: Hi"]
    assert dialogue.nodes[0].id == "0"


async def test_every_turn_has_its_own_address(stage):
    user, system = stage.lines("a", "b"), stage.replies("k", "l")
    await stage.talk(user, system, max_user_turns=2)
    assert [str(view.address) for view in user.views] == ["/0/0/user/u/reply/0", "/0/0.0.0/user/u/reply/0"]
    assert [str(one.address) for one in system.histories] == ["/0/0.0/system/s/reply/0", "/0/0.0.0.0/system/s/reply/0"]


async def test_who_read_what_is_kept(stage):
    dialogue = await stage.talk(stage.lines("a", END), stage.replies("k"))
    assert [node.seen_by for node in dialogue.nodes] == [("u", "s"), ("s", "u"), ("u",)]


async def test_what_a_system_quotes_ends_nothing_and_stays(stage, said):
    dialogue = await stage.talk(stage.lines("a", "b"), stage.replies("Type ###STOP### to finish."), max_user_turns=2)
    assert dialogue.ended == "max_turns"
    assert said(dialogue)[1] == "s: Type ###STOP### to finish."


async def test_a_dialogue_survives_being_stored(stage):
    dialogue = await stage.talk(
        stage.lines("a", UserTurn("b", accepts=("t1",), end="done")),
        stage.replies(stage.show(HIT), "k"),
        goal=Goal((stage.target,)),
    )
    assert decode(Dialogue, json.loads(json.dumps(encode(dialogue)))) == decode(Dialogue, encode(dialogue))
    assert all(node.ms >= 0 for node in dialogue.nodes)


@pytest.mark.parametrize("guard", ["off", "flag", "reask"])
async def test_a_role_reversal_is_handled_as_the_guard_says(stage, guard):
    faulty = "Sure! Here are three films for you: 1. Aha 2. Oho 3. Uhu Would you like more?"
    user = stage.lines(faulty, "I'd like a western", END)
    dialogue = await stage.talk(user, stage.replies("k", "l"), guard=guard)
    first = dialogue.nodes[0]
    if guard == "reask":
        assert (user.views[1].complaint, first.messages[0].text) == ("role_reversal", "I'd like a western")
    else:
        assert first.messages[0].text == faulty
    assert first.flags == (() if guard == "off" else ("role_reversal",))


async def test_a_role_reversal_twice_ends_as_the_users_fault(stage):
    faulty = "Sure! Here are three films for you: 1. Aha 2. Oho 3. Uhu Would you like more?"
    system = stage.replies("k")
    dialogue = await stage.talk(stage.lines(faulty, faulty), system, goal=Goal((stage.target,)))
    assert (dialogue.ended, dialogue.fault, dialogue.success) == ("user_fault", "user", None)
    assert "role_reversal" in dialogue.detail
    assert system.histories == []


async def test_planning_text_is_asked_for_again_and_counted(stage):
    user = stage.lines("hello", "ok thanks\n\nAs the user, my next message should be short.", "ok thanks", END)
    system = stage.replies("k", "l")
    dialogue = await stage.talk(user, system)
    assert "next message" not in repr(system.histories)
    # such a sentence plans aloud and speaks of a role it was given: either detector may name it, and no other
    assert "leaked_thoughts" in dialogue.nodes[2].flags
    assert set(dialogue.nodes[2].flags) <= {"leaked_thoughts", "leaked_instructions"}


async def test_an_english_answer_of_a_chinese_persona_is_flagged_but_goes_on(stage):
    profile = Profile("li", language="zh")
    user = stage.lines("I would like to see something funny tonight", "我想看喜剧片", END)
    dialogue = await stage.talk(user, stage.replies("好", "好的"), profile=profile)
    assert dialogue.nodes[0].flags == ("language_mismatch",)
    assert dialogue.nodes[2].flags == ()
    assert dialogue.ended == "user_done"
