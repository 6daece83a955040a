"""Where nothing in particular is wanted, or it can't be known whether it was shown, there is no success to count."""

import pytest

from mysteryshopper.experiment import Experiment, run

_VAGUE = '{"id": "ann", "wish": "something to pass an evening"}\n{"id": "bob", "wish": "company"}\n'
_EXACT = '{"id": "ann", "attributes": {"genre": ["comedy"]}}\n{"id": "bob", "attributes": {"genre": ["war"]}}\n'


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def talk(folder, profiles, shop):
    (folder / "people.jsonl").write_text(profiles)
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}],
        "systems": [{"name": "shop", "kind": "python", "function": shop}],
        "limits": {"turns": 1},
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def polite(messages, session):
    return {"content": "Here.", "items": [{"id": "1", "title": "Lantern Road"}]}


def fragile(messages, session):
    raise RuntimeError("out of stock")


@pytest.mark.parametrize("shop", [polite, fragile])
@pytest.mark.parametrize("profiles", [_VAGUE, _EXACT], ids=["no goal", "goal without a catalogue"])
@pytest.mark.parametrize("name", ["success", "wanted_shown"])
def test_it_is_undefined_with_a_reason(tmp_path, profiles, shop, name):
    done = talk(tmp_path, profiles, shop)
    found = done.metric(name, system="shop").estimate
    assert (found.value, found.n, found.bounds) == (None, 0, None)
    assert found.reason
    assert done.summary["units"]["faults"]["system"] == (2 if shop is fragile else 0)
