"""`recusersim`: rating, then action, then words, then refinement; what is not known yet; what is good enough."""

from random import Random

import pytest

from mysteryshopper.core import ChatReply, Profile, Scenario, Shown, Usage
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.testing import check_user
from mysteryshopper.users import USERS
from mysteryshopper.users.field import Field
from mysteryshopper.users.recusersim import RecUserSim, RecUserSimOptions

WISH = Profile(
    "anna",
    persona="A baker who walks everywhere.",
    wish="A cheap Thai place, quiet if possible.",
    attributes={"cuisine": ("Thai",), "price": ("cheap",)},
    prefers={"mood": ("quiet",)},
    hidden=("price",),
)


async def speak(user, seen, state=None):
    return await user.speak(seen, user.start(seen.scenario, Random(1)) if state is None else state)


@pytest.mark.parametrize("form", ["chat", "completion"])
async def test_it_keeps_the_contract(form):
    answers = {"rating": "3", "action": "answer"}
    model = ScriptedModel(lambda request, address: answers.get(address.purpose, "hm, tell me more"), form=form)
    await check_user(USERS.load("recusersim")(model))


async def test_it_opens_without_rating_anything(talk):
    model = talk.model("I seek a Thai establishment.", "somewhere thai, please")
    turn, state = await speak(RecUserSim(model), talk.view(profile=WISH))
    assert model.purposes == [("response", 0), ("refine", 0)]
    assert (turn.text, turn.thought, turn.action) == ("somewhere thai, please", "I seek a Thai establishment.", "open")
    assert (turn.rating, turn.accepts, turn.end) == (None, (), None)
    assert state["impressions"] == []


async def test_each_tier_hears_what_the_one_before_came_to(talk):
    model = talk.model("2", "turn down", "That is not Thai.", "not thai, sorry")
    seen = talk.view(
        talk.said("thai please"),
        talk.heard("look", talk.road),
        shown=[Shown(talk.road, False, ("cuisine",))],
        profile=WISH,
    )
    turn, state = await speak(RecUserSim(model), seen)
    assert [purpose for purpose, _ in model.purposes] == ["rating", "action", "response", "refine"]
    assert (turn.rating, turn.action, turn.text) == (2, "turn down", "not thai, sorry")
    assert "(2 of 5)" in model.asked(1)
    assert "leave" in model.requests[1].choices
    assert "accept" not in model.requests[1].choices
    assert "say one thing that is wrong with it" in model.asked(2)
    assert "That is not Thai." in model.asked(3)
    assert "thai please" in model.asked(3), "the refinement has the dialogue in view"
    assert state["impressions"] == [{"turn": 1, "titles": ["Lantern Road"], "rating": 2}]


async def test_refined_alone_it_does_not_see_the_dialogue_and_off_it_is_not_refined(talk):
    seen = talk.view(talk.said("thai please"), talk.heard("which quarter?"), profile=WISH)
    alone = talk.model("3", "answer", "draft", "words")
    await speak(RecUserSim(alone, RecUserSimOptions(refine="alone")), seen)
    assert "thai please" not in alone.asked(3)
    assert "which quarter?" not in alone.asked(3)
    off = talk.model("3", "answer", "draft")
    turn, _ = await speak(RecUserSim(off, RecUserSimOptions(refine="off")), seen)
    assert (turn.text, len(off.requests)) == ("draft", 3)


async def test_a_model_that_continues_text_sees_what_was_said_last_but_not_alone(talk):
    seen = talk.view(talk.said("thai please"), talk.heard("which quarter?"), profile=WISH)
    for refine, sees in (("in-context", True), ("alone", False)):
        model = talk.model("3", "answer", "draft", "words", form="completion")
        await speak(RecUserSim(model, RecUserSimOptions(refine=refine)), seen)
        told = model.requests[3].completion
        assert ("Adviser:" in told) == sees
        assert told.endswith("\nAdviser: which quarter?\nLine: draft\nSent:" if sees else "\n\nLine: draft\nSent:")


def test_what_is_preferred_or_held_back_is_not_known_at_first():
    state = RecUserSim(ScriptedModel([])).start(Scenario("s", WISH), Random(1))
    assert state["known"] == {"cuisine": ["Thai"]}
    assert state["unknown"] == {"price": ["cheap"], "mood": ["quiet"]}
    late = Profile("p", attributes={"a": ("x",), "b": ("y",)}, hidden=("a", "b"))
    state = RecUserSim(ScriptedModel([])).start(Scenario("s", late), Random(1))
    assert state["known"] == {"a": ["x"]}, "somebody who wants anything knows a part of it"


