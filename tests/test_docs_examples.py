"""The documentation tells the truth: its examples load and run, its commands exist, its tables name every kind."""

import ast
import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.M | re.S)


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(language: str) -> list[Block]:
    return [block for page in PAGES for block in _blocks(page) if block.language == language]


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(str(page.relative_to(ROOT)), line, match[1], match[2])


WITHOUT_SYSTEMS = {"import", "ranking-consistency"}  # the latter where finished runs are compared
EXPERIMENTS = [block for block in blocks("yaml") if "protocol:" in block.text]


@pytest.mark.parametrize("block", EXPERIMENTS, ids=str)
def test_experiments_of_the_docs_load(block, tmp_path):
    from mysteryshopper.experiment import Experiment

    file = tmp_path / "experiment.yaml"
    file.write_text(block.text, "utf-8")
    experiment = Experiment.load(file)
    assert experiment.systems or experiment.protocol in WITHOUT_SYSTEMS


@pytest.mark.parametrize("block", [one for one in blocks("yaml") if "takes:" in one.text], ids=str)
def test_criteria_of_the_docs_load(block, tmp_path):
    import yaml

    from mysteryshopper.judges.criteria_files import load_criteria

    file = tmp_path / "criteria.yaml"
    file.write_text(block.text, "utf-8")
    assert load_criteria(str(file), tmp_path, yaml.safe_load(block.text)["takes"]).criteria


@pytest.mark.parametrize("block", [one for one in blocks("yaml") if "protocol:" not in one.text], ids=str)
def test_parts_of_experiments_in_the_docs_fit(block, tmp_path):
    """Blocks shown by themselves: judges, users, data … in an experiment that has all else."""
    import yaml

    from mysteryshopper.experiment import Experiment

    content = yaml.safe_load(block.text)
    if "takes" in content or "nouns" in content:
        return  # criteria, or a domain's page: no part of an experiment
    whole = {
        "protocol": "conversation",
        "users": [{"kind": "agenda"}],
        "systems": [{"kind": "lexical"}],
        "data": {"name": "films"},
        "folder": str(tmp_path),
    }
    Experiment.from_dict({**whole, **content})


@pytest.mark.parametrize("file", sorted(ROOT.glob("examples/*.yaml")), ids=lambda file: file.name)
def test_the_examples_load(file):
    from mysteryshopper.experiment import Experiment

    experiment = Experiment.load(file)
    assert experiment.systems or experiment.protocol in WITHOUT_SYSTEMS


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_of_the_docs_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = compile(block.text, str(block), "exec")
    space: dict[str, object] = {"__name__": "example"}
    # In a thread of its own, since some examples start an event loop and this test may run inside one.
    asyncio.run(asyncio.to_thread(exec, code, space))
    if (reply := space.get("reply")) is not None:
        assert callable(reply)
        assert reply([{"role": "user", "content": "A train film?"}], {"id": "s"})["items"]


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_of_the_docs_is_json(block):
    json.loads(block.text)


COMMANDS = [
    pytest.param(line[2:], id=f"{block}: {line[2:60]}")
    for block in blocks("console")
    for line in block.text.splitlines()
    if line.startswith("$ ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_docs_exist(line):
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M), f"no target {words[1]}"
    elif words[0] == "mysteryshopper":
        _check_command(words[1:])
    else:
        assert words[0].startswith(".venv/bin/"), line


def _check_command(words: list[str]) -> None:
    import typer

    from mysteryshopper.cli.commands import app

    command = typer.main.get_command(app)
    while words and (inner := getattr(command, "commands", {}).get(words[0])) is not None:
        command, words = inner, words[1:]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert not hasattr(command, "commands") or not words, f"no command {words}"
    assert {word for word in words if word.startswith("-")} <= known | {"--help", "--debug"}
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    values = _values(words, command)
    given = [word for place, word in enumerate(words) if not word.startswith("-") and place not in values]
    assert sum(one.required for one in arguments) <= len(given) <= len(arguments) or any(
        one.nargs == -1 for one in arguments
    )


def _values(words: list[str], command) -> set[int]:
    """Return the places of words that belong to an option."""
    options = (parameter for parameter in command.params if parameter.param_type_name == "option")
    taken = {name: 0 if option.is_flag else option.nargs for option in options for name in option.opts}
    return {place + 1 + more for place, word in enumerate(words) for more in range(taken.get(word, 0))}


def test_the_reference_names_every_kind_and_every_command():
    import typer

    from mysteryshopper.cli.commands import app
    from mysteryshopper.judges import JUDGES
    from mysteryshopper.protocols import PROTOCOLS
    from mysteryshopper.systems import SYSTEMS
    from mysteryshopper.users import USERS

    experiment = (ROOT / "docs/reference/experiment.md").read_text("utf-8")
    for kind in (*USERS.names(), *SYSTEMS.names(), *JUDGES.names()):
        assert f"| `{kind}` |" in experiment, kind
    index = (ROOT / "mkdocs.yml").read_text("utf-8")
    for protocol in PROTOCOLS.names():
        assert f"protocols/{protocol}.md" in index, protocol
    cli = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    for command in typer.main.get_command(app).commands:
        assert f"mysteryshopper {command}" in cli, command


def test_the_reference_names_every_column_and_every_key_of_generated_profiles():
    from mysteryshopper.experiment.table_rows import SCHEMAS
    from mysteryshopper.profiles import MadeProfiles

    files = (ROOT / "docs/reference/run-files.md").read_text("utf-8")
    tables = dict(re.findall(r"^\| `(\w+)` \| an? [^|]* \| ([\w, ]+) \|$", files, re.M))
    assert {name: columns.split(", ") for name, columns in tables.items()} == {
        name: list(columns) for name, columns in SCHEMAS.items()
    }
    experiment = (ROOT / "docs/reference/experiment.md").read_text("utf-8")
    for key in MadeProfiles.model_fields:
        assert f"`{key}`" in experiment, key


def test_the_reference_marks_the_controls():
    from mysteryshopper.systems import SYSTEMS

    experiment = (ROOT / "docs/reference/experiment.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([\w+-]+)` \| .* \| ?(yes|) ?\|$", experiment, re.M))
    for kind in SYSTEMS.names():
        assert rows[kind] == ("yes" if getattr(SYSTEMS.load(kind), "control", False) else ""), kind


def test_the_design_names_every_dependency_and_no_other():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ours = [
        *project["dependencies"],
        *(one for extra in ("local", "embeddings", "sql") for one in project["optional-dependencies"][extra]),
    ]
    table = (ROOT / "docs/design.md").read_text("utf-8").partition("## What it is built on")[2].casefold()
    for line in ours:
        assert Requirement(line).name.casefold() in table, line


def test_every_dependency_is_used():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    imported = {name for path in ROOT.glob("src/**/*.py") for name in _imports(path)}
    module = {
        "pyyaml": "yaml",
        "pyahocorasick": "ahocorasick",
        "google-re2": "re2",
        "pyspellchecker": "spellchecker",
        "vl-convert-python": "vl_convert",
    }
    for line in [
        *project["dependencies"],
        *project["optional-dependencies"]["local"],
        *project["optional-dependencies"]["embeddings"],
    ]:
        name = Requirement(line).name
        assert module.get(name, name) in imported, f"{name} is required, but never imported"


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in {"import_module", "find_spec"}:
                yield str(node.args[0].value).partition(".")[0]
