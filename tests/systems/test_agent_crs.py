"""The agent that plans: its notes, its steps, what it looks up, what it costs, and that a tree can branch it."""

import json

import pytest

from mysteryshopper.core import (
    Address,
    CallFailed,
    ChatReply,
    ConfigError,
    History,
    Item,
    ItemRef,
    Message,
    Opening,
    Usage,
)
from mysteryshopper.experiment import Experiment
from mysteryshopper.items import Catalog
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.systems.agent_crs import AgentCRS, AgentCRSOptions, earlier_turns, fitting
from mysteryshopper.systems.agent_crs_plan import MOST_NOTES, Notes, WrittenPlan, plan_of, plan_schema
from mysteryshopper.testing import check_system

CATALOG = Catalog(
    [
        Item("1", "Pearl Spoon", None, {"cuisine": ("Georgian",), "mood": ("quiet",)}, "Dumplings by the river."),
        Item("2", "Tin Ladle", None, {"cuisine": ("Georgian",), "mood": ("loud",)}, "A long table and songs."),
        Item("3", "Salted Gate", None, {"cuisine": ("Basque",), "mood": ("quiet",)}, "Grilled fish."),
        Item("4", "Blue Kettle", None, {"cuisine": ("Georgian",), "mood": ("quiet",)}, "Soups all day."),
    ],
    name="places",
)
EMPTY = {"constraints": [], "likes": [], "dislikes": [], "rejected": []}


def plan(action="recommend", aim="Georgian food", **notes):
    return json.dumps({**EMPTY, **notes, "plan": "Enough is known.", "action": action, "aim": aim})


def agent(model, **options):
    return AgentCRS(model, CATALOG, AgentCRSOptions(**options), domain="places to eat", seed=7)


