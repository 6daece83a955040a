"""The bot of the how-to on iEvaLM goes through every setting after changing one block."""

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mysteryshopper import Experiment, run

PAGE = (Path(__file__).parent.parent / "docs/howto/ievalm-own-recommender.md").read_text("utf-8")
ITEMS = """\
id,title,year,genre,director
1,Jaws,1975,thriller,Ada Brook
2,Coco,2017,family,Ben Cole
3,Fargo,1996,crime,Cy Dunn
4,Nine Winters,1987,drama,Di Eves
"""
TALKS = """\
{"id": "d1", "messages": [{"role": "user", "content": "Jaws?"}, {"role": "assistant", "content": "So", "items": [2]}]}
{"id": "d2", "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "So", "items": [3]}]}
"""


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)[1]


@pytest.fixture
def bot(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "bot.py").write_text(block("python").replace("9001", str(port)), "utf-8")
    with subprocess.Popen([sys.executable, str(tmp_path / "bot.py")], stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/reply"
        finally:
            process.kill()


def test_it_ranks_chooses_and_chats(bot, tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(ITEMS)
    (tmp_path / "data" / "dialogues.jsonl").write_text(TALKS)
    content = yaml.safe_load(block("yaml"))
    content["data"] = {"path": "data"}
    content["users"] = [{"name": "shopper", "kind": "scripted", "options": {"wish_first": True, "on_hit": "That!"}}]
    content["systems"] = [{"name": "mine", "kind": "http", "url": bot}]
    content["options"] |= {"setting": ["original", "attribute", "free"], "ks": [1, 2]}
    done = run(Experiment.from_dict(content, tmp_path), out=tmp_path / "run")
    assert done.exit_code == 0, [row["detail"] for row in done.table("dialogues").to_pylist()]
    # d1: Jaws was said, so the list begins with Coco; d2: Jaws, Coco, Fargo
    recall = {k: done.metric(f"label_recall@{k}", setting="original", leaks="all").estimate.value for k in (1, 2)}
    assert recall == {1: 0.5, 2: 0.5}
    assert done.metric("questions", setting="attribute", leaks="all").estimate.value == 2  # genre and director
    assert done.metric("unread_choices", setting="attribute", leaks="all").estimate.value == 0
    assert done.metric("ever_hit", setting="free", leaks="all").estimate.value == 1.0
