"""What an endpoint may cache: requests of branches that part late begin with the same bytes up to where they part."""

import json
from itertools import combinations

import pytest

from mysteryshopper.experiment import Experiment, arun
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.testing import FakeServer


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("temperature", [0, 0.7])
async def test_requests_of_branches_are_equal_byte_for_byte_up_to_where_they_part(tmp_path, temperature):
    (tmp_path / "people.jsonl").write_text('{"id": "p", "wish": "something with trains"}\n')
    async with FakeServer("numbered") as server:
        names = ("one", "two", "u")
        url = f"{server.url}/v1"
        made = {
            "protocol": "tree",
            "models": {name: {"name": name, "base_url": url, "temperature": temperature} for name in names},
            "users": [{"name": "u", "kind": "single-prompt", "model": "u", "profiles": "people.jsonl"}],
            "systems": [{"name": name, "kind": "openai", "model": name} for name in names[:2]],
            "options": {"guard": "off"},
            "limits": {"turns": 3},
        }
        await arun(Experiment.from_dict(made, tmp_path), tmp_path / "run")
        raws = [one.raw for one in server.requests]
    _, store = open_run(tmp_path / "run")
    (stored,) = list(store.dialogues())
    store.close()
    nodes = {node.id: node for node in stored.dialogue.nodes}
    said = {name: node.messages[0].text for name, node in nodes.items()}
    assert len(set(said.values())) == len(said)  # every text tells its node
    found = 0
    for side in names:
        asked = {
            name: raw
            for name, node in nodes.items()
            if node.parent is not None and node.seen_by[0] == side
            for raw in raws
            if answers(raw, said[node.parent]) and json.loads(raw)["model"] == side
        }
        assert len(asked) == {"one": 7, "two": 7, "u": 6}[side]
        for first, second in combinations(asked, 2):
            shared = common(first, second)
            if shared:
                found += 1
                text = json.dumps(said[shared])[1:-1].encode()
                end = asked[first].index(text) + len(text)
                assert asked[first][:end] == asked[second][:end]
    assert found == 21 + 21 + 15  # every two of a side: all share the opening


def answers(raw, text):
    return text in json.loads(raw)["messages"][-1]["content"].split("\n")  # a fence stands around what users read


def common(first, second):
    """Return the path of the last node that two nodes' histories share."""
    shared = []
    for one, other in zip(first.split(".")[:-1], second.split(".")[:-1], strict=False):
        if one != other:
            break
        shared.append(one)
    return ".".join(shared)