def said(*texts, items=(), path="0.0", **address):
    """Return a history in which user and system take turns; the system's turns show the items."""
    messages = tuple(
        Message("assistant", text, items) if place % 2 else Message("user", text, author="simulated")
        for place, text in enumerate(texts)
    )
    where = Address(unit="u", path=path, role="system", component="agent", purpose="reply", **address)
    return History(messages, 1 + len(texts) // 2, where)


async def answer(model, history, **options):
    async with agent(model, **options).open(Opening("s"), history) as session:
        return await session.reply(history)


def closing(model, purpose, number=-1):
    asked = [request for request, address in model.requests if address.purpose == purpose]
    return asked[number].messages[-1].content


@pytest.mark.parametrize("form", ["chat", "completion"])
async def test_it_keeps_the_contract(form):
    assert SYSTEMS.load("agent-crs") is AgentCRS
    words = {"plan": lambda request, address: plan(), "reply": lambda request, address: "Try Pearl Spoon."}
    await check_system(agent(ScriptedModel(words, form=form)))


async def test_a_turn_is_a_plan_and_its_words_and_both_are_counted():
    usage = {"plan": Usage(100, 20, 0.5), "reply": Usage(70, 9, 0.25)}
    text = {"plan": plan(constraints=["Georgian"], likes=["quiet"]), "reply": "Try Pearl Spoon, quiet and Georgian."}
    model = ScriptedModel(lambda request, address: ChatReply(text[address.purpose], usage=usage[address.purpose]))
    reply = await answer(model, said("Georgian food please, a calm place"))
    assert [address.purpose for _, address in model.requests] == ["plan", "reply"]
    assert (reply.usage, reply.calls) == (Usage(170, 29, 0.75), ("scripted-1", "scripted-2"))
    assert [item.id for item in reply.items] == ["1"]
    assert reply.notes["memory"] == {**EMPTY, "constraints": ["Georgian"], "likes": ["quiet"]}
    assert (reply.notes["action"], reply.notes["aim"]) == ("recommend", "Georgian food")
    assert AgentCRS.calls_a_turn == (2, 2, 3)


async def test_both_requests_begin_alike_and_bind_the_plan_to_its_form():
    model = ScriptedModel({"plan": [plan()], "reply": ["Try Tin Ladle."]})
    await answer(model, said("Georgian food please"))
    (first, _), (second, _) = model.requests
    assert first.messages[:-1] == second.messages[:-1]
    own = first.messages[-1].content.split("\n\nDon't answer")[0]
    assert second.messages[-1].content.startswith(own)
    assert "- cuisine, such as Georgian, Basque" in first.messages[0].content
    assert first.schema["additionalProperties"] is False
    assert set(first.schema["required"]) == set(first.schema["properties"]) == {*EMPTY, "plan", "action", "aim"}
    assert second.schema is None


async def test_to_recommend_it_looks_up_what_the_notes_say():
    model = ScriptedModel({"plan": [plan(constraints=["Georgian"], dislikes=["loud"])], "reply": ["Hm."]})
    await answer(model, said("Georgian, but not loud"), candidates=2)
    listed = [line for line in closing(model, "reply").splitlines() if "cuisine:" in line]
    assert sorted(listed) == [f"- {title}, cuisine: Georgian; mood: quiet" for title in ("Blue Kettle", "Pearl Spoon")]


async def test_what_was_shown_named_or_rejected_is_not_looked_up_again():
    model = ScriptedModel({"plan": [plan(), plan(rejected=["Tin Ladle"])], "reply": ["There is Blue Kettle."]})
    history = said("Georgian food", "Pearl Spoon?", "no, nor the other one", items=(ItemRef("1"),), path="0.0.0.0")
    reply = await answer(model, history)
    listed = [line for line in closing(model, "reply").splitlines() if "cuisine:" in line]
    assert listed == ["- Blue Kettle, cuisine: Georgian; mood: quiet"]
    assert [item.id for item in reply.items] == ["4"]


async def test_to_ask_it_has_no_items_and_to_answer_those_it_spoke_of():
    model = ScriptedModel({"plan": [plan("ask", "the mood")], "reply": ["Quiet or loud?"]})
    assert (await answer(model, said("Georgian food"))).items == ()
    assert "about something they have not told you yet" in closing(model, "reply")
    assert "cuisine:" not in closing(model, "reply")
    model = ScriptedModel({"plan": [plan(), plan("answer", "is Pearl Spoon quiet")], "reply": ["It is."]})
    await answer(model, said("Georgian food", "Pearl Spoon?", "is it quiet?", items=(ItemRef("1"),), path="0.0.0.0"))
    assert "- Pearl Spoon, cuisine: Georgian; mood: quiet. Dumplings by the river." in closing(model, "reply")
    assert "Tin Ladle" not in closing(model, "reply")


async def test_with_nothing_to_offer_it_says_so():
    model = ScriptedModel({"plan": [plan(aim="sushi", constraints=["sushi"])], "reply": ["We have no sushi."]})
    await answer(model, said("sushi"))
    assert "Nothing in stock fits your notes." in closing(model, "reply")


async def test_notes_go_from_turn_to_turn():
    model = ScriptedModel({"plan": [plan("ask", likes=["quiet"]), plan(constraints=["Georgian"])], "reply": ["A", "B"]})
    async with agent(model).open(Opening("s"), History()) as session:
        await session.reply(said("somewhere quiet"))
        await session.reply(said("somewhere quiet", "A", "Georgian", path="0.0.0.0"))
    assert '"likes": []' in closing(model, "plan", 0)
    assert '"likes": ["quiet"]' in closing(model, "plan", 1)
    assert [address.purpose for _, address in model.requests] == ["plan", "reply", "plan", "reply"], "nothing twice"


async def test_a_new_session_finds_its_notes_by_the_calls_it_made_before():
    """As in a tree: each reply has a session of its own, and the history may hold another system's replies."""

    def words(request, address):
        return plan(likes=[f"seen at {address.path}"]) if address.purpose == "plan" else "Quiet or loud?"

    whole = ScriptedModel(words)
    system = agent(whole)
    for path, texts in {"0.1": ["hello"], "0.1.0.1": ["hello", "Quiet or loud?", "quiet"]}.items():
        async with system.open(Opening(path), History()) as session:
            reply = await session.reply(said(*texts, path=path))
    asked = [(address.path, address.purpose) for _, address in whole.requests]
    assert asked == [("0.1", "plan"), ("0.1", "reply"), ("0.1", "plan"), ("0.1.0.1", "plan"), ("0.1.0.1", "reply")]
    (first, one), _, (again, two), *_ = whole.requests
    assert (first, one) == (again, two), "the same prefix is the same call"
    assert len(reply.calls) == 2
    other = ScriptedModel(words)
    history = said("hello", "Another system's words", "quiet", path="0.0.0.1")
    async with agent(other).open(Opening("s"), history) as session:
        await session.reply(history)
    assert other.requests[0] == (first, one), "what stood before the fork is met again on the other branch"


def test_places_of_earlier_turns():
    deep = said("a", "b", "c", "d", "e", path="0.1.0.0.0.1", attempt=1)
    assert [(len(one.messages), one.address.path) for one in earlier_turns(deep)] == [(1, "0.1"), (3, "0.1.0.1")]
    people = said("a", "b", "c", path="0.0")  # all of it was said before the dialogue
    assert [one.address.path for one in earlier_turns(people)] == ["before0.0"]
    later = said("a", "b", "c", "d", "e", path="0.0.0.0")
    assert [one.address.path for one in earlier_turns(later)] == ["before0.0", "0.0"]


@pytest.mark.parametrize("bad", ["no JSON at all", '{"action": "dance"}', plan()[:40]])
async def test_a_plan_that_cannot_be_read_is_asked_for_once_more(bad):
    cut = ChatReply(bad, finish="length")
    model = ScriptedModel({"plan": [cut, plan()], "reply": ["Try Pearl Spoon."]})
    reply = await answer(model, said("Georgian food"))
    assert [address.attempt for _, address in model.requests] == [0, 1, 0]
    assert [request.max_tokens for request, _ in model.requests] == [None, 1024, None]
    assert "Your last try was cut off" in closing(model, "plan")
    assert len(reply.calls) == 3
    with pytest.raises(CallFailed, match="the agent's plan can't be read") as caught:
        await answer(ScriptedModel({"plan": [bad, bad]}), said("Georgian food"))
    assert (caught.value.ended, caught.value.fault) == ("unreadable", "system")


async def test_a_plan_that_was_cut_gets_more_room_than_it_took():
    cut = ChatReply("{", finish="length", usage=Usage(100, 1500))
    model = ScriptedModel({"plan": [cut, plan()], "reply": ["Try Pearl Spoon."]})
    await answer(model, said("Georgian food"))
    assert [request.max_tokens for request, _ in model.requests] == [None, 3000, None]


async def test_a_first_try_that_was_cut_is_not_made_again_on_later_turns():
    """No record keeps it, so that it would be paid for, and perhaps come out otherwise, in every branch."""
    tries = []

    def words(request, address):
        if address.purpose != "plan":
            return "Quiet or loud?"
        tries.append((address.path, address.attempt))
        return plan(likes=["soup"]) if address.attempt or address.path != "0.0" else ChatReply("{", finish="length")

    system = agent(ScriptedModel(words))
    for path, texts in {"0.0": ["hello"], "0.0.0.0": ["hello", "Quiet or loud?", "quiet"]}.items():
        async with system.open(Opening(path), History()) as session:
            await session.reply(said(*texts, path=path))
    assert tries == [("0.0", 0), ("0.0", 1), ("0.0", 1), ("0.0.0.0", 0)]


async def test_an_earlier_plan_that_cannot_be_read_leaves_the_notes_as_they_were():
    model = ScriptedModel({"plan": ["?", "?", plan()], "reply": ["Try Pearl Spoon."]})
    reply = await answer(model, said("hi", "hello", "Georgian food", path="0.0.0.0"))
    assert [item.id for item in reply.items] == ["1"]
    assert '"likes": []' in closing(model, "plan")


async def test_words_asked_for_again_change_no_plan():
    model = ScriptedModel({"plan": [plan()] * 2, "reply": ["", "Try Pearl Spoon."]})
    async with agent(model).open(Opening("s"), History()) as session:
        await session.reply(said("Georgian food"))
        await session.reply(said("Georgian food", attempt=1))
    plans = [(request, address) for request, address in model.requests if address.purpose == "plan"]
    assert plans[0] == plans[1]
    assert [address.attempt for _, address in model.requests if address.purpose == "reply"] == [0, 1]


async def test_its_models_failure_is_passed_on_as_it_is():
    with pytest.raises(CallFailed) as caught:
        await answer(ScriptedModel([CallFailed("503", ended="http_error", fault="infra")]), said("hi"))
    assert caught.value.fault == "infra"


def test_notes_are_short_and_hold_nothing_twice():
    many = [f"thing {number}" for number in range(30)]
    written = WrittenPlan(
        constraints=["quiet\nplace", "Quiet  place", ""],
        likes=many,
        dislikes=[],
        rejected=[],
        plan="x" * 500,
        action="ask",
        aim="",
    )
    kept = plan_of(written)
    assert kept.notes.constraints == ("Quiet place",)
    assert kept.notes.likes == tuple(many[-MOST_NOTES:])
    assert len(kept.plan) < 200


def test_items_are_put_in_order_by_what_they_have():
    items = list(CATALOG)
    assert [item.id for item in fitting(items, Notes())] == ["1", "2", "3", "4"]
    order = fitting(items, Notes(constraints=("Georgian", "grilled fish"), dislikes=("something loud",)))
    assert [item.id for item in order] == ["1", "3", "4", "2"]


def test_a_small_model_is_held_to_a_bounded_form():
    bounded = plan_schema("completion")["properties"]
    assert bounded["likes"]["maxItems"] == 4
    assert bounded["aim"]["maxLength"] == 60
    assert "maxItems" not in plan_schema("chat")["properties"]["likes"]


def test_in_an_experiment_it_needs_a_model(tmp_path):
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted"}],
        "systems": [{"name": "agent", "kind": "agent-crs"}],
        "data": {"name": "food"},
    }
    with pytest.raises(ConfigError, match=r"systems\[0\]\.model: is missing"):
        Experiment.from_dict(content, tmp_path)
