"""A run can be measured and reported where the packages of its users, systems and judges are not installed."""

import shutil

import pytest
from plugin import write_plugin

from mysteryshopper.cli.main import run as command_line
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, measure_again, resume, run

SHY = """
    from mysteryshopper.core import UserTurn

    class Shy:
        @classmethod
        def build(cls, options, parts):
            return cls()

        def start(self, scenario, rng):
            return {}

        async def speak(self, view, state):
            return UserTurn("Hello?"), state
"""


def test_only_going_on_needs_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "people.jsonl").write_text('{"id": "ann"}\n{"id": "bob"}\n')
    (tmp_path / "shop.py").write_text("def reply(messages, session):\n    return 'ok'\n")
    folder = write_plugin(tmp_path / "plugins", SHY, users={"shy": "Shy"})
    content = {
        "protocol": "conversation",
        "users": [{"kind": "shy", "profiles": "people.jsonl"}],
        "systems": [{"name": "shop", "kind": "python", "function": "shop:reply"}],
        "limits": {"turns": 1, "units": 1},
    }
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder)
        first = run(Experiment.from_dict(content, tmp_path), tmp_path / "run")
    shutil.rmtree(folder)
    (tmp_path / "shop.py").unlink()
    assert measure_again(tmp_path / "run").summary == first.summary
    assert command_line(["report", str(tmp_path / "run")]) == 0
    with pytest.raises(ConfigError, match=r"users\[0\]\.kind: there is no user kind 'shy'"):
        Experiment.from_dict({**content, "limits": {"turns": 1, "units": 2}}, tmp_path)
    assert resume(tmp_path / "run").ran == 0  # it is complete
