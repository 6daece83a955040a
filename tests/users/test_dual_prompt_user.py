"""The dual-prompt user: a decision in a call of its own, then the words; both from the whole dialogue."""

from contextlib import nullcontext
from random import Random

import pytest

from mysteryshopper.core import Address, ChatReply, Goal, Item, Opening, Profile, Shown, SystemReply
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.testing import check_user
from mysteryshopper.users import USERS
from mysteryshopper.users.dual_prompt import DualPromptOptions, DualPromptUser


async def speak(model, seen, **options):
    user = DualPromptUser(model, DualPromptOptions(**options))
    turn, state = await user.speak(seen, user.start(seen.scenario, Random(1)))
    assert state == user.start(seen.scenario, Random(1))
    return turn


@pytest.mark.parametrize("form", ["chat", "completion"])
async def test_it_keeps_the_contract(form):
    def script(request, address):
        return "continue" if address.purpose == "stop" else "hm, tell me more"

    assert USERS.load("dual-prompt") is DualPromptUser
    await check_user(DualPromptUser(ScriptedModel(script, form=form)))


async def test_nothing_is_decided_before_the_system_has_spoken(talk):
    model = talk.model("hi, a comedy please")
    turn = await speak(model, talk.view())
    assert (turn.text, turn.end, turn.notes, turn.calls) == ("hi, a comedy please", None, {}, ("call1",))
    assert model.purposes == [("reply", 0)]
    assert "Open the chat" in model.asked()


@pytest.mark.parametrize(
    ("answer", "action", "end", "accepts"),
    [
        ("continue", "continue", None, ()),
        ("Satisfied.", "satisfied", "done", ("t1",)),
        ("**give up**", "give up", "gave_up", ()),
        ("b) satisfied", "satisfied", "done", ("t1",)),
        ("Decision: a", "continue", None, ()),
    ],
)
async def test_the_decision_ends_the_dialogue_and_the_words_follow_it(talk, answer, action, end, accepts):
    model = talk.model(answer, "some words")
    seen = talk.view(talk.said("hi"), talk.heard("look", talk.clock), shown=[Shown(talk.clock, True)], turn=2)
    turn = await speak(model, seen)
    assert (turn.action, turn.end, turn.accepts, turn.text) == (action, end, accepts, "some words")
    assert turn.notes == {"stop": {"decision": action, "status": "ok"}}
    assert turn.calls == ("call1", "call2")
    assert model.purposes == [("stop", 0), ("reply", 0)]
    assert model.requests[0].choices == ("continue", "satisfied", "give up")
    told = {"continue": "you go on looking", "satisfied": "you take it", "give up": "leads nowhere, and you leave"}
    assert told[action] in model.asked(1)
    assert model.asked(1).count("made up your mind") == 1


async def test_both_calls_see_the_whole_dialogue_with_the_persons_own_turns(talk):
    model = talk.model("continue", "more")
    said = [
        talk.said("my first words"),
        talk.heard("an early question"),
        talk.said("my second words"),
        talk.heard("a late reply"),
    ]
    await speak(model, talk.view(*said, turn=3))
    for request in model.requests:
        spoken = [(message.role, message.content) for message in request.messages[1:]]
        assert [role for role, _ in spoken] == ["user", "assistant", "user", "assistant", "user"]
        assert (spoken[1][1], spoken[3][1]) == ("my first words", "my second words")
        assert "an early question" in spoken[2][1]
        assert "a late reply" in spoken[4][1]


async def test_an_unreadable_decision_is_asked_for_once_more_saying_what_was_wrong(talk):
    model = talk.model("continue or satisfied", "give up", "bye then")
    turn = await speak(model, talk.view(talk.said("hi"), talk.heard("k"), turn=2))
    assert model.purposes == [("stop", 0), ("stop", 1), ("reply", 0)]
    assert "undecided" not in model.asked(0)
    assert "undecided" in model.asked(1)
    assert (turn.end, turn.text, turn.calls) == ("gave_up", "bye then", ("call1", "call2", "call3"))


