"""Users that make out the system's intent first: `simple-usersim`, and `cshi` with facts that it finds out."""

from random import Random

import pytest

from mysteryshopper.core import Profile, Shown
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.testing import check_user
from mysteryshopper.users import USERS
from mysteryshopper.users.cshi import CSHIOptions, CSHIUser
from mysteryshopper.users.simple_usersim import SimpleUserSim

WISH = Profile(
    "anna",
    attributes={"genre": ("comedy", "crime"), "star": ("Ada Quill", "Bo Tarn"), "director": ("Cy Lund",)},
    prefers={"year": ("1995",)},
)


async def speak(user, seen, state=None):
    return await user.speak(seen, user.start(seen.scenario, Random(1)) if state is None else state)


@pytest.mark.parametrize("form", ["chat", "completion"])
@pytest.mark.parametrize("kind", ["simple-usersim", "cshi", "target-free"])
async def test_they_keep_the_contract(kind, form):
    answers = {"intent": "question", "rating": "3"}
    model = ScriptedModel(lambda request, address: answers.get(address.purpose, "hm, tell me more"), form=form)
    await check_user(USERS.load(kind)(model))


@pytest.mark.parametrize(
    ("answer", "action", "told"),
    [
        ("question", "ask", "You were asked something"),
        ("small talk", "chat", "neither asked nor recommended"),
        ("recommendation", "recommend", "That is not it"),
    ],
)
async def test_each_intent_has_its_own_prompt(talk, answer, action, told):
    model = talk.model(answer, "words")
    turn, _ = await speak(SimpleUserSim(model), talk.view(talk.said("hi"), talk.heard("what now"), profile=WISH))
    assert model.purposes == [("intent", 0), ("reply", 0)]
    assert (turn.action, turn.text, turn.end) == (action, "words", None)
    assert told in model.asked()


async def test_what_shows_items_recommends_without_asking_and_the_wanted_is_taken(talk):
    model = talk.model("that one")
    seen = talk.view(talk.said("hi"), talk.heard("look", talk.clock), shown=[Shown(talk.clock, True)], profile=WISH)
    turn, _ = await speak(SimpleUserSim(model), seen)
    assert model.purposes == [("reply", 0)]
    assert (turn.accepts, turn.end) == (("t1",), "done")
    assert "this is what you hoped for: The Salt Clock (2004)" in model.asked()


async def test_an_intent_that_stays_unreadable_is_small_talk_and_noted(talk):
    model = talk.model("purple", "green", "words")
    turn, _ = await speak(SimpleUserSim(model), talk.view(talk.said("hi"), talk.heard("k"), profile=WISH))
    assert turn.action == "chat"
    assert turn.notes["intent"] == {"read": None, "status": "invalid"}


async def test_no_title_stands_in_its_prompts_before_it_was_shown(talk):
    model = talk.model("question", "words")
    await speak(SimpleUserSim(model), talk.view(talk.said("hi"), talk.heard("k"), profile=WISH))
    assert not any("Salt Clock" in model.asked(number) for number in (0, 1))


def test_facts_are_made_vague_and_split_into_known_and_unknown():
    user = CSHIUser(ScriptedModel([]), CSHIOptions(known=2))
    from mysteryshopper.core import Scenario

    state = user.start(Scenario("s", WISH), Random(1))
    assert state["known"] == {"genre": ["comedy", "crime"], "star": ["Ada Quill"]}
    assert state["unknown"] == {"director": ["Cy Lund"], "year": ["1990s"]}
    everything = CSHIUser(ScriptedModel([]), CSHIOptions(known=100)).start(Scenario("s", WISH), Random(1))
    assert everything["unknown"] == {}


