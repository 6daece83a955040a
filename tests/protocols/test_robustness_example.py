"""The tables of `docs/protocols/robustness.md` are what the example gives (but for the embedding model's column)."""

import re
from pathlib import Path

import pytest
import yaml

from mysteryshopper.experiment import Experiment, run

ROOT = Path(__file__).parents[2]
SYSTEMS = ("attribute-asker", "lexical", "embedding", "random")
RATE = "0.5"


def tables():
    """Return the rows of both tables, by kind of noise: cells by system."""
    text = (ROOT / "docs/protocols/robustness.md").read_text("utf-8").partition("## An example, as it is")[2]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", text.partition("\n## ")[0], re.M)
    half = len(rows) // 2
    return [
        {kind: dict(zip(SYSTEMS, cells.split(" | "), strict=False)) for kind, cells in part}
        for part in (rows[:half], rows[half:])
    ]


def cell(point, trend):
    """Return a value with its interval and the trend's p, as the page writes them."""
    between = "" if point["low"] is None else f" [{point['low']:.2f}, {point['high']:.2f}]"
    p = trend["p"]
    chance = "p < .001" if p < 0.001 else "p = 1" if p == 1 else f"p = {p:.3f}".replace("0.", ".", 1)
    return f"{point['value']:.2f}{between}, {chance}"


@pytest.mark.slow
def test_the_page_shows_what_the_example_gives(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    content = yaml.safe_load((ROOT / "examples/robustness-shop.yaml").read_text("utf-8"))
    content["systems"] = [block for block in content["systems"] if block["kind"] != "embedding"]
    found = run(Experiment.from_dict(content, tmp_path), tmp_path / "run").summary["metrics"]

    def one(name, system, noise, **group):
        wanted = {"system": system, "noise": noise, **group}.items()
        return next(row for row in found if row["name"] == name and wanted <= row["group"].items())

    judged, served = tables()
    assert list(judged) == list(served) == content["options"]["noise"]
    overall = {"judge": "rules", "criterion": "overall"}
    for system in (block["name"] for block in content["systems"]):
        for noise in judged:
            point = one("noisy_win_rate", system, noise, rate=RATE, **overall)
            assert judged[noise][system] == cell(point, one("robustness_trend", system, noise, **overall))
            assert one("noisy_win_rate", system, noise, rate="0", **overall)["value"] == 0.5
            point = one("wanted_shown_noisy", system, noise, rate=RATE)
            assert served[noise][system] == cell(point, one("wanted_shown_trend", system, noise))
