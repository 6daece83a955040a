"""What judges say of chats: persuasiveness by hit and miss, and seekers against each other and against people."""

import json

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, run

ITEMS = "id,title,year,genre\n1,Toy Parade,1995,animation\n2,Glass Harbour,2011,crime\n4,Lantern Road,1998,drama\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def talk(name, first, second):
    said = [
        {"role": "user", "content": f"Hello {name}"},
        {"role": "assistant", "content": "So", "items": [first]},
        {"role": "user", "content": "Hm, not that, something else"},
        {"role": "assistant", "content": "Then", "items": [second]},
    ]
    return {"id": name, "messages": said}


def judged(folder, judges, **options):
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "items.csv").write_text(ITEMS)
    talks = [talk("d1", 4, 1), talk("d2", 1, 4)]
    (folder / "data" / "dialogues.jsonl").write_text("".join(json.dumps(one) + "\n" for one in talks))
    script = {"turns": ["Hmm.", "What else?"], "on_hit": "That one, thanks."}
    other = {"turns": ["Well well.", "No no."], "on_hit": "Taken."}
    content = {
        "protocol": "ievalm",
        "users": [
            {"name": "plain", "kind": "scripted", "options": script},
            {"name": "other", "kind": "scripted", "options": other},
        ],
        "systems": [{"name": "shop", "kind": "python", "function": lambda messages, session: "Lantern Road (1998)!"}],
        "data": {"path": "data"},
        "options": {"setting": "free", "ks": [1, 2], "guard": "off", **options},
        "limits": {"turns": 1},
        "models": {
            "two": {
                "provider": "scripted",
                "params": {"replies": ['{"persuasiveness": 2, "explanation_relevance": 1}']},
            },
            "first": {"provider": "scripted", "params": {"replies": ['{"naturalness": "A", "usefulness": "tie"}']}},
        },
        "judges": judges,
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def test_scores_stand_apart_for_hits_and_misses(tmp_path):
    done = judged(tmp_path, [{"name": "p", "kind": "persuasiveness", "model": "two"}])
    hits = {
        metric.group["hit"]: metric.estimate.n
        for metric in done.metrics
        if metric.name == "score_by_hit"
        and metric.group["criterion"] == "persuasiveness"
        and metric.group["user"] == "plain"
    }
    assert hits == {"yes": 2, "no": 2}
    share = done.metric("score_share", user="plain", criterion="persuasiveness", score="2").estimate
    assert (share.value, share.n) == (1.0, 4)
    relevance = done.metric("score_share", user="plain", criterion="explanation_relevance", score="1")
    assert relevance.estimate.value == 1.0
    assert done.metric("score", user="plain", criterion="persuasiveness").estimate.value == 2.0


def test_a_judges_scores_are_held_against_peoples(tmp_path):
    judges = [{"name": "p", "kind": "persuasiveness", "model": "two"}]
    done = judged(tmp_path, judges, people={"persuasiveness": {0: 4, 1: 7, 2: 89}})
    far = done.metric("score_distance", user="plain", criterion="persuasiveness")
    assert far.estimate.value == pytest.approx(0.11)  # all are 2 here, 89 % with people
    assert (far.estimate.n, far.better) == (4, "lower")
    assert [metric.group["criterion"] for metric in done.metrics if metric.name == "score_distance"] == [
        "persuasiveness",
        "persuasiveness",
    ]
    with pytest.raises(ConfigError, match="persuasiveness"):
        judged(tmp_path / "bad", judges, people={"persuasiveness": {0: 0}})


def test_seekers_are_compared_in_both_orders_with_each_other_and_with_people(tmp_path):
    judges = [
        {"name": "s", "kind": "simulators", "model": "first"},
        {"name": "p", "kind": "persuasiveness", "model": "two"},
    ]
    done = judged(tmp_path, judges, compare_users=True)
    pairs = {
        (metric.group["user"], metric.group["versus"]): metric.estimate
        for metric in done.metrics
        if metric.name == "win_rate" and metric.group["criterion"] == "naturalness"
    }
    assert pairs["plain", "other"].n == 4, "every turn, one system"
    assert pairs["plain", "people"].n == 2, "only where the data goes on after the turn"
    assert pairs["plain", "other"].value == 0.5, "whoever is shown first wins: inconsistent, so nobody is ahead"
    assert all(metric.group.get("about") == "users" for metric in done.metrics if metric.name == "win_rate")
    assert not any(metric.group.get("system") in ("plain", "other", "people") for metric in done.metrics)


def test_seekers_are_not_shown_to_judges_of_systems(tmp_path):
    judges = [{"name": "p", "kind": "pairwise", "model": "first"}]
    done = judged(tmp_path, judges, compare_users=True)
    assert not any(metric.name == "win_rate" for metric in done.metrics), "one system: there is no pair of systems"
