"""`data get` against a local server: breaks, wrong sizes, wrong records; nothing wrong is ever put in place."""

import gzip
import hashlib
import io
import re
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import get, record_hash, sources
from mysteryshopper.datasets.files import find_file
from mysteryshopper.datasets.getting import get_files
from mysteryshopper.datasets.sources import Source, SourceFile

LINES = b"".join(b'{"b": %d, "a": "%s"}\n' % (n, b"x" * 300) for n in range(1000))


class Server:
    """Serves `content`; `plan` holds, for each request, what goes wrong with it."""

    def __init__(self):
        self.content = LINES
        self.plan = []
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/mirror"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, handler):
        fault = self.plan.pop(0) if self.plan else ""
        place = re.match(r"bytes=(\d+)-", handler.headers.get("Range") or "")
        self.requests.append((handler.path, int(place[1]) if place else 0))
        start = int(place[1]) if place and fault != "no range" else 0
        if fault.isdigit():
            handler.send_error(int(fault))
            return
        if start >= len(self.content):
            handler.send_error(416)
            return
        body = self.content[start:]
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2] if fault == "break" else body)


@pytest.fixture
def server():
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


def pinned(tmp_path, content=LINES, name="set/a.jsonl.gz", size=None):
    twin = tmp_path / "twin.jsonl"
    twin.write_bytes(content)
    sha256, records = record_hash(twin)
    return Source(
        "set", "A set", "none", (SourceFile(name, "https://example.org/at/1a2b/a.jsonl", records, sha256, size),)
    )


def fetch(server, source, home, **options):
    return get_files(source, home=home, base_url=server.url, pause=0.01, timeout=5, **options)


def test_a_file_is_checked_packed_and_put_in_place(server, tmp_path):
    seen = []
    home = tmp_path / "home"
    (path,) = fetch(server, pinned(tmp_path, size=len(LINES)), home, progress=lambda *told: seen.append(told))
    assert path == home / "set" / "a.jsonl.gz"
    assert gzip.decompress(path.read_bytes()) == LINES
    assert server.requests == [("/mirror/at/1a2b/a.jsonl", 0)]
    assert seen[-1] == ("set/a.jsonl.gz", len(LINES), len(LINES))
    assert [at for _, at, _ in seen] == sorted(at for _, at, _ in seen)
    assert [entry.name for entry in path.parent.iterdir()] == ["a.jsonl.gz"]
    assert fetch(server, pinned(tmp_path), home) == []
    assert len(server.requests) == 1


def test_it_goes_on_after_breaks(server, tmp_path):
    server.plan = ["break", "503", "break", ""]
    (path,) = fetch(server, pinned(tmp_path), tmp_path / "home")
    assert gzip.decompress(path.read_bytes()) == LINES
    half = len(LINES) // 2
    assert [start for _, start in server.requests][:3] == [0, half, half]
    assert server.requests[3][1] > half


