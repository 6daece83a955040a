"""The command line: exit codes, sentences on standard error, nothing that steers the terminal."""

import json
import os
import subprocess
import sys
import time

import pytest

from mysteryshopper.cli.main import run
from mysteryshopper.cli.output import plain, show
from mysteryshopper.experiment.sheets import Sheet

EXPERIMENT = """
protocol: conversation
models: {writer: {name: big, base_url: "http://127.0.0.1:9/v1"}}
user: {name: plain, kind: single-prompt, model: writer}
system: {name: words, kind: lexical}
data: {name: films}
limits: {units: 3}
"""


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(EXPERIMENT)
    return path


def test_a_plan_is_printed_and_is_plain_outside_a_terminal(shop, capsys):
    assert run(["plan", str(shop)]) == 0
    out = capsys.readouterr().out
    assert "conversation, seed 0: 3 units of 3 different ones" in out
    assert "127.0.0.1:9 is contacted by model writer." in out
    assert "\x1b" not in out
    assert "━" not in out


def test_a_mistake_is_one_sentence_on_standard_error(shop, capsys):
    shop.write_text(EXPERIMENT.replace("kind: lexical", "kind: lexicla"))
    assert run(["plan", str(shop)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(
        "mysteryshopper: system.kind: there is no system kind 'lexicla'; did you mean 'lexical'?"
    )
    assert captured.err.count("\n") == 1


def test_debug_shows_the_traceback(shop):
    from mysteryshopper.core import ConfigError

    shop.write_text("protocol: x")
    for words in (["--debug", "plan", str(shop)], ["plan", str(shop), "--debug"]):
        with pytest.raises(ConfigError):
            run(words)


@pytest.mark.parametrize("words", [["nonsense"], ["plan"], ["plan", "a", "b"], ["run", "--no-such-option"]])
def test_wrong_usage_is_2(words, capsys):
    assert run(words) == 2
    assert "Usage: mysteryshopper" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["data", "--help"], ["run", "--help"]])
def test_help_is_0(words, capsys):
    assert run(words) == 0
    assert capsys.readouterr().out


def test_init_writes_a_file_that_plan_takes(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    assert run(["init", "conversation", "--out", str(path)]) == 0
    assert run(["plan", str(path)]) == 0
    assert run(["init", "conversation", "--out", str(path)]) == 1
    assert "is there already" in capsys.readouterr().err


def test_list_shows_kinds_and_what_they_can(capsys):
    assert run(["list", "systems"]) == 0
    out = capsys.readouterr().out
    (line,) = [line for line in out.splitlines() if line.strip().startswith("copy-history")]
    assert "ranks" in line
    assert "is a control" in line
    assert "built in" in line
    assert "can't be loaded" not in out
    assert run(["list"]) == 0
    assert {"users", "systems", "judges", "protocols"} <= set(capsys.readouterr().out.split())
    assert run(["list", "sytems"]) == 1
    assert "did you mean 'systems'?" in capsys.readouterr().err


def test_the_schema_is_json(capsys):
    assert run(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["protocol"]["enum"]


def test_data_and_models_are_listed(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(tmp_path))
    monkeypatch.setenv("MYSTERYSHOPPER_MODELS", str(tmp_path))
    assert run(["data", "list"]) == 0
    assert "redial" in capsys.readouterr().out
    assert run(["models", "list"]) == 0
    assert "not here" in capsys.readouterr().out


def test_a_file_of_ones_own_is_checked_with_line_numbers(tmp_path, capsys):
    path = tmp_path / "items.csv"
    path.write_text("id,title,year\n1,The Glass Ferry,1999\n2,,2001\n")
    assert run(["data", "check", str(path), "--kind", "items"]) == 1
    assert f"{path}:3: " in capsys.readouterr().out
    path.write_text("id,title,year\n1,The Glass Ferry,1999\n")
    assert run(["data", "check", str(path)]) == 0
    assert "1 items, nothing is wrong." in capsys.readouterr().out
    assert run(["data", "check", str(path), "--kind", "itmes"]) == 1


def test_profiles_are_checked_too_and_known_by_their_keys(tmp_path, capsys):
    path = tmp_path / "people.jsonl"
    path.write_text('{"id": "ann", "wish": "a comedy"}\n{"id": "bob", "wishes": "a war film"}\n')
    assert run(["data", "check", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2: there is no key 'wishes'; did you mean 'wish'?" in out
    assert "0 profiles, 1 problem." in out
    path.write_text('{"id": "ann", "wish": "a comedy"}\n{"id": "bob"}\n')
    assert run(["data", "check", str(path)]) == 0
    assert "2 profiles, nothing is wrong." in capsys.readouterr().out
    path.write_text('{"id": "bob"}\n')
    assert run(["data", "check", str(path), "--kind", "profiles"]) == 0


def test_a_folder_without_a_run_is_named(tmp_path, capsys):
    for words in (["resume", str(tmp_path)], ["report", str(tmp_path)], ["judge", str(tmp_path)]):
        assert run(words) == 1
        assert str(tmp_path) in capsys.readouterr().err


def test_an_unexpected_error_is_a_sentence_too(shop, capsys, monkeypatch):
    import mysteryshopper.experiment.plan as plan_module

    def fail(_):
        raise RuntimeError("odd \x1b[2J")

    monkeypatch.setattr(plan_module, "make_plan", fail)
    assert run(["plan", str(shop)]) == 1
    err = capsys.readouterr().err
    assert "RuntimeError: odd \\x1b[2J" in err
    assert "--debug" in err


def test_an_interrupt_is_130(shop, monkeypatch, capsys):
    import mysteryshopper.experiment.plan as plan_module

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(plan_module, "make_plan", interrupt)
    assert run(["plan", str(shop)]) == 130


def test_control_characters_are_written_out():
    assert plain("a\x1b[2Jb\x07\x9b\u202ec\r\td\n\ud83d") == "a\\x1b[2Jb\\x07\\x9b\\u202ec\\r\td\n\\ud83d"


def test_tables_keep_their_columns_whatever_is_in_them(capsys):
    show([Sheet("t\x1b", ("a", "b"), (("x\ny", "\x1b[2J"), ("longer cell", "z")), ("n\x07",))])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert out.splitlines()[1:4] == ["  a            b", "  x y          \\x1b[2J", "  longer cell  z"]


def _cpu(*arguments):
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.slow
def test_help_and_import_are_quick():
    bare = min(_cpu("-c", "pass") for _ in range(3))
    assert min(_cpu("-m", "mysteryshopper", "--help") for _ in range(3)) < 0.5
    assert min(_cpu("-c", "import mysteryshopper") for _ in range(3)) - bare < 0.3


def test_the_package_loads_nothing_heavy_by_itself():
    code = (
        "import sys, mysteryshopper; dir(mysteryshopper);"
        "print([m for m in ('numpy', 'pydantic', 'typer', 'aiohttp', 'rich', 'pyarrow') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_all_public_names_can_be_had():
    import mysteryshopper

    started = time.monotonic()
    assert [name for name in mysteryshopper.__all__ if getattr(mysteryshopper, name, None) is None] == []
    assert time.monotonic() - started < 30
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mysteryshopper.nothing  # noqa: B018
