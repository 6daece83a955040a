"""`data check`: every problem of a file, with its line."""

import gzip

import pytest

from mysteryshopper.core import DataError
from mysteryshopper.datasets import check


def test_all_problems_are_listed_with_their_lines(write):
    path = write(
        "items.csv", "id,title,year\n1,Low Tide,1990\n2,,1991\n3,Brine,20x1\n4,Ebb\n1,Other,1990\n5,Oak,1980\n"
    )
    checked = check(path)
    assert (checked.kind, checked.good) == ("items", 2)
    assert [problem.split(": ", 1)[0] for problem in checked.problems] == [f"{path}:{line}" for line in (3, 4, 5, 6)]
    assert "got '20x1'" in checked.problems[1]


def test_ratings_note_repeats_and_conflicts(write):
    path = write("r.csv", "user,item,stars\na,x,4\na,x,4\nb,x,2\nb,x,5\nc,x,n/a\nd,,3\n")
    checked = check(path)
    assert (checked.kind, checked.good, len(checked.problems)) == ("ratings", 2, 2)
    assert checked.notes[0] == "1 exact repeats are dropped"
    assert checked.notes[1].startswith(f"{path}:4: 'b' rated 'x' twice and differently; line 5 is newer")


def test_dialogues_with_broken_lines(write):
    good = '{"id": "1", "messages": [{"role": "user", "content": "Hi"}]}'
    checked = check(write("d.jsonl", f"{good}\n{{\n{good}\n"))
    assert (checked.kind, checked.good) == ("dialogues", 1)
    assert [problem.split("jsonl:")[1].split(":")[0] for problem in checked.problems] == ["2", "3"]


def test_the_kind_can_be_said(write):
    checked = check(write("r.csv", "id,title\n1,Low Tide\n"), kind="ratings")
    assert (checked.kind, checked.good) == ("ratings", 0)
    assert "expected an id in 'user'" in checked.problems[0]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.csv", b"id,title\n1,Caf\xe9\n", "a.csv:2: byte 0xe9"),
        ("a.csv", b"id,title\n1,Tea\n2,Caf\xe9\n", "a.csv:3: byte 0xe9"),
        ("a.csv", b"", "expected at least one row of items"),
        ("a.csv", b"id,id\n1,2\n", "a.csv:1: the column name 'id' occurs twice"),
        ("a.jsonl.gz", gzip.compress(b'{"id": "1", "title": "A"}\n' * 9999)[:-40], "cut or broken"),
    ],
)
def test_a_file_that_breaks_off_is_reported_too(write, name, content, problem):
    assert any(problem in found for found in check(write(name, content)).problems)


def test_a_missing_file_or_unknown_ending_is_an_error(tmp_path, write):
    with pytest.raises(DataError, match="is not known"):
        check(write("a.docx", b""))
    assert "can't be opened" in check(tmp_path / "gone.csv").problems[0]
