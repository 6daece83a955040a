"""A user whose every line shows its prompt, installed for a test."""

import json
from pathlib import Path

import pytest
from optimising import PEOPLE, USER
from plugin import write_plugin


@pytest.fixture
def told_user(tmp_path, monkeypatch) -> Path:
    """Install the user kinds `told` and `slotted`, and write `people.jsonl`; returns the folder."""
    plugin = write_plugin(tmp_path / "plugin", USER, users={"told": "Told", "slotted": "Slotted"})
    monkeypatch.syspath_prepend(plugin)
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    people = ({"id": f"person-{n}", "wish": f"a quiet film for evening {n}"} for n in range(PEOPLE))
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people), "utf-8")
    return tmp_path
