"""`base-crs` and `agent-crs` in each domain, behind an endpoint that does what their prompts ask and nothing more."""

import json
import re

import pytest

from mysteryshopper import Experiment, arun
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.systems.words import content_words
from mysteryshopper.testing import FakeServer


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def obey(seen):
    """Note down all that the person said, and name the first three things of the list that the prompt holds."""
    messages = seen.body["messages"]
    everything = "\n".join(one["content"] for one in messages)
    if "Write one JSON object with these keys" in messages[-1]["content"]:
        said = re.findall(r"<<(\w+)\n(.*?)\n\1>>", everything, re.S)
        notes = {"constraints": [], "likes": [content_words(text) for _, text in said], "dislikes": [], "rejected": []}
        return json.dumps({**notes, "plan": "They said something.", "action": "recommend", "aim": ""})
    stock = re.split("take titles from", everything, flags=re.IGNORECASE)[-1]
    offered = re.findall(r"^- ([^,\n]+), \w[\w ]*: ", stock, re.M)
    return "You could try " + "; ".join(offered[:3]) + "." if offered else "What would you like?"


@pytest.mark.parametrize("name", ["food", "beauty", "shop", "films"])
async def test_they_serve_people_from_the_stock(name, tmp_path):
    async with FakeServer(obey) as server:
        model = {"provider": "openai", "name": "m", "base_url": server.base_url, "temperature": 0, "max_tokens": 400}
        made = Experiment(
            protocol="conversation",
            seed=3,
            models={"m": model},
            users=[{"kind": "agenda", "profiles": {"generate": 8}}],
            systems=[{"kind": "base-crs", "model": "m"}, {"kind": "agent-crs", "model": "m"}, {"kind": "random"}],
            data={"name": name},
            limits={"turns": 4},
        )
        ran = await arun(made, tmp_path / "run")
        asked = [body["messages"][0]["content"] for body in server.bodies("/v1/chat/completions")]
    rows = ran.table("dialogues").to_pylist()
    assert {row["fault"] for row in rows} == {"none"}
    won = {
        kind: sum(bool(row["success"]) for row in rows if row["system"] == kind)
        for kind in ("base-crs", "agent-crs", "random")
    }
    assert min(won["base-crs"], won["agent-crs"]) > won["random"]
    data = load(DataBlock(name=name))
    agents = [text for text in asked if text.startswith("You advise people")]
    assert agents
    assert all(f"The field: {data.domain}." in text for text in agents)
    for attribute in {name for item in data.items() for name in item.attributes}:
        assert f"\n- {attribute}, such as " in agents[0]
    replies = sum(row["role"] == "system" and row["system"] == "agent-crs" for row in _turns(ran))
    assert sum("/agent-crs/" in row["address"] for row in ran.table("calls").to_pylist()) == 2 * replies


def _turns(ran):
    systems = {row["dialogue"]: row["system"] for row in ran.table("dialogues").to_pylist()}
    return [{**row, "system": systems[row["dialogue"]]} for row in ran.table("turns").to_pylist()]