async def test_what_is_unknown_is_not_told_to_the_model_until_it_is_found_out(talk):
    model = talk.model("I want a comedy.", "hello", "A comedy by Cy Lund.", "that direction please")
    user = CSHIUser(model)
    first, state = await speak(user, talk.view(profile=WISH))
    assert (first.action, model.purposes) == ("open", [("demand", 0), ("reply", 0)])
    assert state["demand"] == "I want a comedy."
    assert "Cy Lund" not in model.asked(0) + model.asked(1)
    heard = talk.heard("Here is one by CY LUND.", talk.road)
    seen = talk.view(talk.said("hello"), heard, shown=[Shown(talk.road, False)], profile=WISH, turn=2)
    turn, after = await speak(user, seen, state)
    assert (after["known"]["director"], after["unknown"]) == (["Cy Lund"], {"year": ["1990s"]})
    assert turn.notes["found"] == {"director": ["Cy Lund"]}
    assert "made you notice that you would like this: director: Cy Lund" in model.asked()
    assert after["demand"] == "A comedy by Cy Lund."


async def test_a_value_inside_another_word_is_not_found_out(talk):
    profile = Profile("p", attributes={"genre": ("comedy",), "writer": ("Lund",)})
    user = CSHIUser(talk.model("a", "chat", "b"), CSHIOptions(known=1))
    seen = talk.view(talk.said("hi"), talk.heard("Lundgren is great"), profile=profile)
    _, after = await speak(user, seen)
    assert after["unknown"] == {"writer": ["Lund"]}


async def test_it_in_a_sentence_is_not_taken(talk):
    model = talk.model("demand", "question", "no idea")
    turn, _ = await speak(CSHIUser(model), talk.view(talk.said("hi"), talk.heard("Have you seen it?"), profile=WISH))
    assert (turn.accepts, turn.end) == ((), None)


async def test_small_talk_brings_one_known_fact_up_the_same_each_time(talk):
    seen = talk.view(talk.said("hi"), talk.heard("lovely day"), profile=WISH)
    asked = []
    for _ in range(2):
        model = talk.model("demand", "small talk", "anyway")
        await speak(CSHIUser(model), seen)
        asked.append(model.asked())
    assert asked[0] == asked[1]
    assert "bring up this: genre: comedy, crime" in asked[0] or "bring up this: star: Ada Quill" in asked[0]


async def test_without_a_target_it_thinks_first_and_is_not_told_what_is_wanted(talk):
    likes = Profile("p", likes=("Old Rope (1990)",), dislikes=("Loud Fleet (2001)",))
    model = talk.model("You enjoy slow films.", "The clock is nice.", "nice clock, anything slower?")
    user = USERS.load("target-free")(model)
    seen = talk.view(talk.said("hi"), talk.heard("look", talk.clock), shown=[Shown(talk.clock, True)], profile=likes)
    turn, state = await speak(user, seen)
    assert model.purposes == [("taste", 0), ("reflect", 0), ("reply", 0)]
    assert "They disliked: Loud Fleet (2001)" in model.asked(0)
    assert state["taste"] == "You enjoy slow films."
    assert "What you think of what was just shown: The clock is nice." in model.asked()
    assert (turn.accepts, turn.end, turn.thought) == ((), None, "The clock is nice.")
    assert not any("hoped for" in model.asked(number) for number in range(3))
    again = talk.model("words")
    await speak(USERS.load("target-free")(again), talk.view(talk.said("hi"), talk.heard("hm"), profile=likes), state)
    assert again.purposes == [("reply", 0)], "the taste is summed up once"


async def test_what_cshi_does_not_know_that_it_wants_it_does_not_miss(talk):
    profile = Profile("p", attributes={"genre": ("comedy",), "director": ("Cy Lund",)})
    model = talk.model("A comedy please.", "no")
    shown = [Shown(talk.road, False, ("genre", "director"))]
    seen = talk.view(talk.said("hi"), talk.heard("this?", talk.road), shown=shown, profile=profile)
    await speak(CSHIUser(model, CSHIOptions(known=1)), seen)
    assert "Lantern Road (1998) (wrong genre)" in model.asked()
