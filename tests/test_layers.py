"""The rooms import one way, and the contract that says so knows every room."""

import subprocess
import sys
import tomllib
from pathlib import Path

import mysteryshopper

ROOT = Path(__file__).parent.parent
PACKAGE = Path(mysteryshopper.__file__).parent
CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]


def rooms() -> set[str]:
    return {
        path.stem
        for path in PACKAGE.iterdir()
        if (path.is_dir() and any(path.glob("*.py")))
        or (path.suffix == ".py" and path.stem not in {"__init__", "__main__"})
    }


def test_the_contract_holds():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_has_its_place_in_the_contract():
    placed = {layer.strip("()") for layer in CONTRACT["layers"]}
    assert rooms() <= placed


def test_rooms_that_are_there_are_not_optional():
    optional = {layer.strip("()") for layer in CONTRACT["layers"] if layer.startswith("(")}
    assert not rooms() & optional


def test_every_room_says_what_it_is_for_and_exports_names_it_has():
    for room in rooms():
        start = PACKAGE / room / "__init__.py"
        if start.exists():
            module = __import__(f"mysteryshopper.{room}", fromlist=["__all__"])
            assert (module.__doc__ or "").strip(), room
            names = getattr(module, "__all__", [])
            assert all(hasattr(module, name) for name in names), room


def test_modules_fit_in_the_head():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {str(path): lines for path, lines in lengths.items() if lines > 400} == {}