async def test_a_decision_that_stays_unreadable_means_to_go_on_and_is_noted(talk):
    model = talk.model("purple", "purple again", "and something slower?")
    turn = await speak(model, talk.view(talk.said("hi"), talk.heard("k"), turn=2))
    assert (turn.end, turn.text) == (None, "and something slower?")
    assert turn.notes == {"stop": {"decision": None, "status": "invalid"}}
    assert model.purposes == [("stop", 0), ("stop", 1), ("reply", 0)]


async def test_faulty_words_are_worded_anew_under_the_same_decision(talk):
    model = talk.model("continue", "better words")
    address = Address(role="user", component="u", path="0.0.0", attempt=1, purpose="reply")
    seen = talk.view(
        talk.said("hi"), talk.heard("k"), turn=2, address=address, complaint="role_reversal, repeated_turn"
    )
    await speak(model, seen)
    assert model.purposes == [("stop", 0), ("reply", 1)]
    assert "recommender's work" in model.asked(1)
    assert "recommender's work" not in model.asked(0)
    again = talk.model("continue", "better words")
    await speak(again, talk.view(talk.said("hi"), talk.heard("k"), turn=2, address=address.to(attempt=0)))
    assert again.requests[0] == model.requests[0], "the decision would be another call, and might turn out differently"


async def test_an_end_that_came_too_early_is_decided_anew(talk):
    model = talk.model("continue", "well then")
    await speak(model, talk.view(talk.said("hi"), talk.heard("k"), turn=2, complaint="early_end"))
    assert "Give it a chance" in model.asked(0)


async def test_what_an_item_shown_misses_is_told(talk):
    model = talk.model("continue", "hm")
    shown = [Shown(talk.road, False, ("genre", "decade")), Shown(talk.clock, False)]
    await speak(model, talk.view(talk.said("hi"), talk.heard("look", talk.road, talk.clock), shown=shown, turn=2))
    for number in (0, 1):
        assert "this is not it: Lantern Road (1998) (wrong genre, decade); The Salt Clock (2004)." in model.asked(
            number
        )


async def test_a_completion_model_decides_and_speaks_from_examples(talk):
    model = talk.model(" satisfied", " lovely, that one", form="completion")
    seen = talk.view(
        talk.said("hi"), talk.heard("look\nDecision: give up", talk.clock), shown=[Shown(talk.clock, True)]
    )
    turn = await speak(model, seen, max_tokens=30)
    stop, reply = model.requests
    assert stop.completion.splitlines()[-4:] == [
        "Shopper: hi",
        "Adviser: look Decision: give up",
        "(This is what the shopper wants.)",
        "Decision:",
    ]
    assert (stop.choices, stop.stop, stop.max_tokens) == (("continue", "satisfied", "give up"), ("\n",), None)
    assert reply.completion.splitlines()[-2:] == ["(The shopper takes it.)", "Shopper:"]
    assert (reply.choices, reply.max_tokens) == ((), 30)
    assert (turn.text, turn.end, turn.accepts) == ("lovely, that one", "done", ("t1",))


async def test_a_person_without_patience_left_decides_nothing(talk):
    model = talk.model("never asked")
    turn = await speak(model, talk.view(talk.said("a"), talk.heard("k"), profile=Profile("anna", patience=1), turn=2))
    assert (turn.end, model.requests) == ("gave_up", [])


async def test_in_a_dialogue_its_decision_is_acted_on(talk):
    class Shop:
        memory = "messages"

        def open(self, opening, history):
            return nullcontext(self)

        async def reply(self, history):
            return SystemReply(("Look at The Salt Clock (2004).",), (talk.clock,))

    def script(request, address):
        return ChatReply("satisfied" if address.purpose == "stop" else f"words of {address.path}")

    scene = Scene(
        talk.view().scenario,
        Opening("s"),
        Goal((Item("t1", "The Salt Clock", 2004),)),
        Policy(max_user_turns=5, max_system_turns=None),
    )
    dialogue = await converse(scene, DualPromptUser(ScriptedModel(script)), Shop(), Random(1))
    assert (dialogue.ended, dialogue.success) == ("user_done", True)
    assert [node.turn_data.get("action") for node in dialogue.nodes if node.side == "user"] == ["continue", "satisfied"]
