"""A system that crashes while it ranks has failed, and its crash is counted against it."""

import pytest

from mysteryshopper.core import CallFailed, ConfigError, Scored, StopRun
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.systems.random import RandomSystem

ITEMS = "id,title,year\n1,Lantern Road,1998\n2,Nine Winters,1987\n"
TALKS = """\
{"id": "d1", "messages": [{"role": "user", "content": "Funny?"}, {"role": "assistant", "content": "So", "items": [1]}]}
{"id": "d2", "messages": [{"role": "user", "content": "Long?"}, {"role": "assistant", "content": "So", "items": [2]}]}
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def rank_with(folder, system):
    (folder / "data").mkdir()
    (folder / "data" / "items.csv").write_text(ITEMS)
    (folder / "data" / "dialogues.jsonl").write_text(TALKS)
    content = {
        "protocol": "ievalm",
        "systems": [system],
        "data": {"path": "data"},
        "options": {"ks": [1]},
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def fragile(messages, session):
    if messages[0]["content"] == "Funny?":
        raise RuntimeError("out of stock")
    return {"content": "", "items": [{"id": "2"}]}


def check(done):
    assert done.summary["units"]["faults"] == {"user": 0, "system": 1, "judge": 0, "infra": 0}
    recall = done.metric("label_recall@1", leaks="all").estimate
    assert (recall.value, recall.n, recall.bounds) == (0.5, 2, None)
    assert {row["detail"] for row in done.table("dialogues").to_pylist()} == {"", "RuntimeError: out of stock"}


def test_a_function_that_raises_is_a_miss(tmp_path):
    check(rank_with(tmp_path, {"name": "shop", "kind": "python", "function": fragile}))


async def _rank(self, history, k):
    if history.messages[0].text == "Funny?":
        raise self.error
    return [Scored("2", 1.0)]


def test_a_ranker_that_raises_is_a_miss(tmp_path, monkeypatch):
    monkeypatch.setattr(RandomSystem, "rank", _rank)
    monkeypatch.setattr(RandomSystem, "error", RuntimeError("out of stock"), raising=False)
    check(rank_with(tmp_path, {"kind": "random"}))


def test_what_the_infrastructure_does_is_left_out_and_bounds_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(RandomSystem, "rank", _rank)
    monkeypatch.setattr(RandomSystem, "error", CallFailed("too busy", ended="http_error"), raising=False)
    done = rank_with(tmp_path, {"kind": "random"})
    recall = done.metric("label_recall@1", leaks="all").estimate
    assert (recall.value, recall.n, recall.bounds) == (1.0, 1, (0.5, 1.0))


def test_a_system_that_cannot_be_used_at_all_stops_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(RandomSystem, "rank", _rank)
    monkeypatch.setattr(RandomSystem, "error", ConfigError("there are no weights"), raising=False)
    with pytest.raises(StopRun, match="no weights"):
        rank_with(tmp_path, {"kind": "random"})