async def test_it_finds_out_what_the_system_names_and_what_something_shown_lacks(talk):
    words = Field(same={"quiet": ("peaceful",)})
    model = talk.model("3", "chat", "draft", "words")
    user = RecUserSim(model, field=words)
    seen = talk.view(talk.said("hi"), talk.heard("It is a PEACEFUL one."), profile=WISH)
    turn, state = await speak(user, seen)
    assert turn.notes["found"] == {"mood": ["quiet"]}
    assert "This made you notice that you would like: mood: quiet" in model.asked(0)
    assert "cheap" not in "".join(model.asked(number) for number in range(4)), "what it does not know it can't tell"
    model = talk.model("2", "turn down", "draft", "words")
    shown = [Shown(talk.road, False, ("price",))]
    seen = talk.view(talk.said("hi"), talk.heard("this?", talk.road), shown=shown, profile=WISH, turn=2)
    turn, after = await speak(RecUserSim(model, field=words), seen, state)
    assert turn.notes["found"] == {"price": ["cheap"]}
    assert (after["unknown"], sorted(after["known"])) == ({}, ["cuisine", "mood", "price"])


async def test_only_the_first_items_are_looked_at(talk):
    shown = [Shown(talk.road, False), Shown(talk.clock, True)]
    seen = talk.view(talk.said("hi"), talk.heard("two", talk.road, talk.clock), shown=shown, profile=WISH)
    model = talk.model("2", "ask", "draft", "words")
    await speak(RecUserSim(model, RecUserSimOptions(attention=1)), seen)
    assert "The Salt Clock" not in "".join(message.content for message in model.requests[0].messages[-1:]), (
        "the wanted one was overlooked"
    )
    assert "accept" not in model.requests[1].choices
    model = talk.model("5", "accept", "draft", "that one!")
    turn, _ = await speak(RecUserSim(model), seen)
    assert (turn.accepts, turn.end, turn.rating) == (("t1",), "done", 5)


async def test_after_some_replies_less_is_good_enough(talk):
    shown = [Shown(talk.road, None)]
    seen = talk.view(talk.said("hi"), talk.heard("this", talk.road), shown=shown, profile=WISH)
    fresh = talk.model("3", "ask", "draft", "words")
    _, state = await speak(RecUserSim(fresh), seen)
    assert "accept" not in fresh.requests[1].choices
    tired = {**state, "impressions": [{"turn": n, "titles": [], "rating": 2} for n in (1, 2, 3)]}
    model = talk.model("3", "accept", "draft", "fine, that one")
    turn, _ = await speak(RecUserSim(model), seen, tired)
    assert (turn.accepts, turn.end) == (("x9",), "done")
    never = talk.model("3", "ask", "draft", "words")
    await speak(RecUserSim(never, RecUserSimOptions(yields=None)), seen, tired)
    assert "accept" not in never.requests[1].choices


async def test_of_earlier_replies_only_the_last_are_in_mind(talk):
    state = RecUserSim(ScriptedModel([])).start(Scenario("s", WISH), Random(1))
    past = [{"turn": n, "titles": [f"Shed {n}"], "rating": n} for n in (1, 2, 3)]
    model = talk.model("3", "answer", "draft", "words")
    seen = talk.view(talk.said("hi"), talk.heard("well?"), profile=WISH, turn=4)
    await speak(RecUserSim(model, RecUserSimOptions(recall=2)), seen, {**state, "impressions": past})
    assert "Shed 1" not in model.asked(0)
    assert "Earlier you looked at Shed 2 and gave it 2 of 5" in model.asked(0)


async def test_what_stays_unreadable_is_noted_and_the_rules_decide(talk):
    model = talk.model("many", "lots", "hmm", "dunno", "draft", "words")
    shown = [Shown(talk.road, False)]
    seen = talk.view(talk.said("hi"), talk.heard("this", talk.road), shown=shown, profile=WISH)
    turn, _ = await speak(RecUserSim(model), seen)
    assert (turn.rating, turn.action) == (None, "turn down")
    assert {"rating", "action"} <= turn.notes.keys()
    assert [attempt for _, attempt in model.purposes[:4]] == [0, 1, 0, 1]


async def test_a_rating_that_was_cut_gets_more_room(talk):
    model = talk.model(ChatReply("<think>well", finish="length", usage=Usage(9, 700)), "4", "answer", "draft", "words")
    seen = talk.view(talk.said("hi"), talk.heard("which quarter?"), profile=WISH)
    turn, _ = await speak(RecUserSim(model), seen)
    assert turn.rating == 4
    assert [request.max_tokens for request in model.requests[:3]] == [None, 1400, None]


async def test_an_empty_refinement_leaves_the_draft(talk):
    model = talk.model("draft", "  ")
    turn, _ = await speak(RecUserSim(model), talk.view(profile=WISH))
    assert (turn.text, turn.notes["refine"]) == ("draft", "empty")
