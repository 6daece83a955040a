"""The bot that just talks: who it is told to be, what it is asked, and talks without anything to recommend."""

import pytest

from mysteryshopper import Experiment, arun
from mysteryshopper.core import Address, CallFailed, ConfigError, History, Message, Opening
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.systems.persona import ChatPersona
from mysteryshopper.testing import FakeServer, Reply, check_system

KEEPER = "Ansa, who keeps a lighthouse and collects buttons.\nShe hums."


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def said(*texts):
    roles = ("user", "assistant")
    messages = tuple(Message(roles[place % 2], text) for place, text in enumerate(texts))
    return History(messages, 1, Address(unit="u", role="system", component="ansa"))


async def answer(model, history):
    async with ChatPersona(model, KEEPER, seed=7).open(Opening("s"), history) as session:
        return await session.reply(history)


@pytest.mark.parametrize("form", ["chat", "completion"])
async def test_it_keeps_the_contract(form):
    assert SYSTEMS.load("chat-persona") is ChatPersona
    model = ScriptedModel(lambda request, address: "The fog is thick today.", form=form)
    await check_system(ChatPersona(model, KEEPER))


async def test_it_is_told_who_it_is_and_what_others_say_is_fenced():
    model = ScriptedModel(["<think>hm</think>The sea is loud."])
    reply = await answer(model, said("hi", "Hello!", "print your notes"))
    system, first, own, last = model.requests[0][0].messages
    assert KEEPER in system.content
    opening = last.content.splitlines()[0]
    assert opening in system.content
    assert last.content == f"{opening}\nprint your notes\n{opening.removeprefix('<<')}>>"
    assert (own.role, own.content) == ("assistant", "Hello!")
    assert first.content.startswith(opening)
    assert (reply.messages, reply.items, reply.calls) == (("The sea is loud.",), (), ("scripted-1",))
    assert model.requests[0][0].prompt.startswith("systems/chat-persona@")


async def test_a_model_that_continues_text_gets_the_persona_on_a_line():
    model = ScriptedModel(["It is."], form="completion")
    await answer(model, said("windy today"))
    told = model.requests[0][0].completion
    assert "One of them is Ansa, who keeps a lighthouse and collects buttons. She hums." in told
    assert told.splitlines()[-2:] == ["Other: windy today", "Me:"]


async def test_its_models_failure_is_passed_on_as_it_is():
    with pytest.raises(CallFailed) as caught:
        await answer(ScriptedModel([CallFailed("503", ended="http_error", fault="infra")]), said("hi"))
    assert caught.value.fault == "infra"


def experiment(folder, options, protocol="conversation", url="http://127.0.0.1:9/v1", **more):
    model = {"provider": "openai", "name": "m", "base_url": url, "temperature": 0.7, "max_tokens": 80}
    bot = {"kind": "chat-persona", "model": "m"}
    content = {
        "protocol": protocol,
        "seed": 3,
        "models": {"m": model},
        "users": [{"name": "guest", "kind": "single-prompt", "model": "m", "profiles": {"generate": 4}}],
        "systems": [{**bot, "name": "ansa", "options": options}, {**bot, "name": "bo", "options": {"persona": "Bo."}}],
        "data": {"name": "chitchat"},
        "limits": {"turns": 2},
        **more,
    }
    return Experiment.from_dict(content, folder)


@pytest.mark.parametrize("options", [{}, {"persona": " "}, {"persona": "Bo.", "file": "bo.txt"}])
def test_it_must_be_told_in_one_way_who_it_is(options, tmp_path):
    with pytest.raises(ConfigError, match=r"systems\[0\].options.*say who it is"):
        experiment(tmp_path, options)


@pytest.mark.parametrize("text", [None, "", b"\xff\xfe\xff"])
async def test_a_file_that_tells_nothing_is_refused(text, tmp_path):
    if text is not None:
        (tmp_path / "who.txt").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigError, match=r"^systems\[0\]\.options\.file: .*who\.txt (?:can't be read|is empty)"):
        await arun(experiment(tmp_path, {"file": "who.txt"}), tmp_path / "run")


def talk(seen):
    """Answer as a person or as a bot, by who is asked; each time in other words."""
    words = f"{seen.number} trains went by" if "Your message:" in seen.text else f"the light turned {seen.number} times"
    return Reply(words)


@pytest.mark.parametrize("protocol", ["conversation", "tree"])
async def test_people_talk_with_two_bots_and_nobody_counts_success(protocol, tmp_path):
    (tmp_path / "who.txt").write_text(KEEPER, "utf-8")
    async with FakeServer(talk) as server:
        made = experiment(tmp_path, {"file": "who.txt"}, protocol, server.base_url, judges=[{"kind": "rules-pair"}])
        done = await arun(made, tmp_path / "run")
        systems = [body["messages"][0]["content"] for body in server.bodies("/v1/chat/completions")]
    assert any(KEEPER in told for told in systems)
    assert any("Bo." in told for told in systems)
    assert any("feels like having a chat" in told for told in systems)
    assert not any("recommender" in told for told in systems)
    assert (
        done.summary["units"]["complete"]
        == done.summary["units"]["planned"]
        == (8 if protocol == "conversation" else 4)
    )
    turns = done.table("turns").to_pylist()
    assert all(row["items"] in ("[]", None) for row in turns)
    assert {row["success"] for row in done.table("dialogues").to_pylist()} == {None}
    if protocol == "conversation":
        for name in ("success", "wanted_shown", "turns_to_success"):
            found = done.metric(name, system="ansa").estimate
            assert (found.value, found.n) == (None, 0)
            assert "looked up in a catalogue" in found.reason
    else:
        assert not [one for one in done.metrics if one.name == "wanted_shown"]
        assert done.metric("root_win_rate", system="ansa", criterion="overall").estimate.clusters == 4
