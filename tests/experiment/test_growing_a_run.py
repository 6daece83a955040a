"""A grown experiment that turns out to have a mistake changes nothing, so that it can be mended."""

import json

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, measure_again, resume, run

PROFILES = '{"id": "ann", "wish": "a comedy"}\n{"id": "bob", "wish": "a war film"}\n'


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def experiment(folder, *systems, **changes):
    (folder / "people.jsonl").write_text(PROFILES)
    (folder / "shop.py").write_text("def reply(messages, session):\n    return 'ok'\n")
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}],
        "systems": [{"name": "shop", "kind": "python", "function": "shop:reply"}, *systems],
        "limits": {"turns": 1},
        **changes,
    }
    return Experiment.from_dict(content, folder)


MISTAKES = {
    "no such function": {"name": "rival", "kind": "python", "function": "shop:nope"},
    "no such variable": {
        "name": "rival",
        "kind": "http",
        "url": "http://127.0.0.1:9/reply",
        "headers": {"X-Key": {"env": "NO_SUCH_KEY"}},
    },
}


@pytest.mark.parametrize("rival", MISTAKES.values(), ids=MISTAKES)
def test_a_block_that_cannot_be_built_leaves_the_run_as_it_was(tmp_path, rival):
    first = run(experiment(tmp_path), tmp_path / "run")
    before = (tmp_path / "run" / "experiment.yaml").read_text()
    with pytest.raises(ConfigError, match=r"systems\[1\]"):
        resume(tmp_path / "run", experiment(tmp_path, rival))
    assert (tmp_path / "run" / "experiment.yaml").read_text() == before
    assert measure_again(tmp_path / "run").summary == first.summary
    mended = {"name": "rival", "kind": "python", "function": "shop:reply"}
    assert resume(tmp_path / "run", experiment(tmp_path, mended)).summary["units"]["complete"] == 4


def test_a_run_that_was_planned_but_not_begun_survives_a_missing_variable(tmp_path, monkeypatch):
    block = {"name": "web", "kind": "http", "url": "http://127.0.0.1:9/r", "headers": {"X-Key": {"env": "SHOP_KEY"}}}
    monkeypatch.setenv("SHOP_KEY", "x" * 20)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    from mysteryshopper.experiment import sitting

    chosen = experiment(tmp_path, block, limits={"turns": 1, "retries": 0})
    with monkeypatch.context() as patch:
        patch.setattr(sitting, "simulate", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(chosen, tmp_path / "run")
    monkeypatch.delenv("SHOP_KEY")
    with pytest.raises(ConfigError, match="SHOP_KEY"):
        resume(tmp_path / "run")
    monkeypatch.setenv("SHOP_KEY", "x" * 20)
    done = resume(tmp_path / "run")
    assert done.summary["units"]["planned"] == 4
    assert done.summary["units"]["faults"]["system"] == 2
    assert json.loads((tmp_path / "run" / "summary.json").read_text()) == done.summary
