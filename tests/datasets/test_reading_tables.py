"""Files as they come: byte order marks, line ends, quotes, encodings, packed or not, broken or not."""

import gzip
import json
import math

import pyarrow
import pyarrow.parquet
import pytest

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets.fields import as_id
from mysteryshopper.datasets.rows import read_rows, read_separated


def values(path, encoding="utf-8"):
    return [dict(row.values) for row in read_rows(path, encoding)]


def test_quoted_commas_quotes_and_newlines_make_one_row(write):
    path = write("reviews.csv", 'id,text,stars\nr1,"Good start.\nThen ""flat"", sadly.",3\n')
    assert values(path) == [{"id": "r1", "text": 'Good start.\nThen "flat", sadly.', "stars": "3"}]


def test_a_byte_order_mark_and_crlf_leave_no_trace(write):
    path = write("items.csv", b"\xef\xbb\xbfid,title\r\n1,Low Tide\r\n")
    assert values(path) == [{"id": "1", "title": "Low Tide"}]
    path = write("items.jsonl", b'\xef\xbb\xbf{"id": "1"}\r\n\r\n{"id": "2"}')
    assert values(path) == [{"id": "1"}, {"id": "2"}]


def test_crlf_inside_quotes_is_kept(write):
    assert values(write("a.csv", 'id,text\r\n1,"one\r\ntwo"\r\n')) == [{"id": "1", "text": "one\r\ntwo"}]


def test_jsonl_is_split_at_newlines_alone(write):
    odd = "before\u2028after\u0085and\x0bmore\x1cend"
    path = write("a.jsonl", json.dumps({"id": "1", "text": odd}, ensure_ascii=False) + "\n")
    assert values(path) == [{"id": "1", "text": odd}]


def test_a_byte_of_another_encoding_is_named_and_never_dropped(write):
    path = write("cafe.csv", b"id,title\n1,Tea\n2,Caf" + b"\xe9\n")
    with pytest.raises(DataError, match=r"cafe\.csv:3: byte 0xe9 at place 6 .* not utf-8; .*`encoding:`"):
        values(path)
    assert values(path, "latin-1")[1]["title"] == "Café"


def test_utf_16_is_named_and_then_read(write):
    path = write("wide.csv", "id,title\n1,Ünder\n".encode("utf-16"))
    with pytest.raises(DataError, match="set `encoding: utf-16`"):
        values(path)
    assert values(path, "utf-16") == [{"id": "1", "title": "Ünder"}]


def test_an_unknown_encoding_is_a_setting_to_mend(write):
    with pytest.raises(ConfigError, match="no encoding 'utf-9'"):
        values(write("a.csv", "id\n1\n"), "utf-9")


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl"])
def test_packed_files_are_known_by_their_bytes(write, name):
    assert values(write(name, gzip.compress(b'{"id": "1"}\n'))) == [{"id": "1"}]


def test_a_cut_gzip_file_is_an_error_with_its_line(write):
    content = gzip.compress(b'{"id": "1"}\n' * 5000)
    with pytest.raises(DataError, match=r"a\.jsonl\.gz:\d+: the gzip data is cut or broken"):
        values(write("a.jsonl.gz", content[: len(content) // 2]))


def test_words_for_nothing_stay_words_and_empty_cells_are_missing(write):
    path = write("a.csv", 'id,title,year\n1,NA,\n2,None,""\n3,null,1999\n')
    assert values(path) == [
        {"id": "1", "title": "NA"},
        {"id": "2", "title": "None"},
        {"id": "3", "title": "null", "year": "1999"},
    ]
    assert values(write("a.jsonl", '{"id": "1", "title": "null", "year": null}\n')) == [{"id": "1", "title": "null"}]


def test_ids_stay_strings(write):
    rows = values(write("a.csv", "id\n007\n7\n7.0\n"))
    assert [as_id(row["id"]) for row in rows] == ["007", "7", "7.0"]


def test_no_float_ending_is_invented_because_of_a_missing_cell(tmp_path):
    path = tmp_path / "ratings.parquet"
    table = pyarrow.table({"user": pyarrow.array([7.0, math.nan, None]), "item": pyarrow.array([1, 2, 3])})
    pyarrow.parquet.write_table(table, path)
    rows = values(path)
    assert [as_id(row.get("user")) for row in rows] == ["7", None, None]
    assert [as_id(row["item"]) for row in rows] == ["1", "2", "3"]


def test_something_that_is_no_parquet_file_is_a_plain_error(write):
    with pytest.raises(DataError, match=r"a\.parquet: is no Parquet file"):
        values(write("a.parquet", b"id,title\n"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("id,title\n1,A,extra\n", r"a\.csv:2: expected 2 fields \(id, title\), got 3; .* double quotes"),
        ("id,title\n1\n", r"a\.csv:2: expected 2 fields"),
        ("id,id\n1,2\n", r"a\.csv:1: the column name 'id' occurs twice"),
        ('id,title\n1,"never closed\n2,B\n', r"a\.csv:\d: .*line 2 may lack its closing quote"),
    ],
)
def test_broken_csv_names_the_line_and_what_was_expected(write, content, problem):
    with pytest.raises(DataError, match=problem):
        values(write("a.csv", content))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "2"', r"a\.jsonl:2: expected one JSON object, but .* at column 11"),
        ("[1]", r"a\.jsonl:2: expected a JSON object, got a list"),
        ('{"stars": NaN}', r"a\.jsonl:2: .*NaN is no JSON number"),
    ],
)
def test_broken_jsonl_names_the_line_and_what_was_expected(write, line, problem):
    with pytest.raises(DataError, match=problem):
        values(write("a.jsonl", f'{{"id": "1"}}\n{line}\n'))


def test_a_lone_surrogate_is_replaced_so_that_it_can_be_written(write):
    (row,) = values(write("a.jsonl", '{"text": "half \\ud83d face", "list": ["\\ud83d\\ude00"]}\n'))
    assert row == {"text": "half \ufffd face", "list": ["😀"]}


def test_a_very_long_cell_is_read(write):
    assert len(values(write("a.csv", f'id,text\n1,"{"x" * 300_000}"\n'))[0]["text"]) == 300_000


def test_a_missing_file_and_an_unknown_ending_are_plain_errors(tmp_path, write):
    with pytest.raises(DataError, match=r"gone\.csv: can't be opened"):
        values(tmp_path / "gone.csv")
    with pytest.raises(DataError, match=r"'\.xlsx' is not known; expected one of \.csv, \.jsonl"):
        values(write("a.xlsx", b""))


def test_a_colon_separated_title_may_hold_the_separator(write):
    path = write("movies.dat", "12::Mirror: Part II (1991)::Drama|Comedy\n13::Odd::One (1992)::Drama\n14::Short\n")
    problems = []
    rows = list(read_separated(path, ("id", "title", "genres"), "title", report=problems.append))
    assert [row.values["title"] for row in rows] == ["Mirror: Part II (1991)", "Odd::One (1992)"]
    assert "movies.dat:3: expected 3 fields" in str(problems[0])
