"""CSV out: no cell runs in a spreadsheet; JSON keeps everything as it was."""

import csv
import json

import pytest

from mysteryshopper.datasets import write_csv


@pytest.mark.parametrize("text", ['=HYPERLINK("http://x","y")', "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_are_made_harmless(tmp_path, text):
    write_csv(tmp_path / "a.csv", ["review"], [{"review": text}])
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["review"], ["'" + text]]
    assert json.loads(json.dumps({"review": text}))["review"] == text


def test_numbers_plain_texts_and_missing_cells_stay(tmp_path):
    rows = [{"a": -1.5, "b": 'say "hi",\nthen =1', "c": None, "d": "not asked for"}]
    write_csv(tmp_path / "a.csv", ["a", "b", "c"], rows)
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file))[1] == ["-1.5", 'say "hi",\nthen =1', ""]