def test_it_goes_on_in_a_later_call(server, tmp_path):
    server.plan = ["break", *["503"] * 9]
    with pytest.raises(DataError, match=r"a\.jsonl\.gz: could not be fetched .*answered 503.*try again later to go on"):
        fetch(server, pinned(tmp_path), tmp_path / "home")
    server.plan = []
    server.requests.clear()
    fetch(server, pinned(tmp_path), tmp_path / "home")
    assert [start for _, start in server.requests] == [len(LINES) // 2]


def test_a_server_without_ranges_is_read_from_the_start(server, tmp_path):
    server.plan = ["break", "no range"]
    (path,) = fetch(server, pinned(tmp_path), tmp_path / "home")
    assert gzip.decompress(path.read_bytes()) == LINES


def test_a_part_that_is_too_long_is_thrown_away(server, tmp_path):
    part = tmp_path / "home" / "set" / "a.jsonl.gz.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * (len(LINES) + 5))
    (path,) = fetch(server, pinned(tmp_path), tmp_path / "home")
    assert gzip.decompress(path.read_bytes()) == LINES


def test_another_size_is_refused(server, tmp_path):
    with pytest.raises(DataError, match=rf"has {len(LINES)} bytes at .*, expected 12; the source has changed"):
        fetch(server, pinned(tmp_path, size=12), tmp_path / "home")
    assert list((tmp_path / "home" / "set").iterdir()) == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (LINES.replace(b'"b": 7,', b'"b": 8,'), "its records hash to"),
        (LINES + b'{"b": 1}\n', "holds 1001 records, expected 1000"),
        (b"<html>not found</html>", r"can't be read as what it should be"),
    ],
)
def test_other_records_are_refused_and_nothing_is_kept(server, tmp_path, content, problem):
    source = pinned(tmp_path)
    server.content = content
    with pytest.raises(DataError, match=problem):
        fetch(server, source, tmp_path / "home")
    assert list((tmp_path / "home" / "set").iterdir()) == []


def test_a_file_that_moved_is_no_reason_to_try_again(server, tmp_path):
    server.plan = ["404"]
    with pytest.raises(DataError, match=r"answers 404 .*the source may have moved"):
        fetch(server, pinned(tmp_path), tmp_path / "home")
    assert len(server.requests) == 1


def test_members_of_an_archive_are_fetched_once(server, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/a.jsonl", LINES)
        archive.writestr("in/b.jsonl", LINES)
    server.content = packed.getvalue()
    file = pinned(tmp_path).files[0]
    files = tuple(
        SourceFile(
            f"set/{name}.jsonl", "https://example.org/set.zip", file.records, file.sha256, member=f"in/{name}.jsonl"
        )
        for name in "ab"
    )
    fetch(server, Source("set", "", "", files), tmp_path / "home")
    assert len(server.requests) == 1
    assert (tmp_path / "home" / "set" / "b.jsonl").read_bytes() == LINES
    assert not list((tmp_path / "home").glob("*.part"))


def test_the_hash_is_of_records_whatever_their_packing(write):
    right = hashlib.sha256(b'{"a":"\\u00e9","b":[1,2]}\n{"a":"2"}\n').hexdigest(), 2
    assert record_hash(write("a.jsonl", '{"b": [1, 2], "a": "é"}\n{"a": "2", "c": null}\n')) == right
    assert (
        record_hash(write("b.jsonl", gzip.compress(b'\xef\xbb\xbf{"a":"\\u00e9","b":[1,2]}\r\n\n{"a":"2"}'))) == right
    )
    assert record_hash(write("c.csv", "b,a\n1,x\n")) == record_hash(write("c.tsv", "a\tb\r\nx\t1\r\n"))
    assert record_hash(write("d.json", '{"b": 1, "a": 2}')) == record_hash(write("e.json", '{"a":2,\n"b":1}'))


def test_what_comes_with_the_package_or_is_unknown_cannot_be_got():
    with pytest.raises(ConfigError, match="films comes with the package"):
        get("films")
    with pytest.raises(ConfigError, match="did you mean 'redial'"):
        get("redail")


def test_the_table_of_sources_is_pinned():
    names = set()
    for source in sources().values():
        assert source.title
        assert source.licence
        for file in source.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.records > 0
            assert re.search(r"/[0-9a-f]{8,40}/|\.zip$", file.url)
            names.add(file.path)
    assert {
        "redial/raw_test.jsonl.gz",
        "opendialkg/kg/id2info.json.gz",
        "movielens/ml-latest-small/ratings.csv.gz",
    } <= names


@pytest.mark.slow
def test_the_table_agrees_with_the_real_data(real_data):
    for source in sources().values():
        assert source.missing() == []
        for file in source.files:
            path = find_file(real_data / file.path)
            assert path is not None
            assert (file.path, *record_hash(path)) == (file.path, file.sha256, file.records)
