"""Adaptsim in runs against the fake server: what goes over the wire, what the system reads, what is stored."""

import json
from random import Random

import pytest

from mysteryshopper.datasets import packaged_domain
from mysteryshopper.experiment import Experiment, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.local import LocalModel
from mysteryshopper.models.local_server import LocalServers, LocalSettings
from mysteryshopper.testing import FakeServer
from mysteryshopper.users.adaptsim import AdaptSimOptions, AdaptSimUser
from mysteryshopper.users.adaptsim.answering import ACTIONS


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def person(seen):
    """A model that thinks aloud in its JSON, and is content the third time."""
    if seen.door == "reply":
        return "How about a bakery?"
    number = sum(message["role"] == "assistant" for message in seen.body["messages"]) + 1
    told = {
        "thought": f"nobody else reads thought {number}",
        "action": f"take step {number}",
        "reply": f"step {number} of my search, if you please" + (" [END]" if number == 3 else ""),
    }
    if "response_format" in seen.body:
        return json.dumps(told)
    return "\n".join(f"{name.capitalize()}: {text}" for name, text in told.items())


def experiment(folder, url, people=2, protocol="conversation", systems=1, options=None, **model):
    lines = (
        {"id": f"p{n}", "wish": f"soup for evening {n}", "style": {"formality": "casual"}, "notes": {"basic": f"P{n}."}}
        for n in range(people)
    )
    (folder / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    writer = {"name": "any", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 90, **model}
    user = {"name": "u", "kind": "adaptsim", "model": "writer", "profiles": "people.jsonl"}
    content = {
        "protocol": protocol,
        "models": {"writer": writer},
        "users": [user],
        "systems": [
            {"name": f"shop{n}", "kind": "http", "url": f"{url}/reply", "memory": "messages"} for n in range(systems)
        ],
        "data": {"name": "food"},
        "options": options or {"guard": "flag"},
        "limits": {"turns": 4},
    }
    return Experiment.from_dict(content, folder)


def nodes(folder):
    _, store = open_run(folder)
    try:
        return list(store.dialogues())
    finally:
        store.close()


async def test_the_system_reads_replies_alone_and_the_run_keeps_the_rest(tmp_path):
    async with FakeServer(person) as server:
        await arun(experiment(tmp_path, server.url), tmp_path / "run")
        asked = [one.body for one in server.requests if one.door == "chat" and "response_format" in one.body]
        heard = " ".join(one.raw.decode() for one in server.requests if one.door == "reply")
    assert asked
    for body in asked:
        bound = body["response_format"]["json_schema"]
        assert bound["strict"] is True
        assert bound["schema"]["required"] == ["thought", "action", "reply"]
    assert "step 1 of my search" in heard
    assert "nobody else reads" not in heard
    assert "take step" not in heard
    for found in nodes(tmp_path / "run"):
        turns = [node for node in found.dialogue.nodes if node.side == "user"]
        assert (found.dialogue.ended, len(turns)) == ("user_done", 3)
        assert [node.turn_data["action"] for node in turns] == ["take step 1", "take step 2", "take step 3"]
        assert turns[1].turn_data["thought"] == "nobody else reads thought 2"
        assert all(node.turn_data["notes"]["style"] == {"formality": "informal"} for node in turns)
        assert len({node.prompt for node in turns}) == 1
        assert turns[0].prompt.startswith("users/adaptsim@")


async def test_an_endpoint_without_schemas_is_read_by_labels(tmp_path):
    async with FakeServer(person) as server:
        await arun(experiment(tmp_path, server.url, reply_format="text"), tmp_path / "run")
        assert not any("response_format" in one.body for one in server.requests)
    for found in nodes(tmp_path / "run"):
        turns = [node for node in found.dialogue.nodes if node.side == "user"]
        assert [node.turn_data["notes"]["reading"] for node in turns] == ["repaired"] * 3
        assert turns[2].messages[0].text == "step 3 of my search, if you please"


async def test_one_person_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    def muddled(seen):
        words = seen.raw.decode()
        return "no form at all" if seen.door == "chat" and "P0." in words else person(seen)

    async with FakeServer(muddled) as server:
        await arun(experiment(tmp_path, server.url), tmp_path / "run")
    ended = {found.unit.id: (found.dialogue.ended, found.dialogue.fault) for found in nodes(tmp_path / "run")}
    assert ended == {"p0": ("user_fault", "user"), "p1": ("user_done", "none")}


async def test_in_a_tree_sibling_requests_share_their_prefix_byte_for_byte(tmp_path):
    async with FakeServer(person) as server:
        options = {"guard": "flag", "controls": 0}
        made = experiment(tmp_path, server.url, people=1, protocol="tree", systems=2, options=options)
        await arun(made, tmp_path / "run")
        bodies = [one.body["messages"] for one in server.requests if "response_format" in one.body]
    deepest = max(map(len, bodies))
    siblings = [body for body in bodies if len(body) == deepest]
    assert len(siblings) >= 2
    assert len({json.dumps(body[:-1]) for body in siblings}) == 1  # both shops said the same here
    assert len({json.dumps(body[0]) for body in bodies}) == 1


async def test_the_plan_counts_one_call_a_turn_and_two_at_most(tmp_path):
    def calls(made):
        return next(row.calls for row in make_plan(made).rows if row.role == "user")

    made = experiment(tmp_path, "http://127.0.0.1:9")
    adaptsim = calls(made)
    plain = made.users[0].model_copy(update={"kind": "single-prompt"})
    single = calls(made.model_copy(update={"users": [plain]}))
    assert (adaptsim.least, adaptsim.expected, adaptsim.most) == (single.least, single.expected, 2 * single.most)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"actions": "fixed", "think": False}])
async def test_the_local_model_fills_the_form(options, talk, local_weights):
    local_weights("smollm2")
    pytest.importorskip("xllamacpp")
    server = LocalServers().get(LocalSettings(slots=1))

    class Direct:
        form = "completion"

        async def chat(self, request, address):
            return await LocalModel(ModelBlock(provider="local", max_tokens=200), server).answer(request, address, 1)

    try:
        user = AdaptSimUser(Direct(), AdaptSimOptions(**options), domain=packaged_domain("food"))
        view = talk.view(talk.said("somewhere quiet?"), talk.heard("Which part of town?"), turn=2)
        turn, _ = await user.speak(view, user.start(view.scenario, Random(1)))
    finally:
        server.close()
    assert turn.text
    assert turn.action in ACTIONS if options else turn.action
    assert bool(turn.thought) is not bool(options)
    assert turn.raw.lstrip().startswith("{")
