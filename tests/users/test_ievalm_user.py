"""iEvaLM's seeker: the one that knows attributes, and the published one with its targets and its two transcripts."""

from random import Random

import pytest

from mysteryshopper.core import History, InsiderView, Item, Message, Profile, Scenario, Shown
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.testing import check_user
from mysteryshopper.users import USERS
from mysteryshopper.users.ievalm import IEvaLMUser, PublishedIEvaLMUser, _gives_away

CLOCK = Item("t1", "The Salt Clock", 2004)


def insider(*messages, shown=(), turn=1):
    scenario = Scenario("s", Profile("anna", attributes={"genre": ("comedy",)}), "films")
    return InsiderView(scenario, History(tuple(messages)), tuple(shown), turn=turn, targets=(CLOCK,))


@pytest.mark.parametrize("form", ["chat", "completion"])
@pytest.mark.parametrize("kind", ["ievalm", "ievalm-published"])
async def test_they_keep_the_contract(kind, form):
    model = ScriptedModel(lambda request, address: "4" if address.purpose == "rating" else "hm, what else?", form=form)
    await check_user(USERS.load(kind)(model))


def test_only_the_published_one_sees_targets():
    assert getattr(IEvaLMUser, "sees_targets", False) is False
    assert PublishedIEvaLMUser.sees_targets is True


async def test_the_fixed_one_knows_attributes_and_takes_what_was_shown(talk):
    model = talk.model("lovely, that one")
    profile = Profile("anna", attributes={"genre": ("comedy",), "star": ("Ada Quill",)})
    seen = talk.view(talk.said("hi"), talk.heard("look", talk.clock), shown=[Shown(talk.clock, True)], profile=profile)
    user = IEvaLMUser(model)
    turn, _ = await user.speak(seen, user.start(seen.scenario, Random(1)))
    assert "You hope for this star: Ada Quill" in model.asked()
    assert (turn.accepts, turn.end) == (("t1",), "done")


async def test_the_published_one_is_told_its_target_and_runs_as_published(talk):
    model = talk.model("i like clocks")
    user = PublishedIEvaLMUser(model)
    await user.speak(insider(), user.start(insider().scenario, Random(1)))
    request = model.requests[0]
    assert request.messages[0].content.count('"The Salt Clock (2004)"') == 4
    assert (request.temperature, request.max_tokens, request.stop) == (0, 128, ("Recommender",))


async def test_two_transcripts_the_system_reads_what_its_own_one_loses(talk):
    model = talk.model("I like clocks. The Salt Clock is what I want.", "no")
    user = PublishedIEvaLMUser(model)
    turn, state = await user.speak(insider(), user.start(insider().scenario, Random(1)))
    assert turn.text == "I like clocks. The Salt Clock is what I want."
    assert state["said"] == ["Sorry, I like clocks."]
    seen = insider(talk.said(turn.text), Message("assistant", "And?"), turn=2)
    await user.speak(seen, state)
    assert "Seeker: Sorry, I like clocks." in model.asked()
    assert "The Salt Clock is what I want" not in model.asked()


async def test_what_people_said_before_stays_in_its_transcript_as_it_was(talk):
    model = talk.model("no")
    user = PublishedIEvaLMUser(model)
    start = user.start(insider().scenario, Random(1))
    await user.speak(insider(Message("user", "people said this", author="human"), talk.heard("k")), start)
    assert "Seeker: people said this" in model.asked()


@pytest.mark.parametrize(
    ("title", "year", "sentence", "dropped"),
    [
        ("Police Academy", None, "I love Police Academy.", False),
        ("Panic Room", None, "I want Panic Room.", False),
        ("Up", 2009, "I like Up (2009).", False),
        ("Super Troopers", None, "Super Troopers is what I want.", True),
    ],
)
def test_the_published_filter_misses_what_it_is_known_to_miss(title, year, sentence, dropped):
    assert _gives_away(sentence, [Item("1", title, year)]) is dropped
